// A fuzzer for compilers without libFuzzer: feeds a target its corpus and seeded mutations of it. No coverage guides
// it, but it is part of every test run. Usage: mutate CORPUS_FOLDER ROUNDS [SEED]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "gemmtune/core/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// One to eight edits: a byte changed, removed or doubled, or a piece of another input put in.
std::string mutate(std::string input, const std::vector<std::string>& corpus, std::mt19937_64& random) {
  for (auto edits = 1 + random() % 8; edits > 0; --edits) {
    const auto at = input.empty() ? 0 : random() % input.size();
    const auto& other = corpus[random() % corpus.size()];
    const auto from = other.empty() ? 0 : random() % other.size();
    switch (random() % 4) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 1:
        input.erase(at, 1 + random() % 4);
        break;
      case 2:
        input.insert(at, 1 + random() % 3, input.empty() ? '\0' : input[at]);
        break;
      default:
        input.insert(at, other, from, 1 + random() % 16);
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return std::fputs("usage: mutate CORPUS_FOLDER ROUNDS [SEED]\n", stderr), 2;
  std::vector<std::string> corpus;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) corpus.push_back(gemmtune::read_file(entry));
  if (corpus.empty()) return std::fprintf(stderr, "%s holds no inputs\n", argv[1]), 1;
  for (const auto& input : corpus) feed(input);
  const long rounds = std::atol(argv[2]);
  std::mt19937_64 random(argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 20'261'127);
  for (long round = 0; round < rounds; ++round) feed(mutate(corpus[random() % corpus.size()], corpus, random));
  std::printf("%zu inputs and %ld mutations of them\n", corpus.size(), rounds);
  return 0;
}

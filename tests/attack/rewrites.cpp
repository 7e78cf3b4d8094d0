// Looks up in a table that is rewritten all the time, atomically and in place. Each row says in its kernel's name and
// in its time for which M and by which edition of the file it was written. An answer that no edition holds is wrong.
//
//   attack_rewrites SECONDS THREADS
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/text.h"
#include "gemmtune/dispatch/dispatcher.h"

namespace {

using namespace gemmtune;

constexpr std::int64_t rows = 400;

double time_of(std::int64_t m, std::int64_t edition) {
  return 1000.25 + static_cast<double>(m) + static_cast<double>(edition % 5000) / 8;
}

std::string name_of(std::int64_t m, std::int64_t edition) {
  const auto length = static_cast<std::size_t>(edition * 7 % 53);  // files of different sizes
  return fmt::format("kernel_{}_{}_{}_end", m, edition, std::string(length, 'x'));
}

std::string table_of(std::int64_t edition) {
  std::string text = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  for (std::int64_t m = 1; m <= rows; ++m)
    text += fmt::format("gfx950,256,{},64,64,1,0,{},{},1.25,2.5,0.0\n", m, time_of(m, edition), name_of(m, edition));
  return text;
}

/// As an editor or a script does it: the file is emptied, and filled in pieces that end anywhere.
void write_in_place(const std::filesystem::path& path, const std::string& text, std::mt19937_64& random) {
  const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  for (std::size_t at = 0; file >= 0 && at < text.size();) {
    const auto size = std::min<std::size_t>(1 + random() % 9000, text.size() - at);
    if (::write(file, text.data() + at, size) < 0) std::abort();
    at += size;
    if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
  }
  ::close(file);
}

bool is_hit(const Answer& answer) { return answer.match != MatchKind::fallback; }

/// Whether some edition has this row. While a file is incomplete, a rule may choose instead.
bool is_right(const Answer& answer) {
  if (!is_hit(answer)) return true;
  const auto pieces = split(answer.choice->kernel_name, '_');
  if (pieces.size() != 5 || pieces[0] != "kernel") return false;
  const auto m = parse_int(pieces[1]);
  const auto edition = parse_int(pieces[2]);
  return m && edition && answer.tuned_m == *m && answer.choice->kernel_name == name_of(*m, *edition) &&
         answer.choice->time_us == time_of(*m, *edition);
}

struct Counts {
  std::atomic<std::int64_t> lookups{};
  std::atomic<std::int64_t> hits{};
  std::atomic<std::int64_t> wrong{};
  std::atomic<std::int64_t> reloads{};
  std::int64_t atomic_rewrites{};
  std::int64_t in_place{};
};

void look_up(const Dispatcher& dispatcher, const std::atomic<bool>& is_over, Counts& counts) {
  auto problem = format_defaults(Format::a4w4);
  problem.n = problem.k = 64;
  std::int64_t lookups = 0;
  std::int64_t hits = 0;
  for (; !is_over; ++lookups) {
    problem.m = lookups % rows + 1;
    const auto answer = dispatcher.lookup(problem);
    hits += is_hit(answer) ? 1 : 0;
    if (is_right(answer)) continue;
    if (counts.wrong++ < 5)
      std::printf("wrong for M=%lld: %s\n", static_cast<long long>(problem.m),
                  std::string(answer.choice != nullptr ? answer.choice->kernel_name : "").c_str());
  }
  counts.lookups += lookups;
  counts.hits += hits;
}

void attack(const std::filesystem::path& folder, double seconds, int threads) {
  const auto path = folder / "a.csv";
  write_file_atomically(path, table_of(0));
  Counts counts;
  {
    const Dispatcher dispatcher({.gfx = "gfx950",
                                 .cu_num = 256,
                                 .tables = {{path, {.format = Format::a4w4, .packed = true}}},
                                 .reload_interval = std::chrono::milliseconds(1),
                                 .say = [&](const std::string&) { ++counts.reloads; }});
    std::atomic<bool> is_over{false};
    std::vector<std::jthread> readers;
    for (int i = 0; i < threads; ++i) readers.emplace_back([&] { look_up(dispatcher, is_over, counts); });
    std::mt19937_64 random(20'261'129);
    const auto start = SteadyClock::now();
    for (std::int64_t edition = 1; seconds_since(start) < seconds; ++edition) {
      const bool is_atomic = random() % 3 == 0;
      ++(is_atomic ? counts.atomic_rewrites : counts.in_place);
      is_atomic ? write_file_atomically(path, table_of(edition)) : write_in_place(path, table_of(edition), random);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));  // a file at rest for 20 ms is served
    }
    is_over = true;
  }
  std::puts(fmt::format("{} lookups by {} threads, {} of them hits, during {} atomic rewrites and {} in place, {} "
                        "messages about reloads: {} wrong answers",
                        counts.lookups.load(), threads, counts.hits.load(), counts.atomic_rewrites, counts.in_place,
                        counts.reloads.load(), counts.wrong.load())
                .c_str());
  if (counts.wrong > 0 || counts.hits == 0) std::exit(1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return std::fputs("usage: attack_rewrites SECONDS THREADS\n", stderr), 2;
  std::string folder = (std::filesystem::temp_directory_path() / "gemmtune-rewrites-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return std::perror("mkdtemp"), 2;
  attack(folder, std::atof(arguments[1]), std::atoi(arguments[2]));
  std::filesystem::remove_all(folder);
  return 0;
}

// Packs the weights of one layer once and multiplies several numbers of tokens with them, on the CPU.
//   runtime_cpp N K M…        tables: GEMMTUNE_CONFIG_A16W16
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <gemmtune/runtime.hpp>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

namespace runtime = gemmtune::runtime;

/// Workspaces and packed weights are aligned to 256 bytes.
struct Block {
  explicit Block(std::size_t bytes) : data(::operator new (bytes + 1, std::align_val_t{256})) {}
  ~Block() { ::operator delete (data, std::align_val_t{256}); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void* data;
};

std::vector<float> numbers(std::int64_t count, int period) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % period) - static_cast<float>(period / 2);
  return all;
}

class Layer {
 public:
  Layer(std::int64_t n, std::int64_t k) : n_(n), k_(k), w_(numbers(n * k, 5)) {}

  /// Multiplies m tokens and shows which kernel did. Returns the largest error.
  double multiply(std::int64_t m) {
    auto problem = runtime::parse_problem(std::to_string(m) + "x" + std::to_string(n_) + "x" + std::to_string(k_) +
                                          ":f32:f32:f32:packed");
    const auto plan = runtime_.plan(problem);
    const auto info = plan.info();
    std::printf("M = %-5lld %-14s %s\n", static_cast<long long>(m),
                info.match == GEMMTUNE_FALLBACK ? "default" : "tuned", info.kernel_name);
    const auto a = numbers(m * k_, 7);
    std::vector<float> c(static_cast<std::size_t>(m * n_));
    const Block workspace(info.workspace_bytes);
    runtime::Operands operands;
    operands.a = a.data();
    operands.w = w_.data();
    operands.c = c.data();
    operands.workspace = workspace.data;
    operands.workspace_bytes = info.workspace_bytes;
    use_packed(plan, operands);
    plan.launch(operands);
    return largest_error(a, c);
  }

  std::string summary() const { return runtime_.summary(); }

 private:
  /// The weights are packed anew only if the plan's kernel reads another layout than the last one's.
  void use_packed(const runtime::Plan& plan, runtime::Operands& operands) {
    const auto info = plan.info();
    if (info.packed_bytes == 0) return;
    if (info.packed_layout != packed_layout_) {
      packed_ = std::make_unique<Block>(info.packed_bytes);
      plan.pack_weights(w_.data(), nullptr, packed_->data);
      packed_layout_ = info.packed_layout;
    }
    operands.packed_w = packed_->data;
    operands.packed_layout = packed_layout_;
  }

  double largest_error(const std::vector<float>& a, const std::vector<float>& c) const {
    double largest = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto* row = a.data() + static_cast<std::int64_t>(i) / n_ * k_;
      const auto* column = w_.data() + static_cast<std::int64_t>(i) % n_ * k_;
      double sum = 0;
      for (std::int64_t k = 0; k < k_; ++k) sum += static_cast<double>(row[k]) * column[k];
      largest = std::max(largest, std::fabs(sum - c[i]));
    }
    return largest;
  }

  std::int64_t n_;
  std::int64_t k_;
  std::vector<float> w_;
  runtime::Runtime runtime_{[] {
    runtime::Options options;
    options.device = "cpu";
    return options;
  }()};
  std::unique_ptr<Block> packed_;
  std::uint64_t packed_layout_{};
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: runtime_cpp N K M...\n");
    return 2;
  }
  Layer layer(std::stoll(argv[1]), std::stoll(argv[2]));
  double largest = 0;
  for (int i = 3; i < argc; ++i) largest = std::max(largest, layer.multiply(std::stoll(argv[i])));
  std::printf("largest error: %g\n%s\n", largest, layer.summary().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "runtime_cpp: %s\n", error.what());
  return 1;
}

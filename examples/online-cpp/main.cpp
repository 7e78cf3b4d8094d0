// Multiplies the same shapes again and again on the CPU, while `gemmtune serve` tunes them beside it, and shows when a
// shape gets another kernel. It ends when every shape runs a tuned kernel, or after so many seconds.
//   online_cpp SECONDS MxNxK…
//     GEMMTUNE_CONFIG_A16W16=online_tuned.csv GEMMTUNE_RELOAD_INTERVAL=1
//     GEMMTUNE_CAPTURE=capture.csv GEMMTUNE_CAPTURE_INTERVAL=1
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <gemmtune/runtime.hpp>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace runtime = gemmtune::runtime;
using Clock = std::chrono::steady_clock;

/// A workspace.
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

class Product {
 public:
  explicit Product(const std::string& sizes)
      : text_(sizes + ":f32:f32:f32"),
        problem_(runtime::parse_problem(text_)),
        a_(numbers(problem_.m * problem_.k, 7)),
        w_(numbers(problem_.n * problem_.k, 5)),
        c_(static_cast<std::size_t>(problem_.m * problem_.n)) {}

  /// The program asks for the plan each time, as long as kernels may change: a known plan is found at once.
  void multiply(runtime::Runtime& opened) {
    const auto plan = opened.plan(problem_);
    const auto info = plan.info();
    const Block workspace(info.workspace_bytes);
    runtime::Operands operands;
    operands.a = a_.data();
    operands.w = w_.data();
    operands.c = c_.data();
    operands.workspace = workspace.data;
    operands.workspace_bytes = info.workspace_bytes;
    plan.launch(operands);
    const auto start = Clock::now();
    plan.launch(operands);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    if (info.kernel_name != kernel_) show(info, took.count());
    is_tuned_ = info.match == GEMMTUNE_EXACT;
    if (const double error = largest_error(); error > 0)
      throw std::runtime_error(text_ + " by " + kernel_ + " is wrong by " + std::to_string(error));
  }

  bool is_tuned() const { return is_tuned_; }

 private:
  void show(const gemmtune_plan_info& info, double us) {
    kernel_ = info.kernel_name;
    std::printf("%s: %s: %s, %.2f us\n", text_.c_str(), info.match == GEMMTUNE_EXACT ? "exact" : "fallback",
                info.kernel_name, us);
    std::fflush(stdout);
  }

  /// Sums of small whole numbers are exact in f32.
  double largest_error() const {
    double largest = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      const auto* row = a_.data() + static_cast<std::int64_t>(i) / problem_.n * problem_.k;
      const auto* column = w_.data() + static_cast<std::int64_t>(i) % problem_.n * problem_.k;
      double sum = 0;
      for (std::int64_t k = 0; k < problem_.k; ++k) sum += static_cast<double>(row[k]) * column[k];
      largest = std::max(largest, std::fabs(sum - c_[i]));
    }
    return largest;
  }

  std::string text_;
  runtime::Problem problem_;
  std::vector<float> a_;
  std::vector<float> w_;
  std::vector<float> c_;
  std::string kernel_;
  bool is_tuned_{};
};

/// Whether all shapes ran tuned kernels in the end.
bool multiply_until_tuned(std::vector<Product>& products, double seconds) {
  runtime::Options options;
  options.device = "cpu";
  runtime::Runtime opened(options);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (bool all_tuned = false; !all_tuned && Clock::now() < end;) {
    all_tuned = true;
    for (auto& product : products) {
      product.multiply(opened);
      all_tuned = all_tuned && product.is_tuned();
    }
    if (all_tuned) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: online_cpp SECONDS MxNxK...\n");
    return 2;
  }
  std::vector<Product> products;
  for (int i = 2; i < argc; ++i) products.emplace_back(argv[i]);
  const bool tuned = multiply_until_tuned(products, std::stod(argv[1]));
  std::printf("%s\n", tuned ? "every shape runs a tuned kernel" : "time is over");
  return tuned ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "online_cpp: %s\n", error.what());
  return 1;
}

// What both programs share: how tokens reach the experts, the activations, how the error is measured, and the line that
// says what came of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "blocks.h"

/// Of `tokens` tokens that are spread evenly: how many experts get some, and how many each of them gets.
struct Call {
  std::int64_t experts{1};
  std::int64_t rows{};
};

inline Call call_of(const BlockTensor& tensor, std::int64_t tokens, std::int64_t per_token) {
  if (tensor.experts == 1) return {1, tokens};
  const auto routed = tokens * std::max<std::int64_t>(per_token, 1);
  return {std::min(routed, tensor.experts), (routed + tensor.experts - 1) / tensor.experts};
}

inline std::vector<float> activations(std::int64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (auto& number : numbers) number = normal(random);
  return numbers;
}

/// The error of one row of products against double precision, relative to their size: the root of the mean squares.
/// `c` holds the products of `a` with all rows of one expert's weights; 64 of them are compared.
inline double relative_error(const BlockTensor& tensor, std::int64_t expert, const float* a, const float* c) {
  double wrong = 0;
  double size = 0;
  for (std::int64_t i = 0; i < 64; ++i) {
    const auto row = i * tensor.n / 64;
    const auto weights = row_of(tensor, expert, row);
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * static_cast<double>(a[k]);
    wrong += (c[row] - sum) * (c[row] - sum);
    size += sum * sum;
  }
  return size > 0 ? std::sqrt(wrong / size) : std::sqrt(wrong);
}

/// The median time of a call in microseconds: at least 5 calls, and for at least a fifth of a second.
template <typename Function>
double median_us(const Function& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 5 || Clock::now() - start < std::chrono::milliseconds(200)) {
    const auto before = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Columns with tabs between them, for people and for side_by_side.py.
inline void show(const BlockTensor& tensor, std::int64_t tokens, const Call& call, double us, double error,
                 const std::string& kernel) {
  const auto products = static_cast<double>(call.experts * call.rows) * static_cast<double>(tensor.n * tensor.k);
  std::printf("%s\t%s\t%lld tokens\t%lldx%lldx%lld", tensor.name.c_str(), std::string(name_of(tensor.type)).c_str(),
              static_cast<long long>(tokens), static_cast<long long>(call.rows), static_cast<long long>(tensor.n),
              static_cast<long long>(tensor.k));
  std::printf(" x %lld\t%.1f us\t%.0f GFLOPS\terror %.2e\t%s\n", static_cast<long long>(call.experts), us,
              2e-3 * products / us, error, kernel.c_str());
  std::fflush(stdout);
}

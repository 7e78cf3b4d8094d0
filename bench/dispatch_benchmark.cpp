// How long lookups and loading take. See docs/results/dispatch.md.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "gemmtune/core/files.h"
#include "gemmtune/dispatch/dispatcher.h"
#include "gemmtune/dispatch/index/load_tables.h"
#include "invented_tables.h"
#include "string_map.h"
#include "tests/support/aiter_files.h"

namespace gemmtune::bench {
namespace {

constexpr std::int64_t table_rows = 50'000;
constexpr std::size_t hot_problems = 256;  // what a model asks for again and again

const Workload& tables() {
  static const Workload work = workload(table_rows);
  return work;
}

const StringMap& string_map() {
  static const StringMap map(tables().hits);
  return map;
}

std::vector<TableSource> invented_sources() {
  const auto path = std::filesystem::temp_directory_path() / "gemmtune_bench_a4w4.csv";
  write_file_atomically(path, table_text(table_rows));
  return {guess_source(path)};
}

const Dispatcher& dispatcher() {
  static const Dispatcher serving({.gfx = "gfx950", .cu_num = 256, .tables = invented_sources()});
  return serving;
}

/// The same dispatcher, but it counts every call.
const Dispatcher& capturing_dispatcher() {
  static const auto path = std::filesystem::temp_directory_path() / "gemmtune_bench_capture.csv";
  static const Dispatcher serving({.gfx = "gfx950",
                                   .cu_num = 256,
                                   .tables = invented_sources(),
                                   .capture = std::make_shared<Capture>(CaptureOptions{.path = path})});
  return serving;
}

/// Yields the first `count` problems of a list over and over. Each thread begins elsewhere.
class Asker {
 public:
  Asker(const std::vector<Problem>& problems, std::size_t count, int thread)
      : problems_(problems.data()), count_(count), at_(static_cast<std::size_t>(thread) * 37 % count) {}

  const Problem& next() {
    if (++at_ == count_) at_ = 0;
    return problems_[at_];
  }

 private:
  const Problem* problems_;
  std::size_t count_;
  std::size_t at_;
};

void look_up(benchmark::State& state, const std::vector<Problem>& problems, std::size_t count) {
  const auto device = device_key("gfx950", 256);
  const auto& index = tables().index;
  Asker asker(problems, count, state.thread_index());
  for (auto _ : state) {
    const auto answer = index.lookup(asker.next(), device);
    benchmark::DoNotOptimize(answer);
  }
}

void hit(benchmark::State& state) { look_up(state, tables().hits, hot_problems); }
void miss_of_all_levels(benchmark::State& state) { look_up(state, tables().misses, hot_problems); }
void hit_anywhere_in_the_table(benchmark::State& state) { look_up(state, tables().hits, tables().hits.size()); }

void ask(benchmark::State& state, const Dispatcher& serving) {
  Asker asker(tables().hits, hot_problems, state.thread_index());
  for (auto _ : state) {
    const auto answer = serving.lookup(asker.next());
    benchmark::DoNotOptimize(answer);
  }
}

void hit_through_the_dispatcher(benchmark::State& state) { ask(state, dispatcher()); }
void hit_through_the_dispatcher_captured(benchmark::State& state) { ask(state, capturing_dispatcher()); }

void hit_in_a_string_map(benchmark::State& state) {
  const auto& map = string_map();
  Asker asker(tables().hits, hot_problems, state.thread_index());
  for (auto _ : state) {
    const auto kernel = map.find(asker.next());
    benchmark::DoNotOptimize(kernel);
  }
}

void load(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / "gemmtune_bench_load_a4w4.csv";
  write_file_atomically(path, table_text(state.range(0)));
  const std::vector sources{guess_source(path)};
  for (auto _ : state) {
    const auto loaded = load_tables(sources);
    benchmark::DoNotOptimize(loaded.index.key_count());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  std::filesystem::remove(path);
}

/// AITER's own tuned GEMM tables, where GEMMTUNE_AITER_CONFIGS says that they are.
std::vector<TableSource> aiter_tables() {
  std::vector<TableSource> sources;
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) return sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    const auto name = entry.path().filename().string();
    const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    const bool is_served = has("_tuned") && has("gemm") && has(".csv") && !has("fmoe") && !has("mxscale");
    if (is_served) sources.push_back(guess_source(entry.path()));
  }
  return sources;
}

void load_aiters_tables(benchmark::State& state) {
  const auto sources = aiter_tables();
  if (sources.empty()) state.SkipWithError("GEMMTUNE_AITER_CONFIGS is not set");
  for (auto _ : state) {
    const auto loaded = load_tables(sources);
    state.counters["keys"] = static_cast<double>(loaded.index.key_count());
  }
}

/// Where other people use the machine, too, the least disturbed repetition is the most telling.
double least(const std::vector<double>& times) { return *std::ranges::min_element(times); }

void with_minimum(benchmark::internal::Benchmark* benchmark) { benchmark->ComputeStatistics("min", least); }

BENCHMARK(hit)->Apply(with_minimum)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(miss_of_all_levels)->Apply(with_minimum);
BENCHMARK(hit_anywhere_in_the_table)->Apply(with_minimum);
BENCHMARK(hit_through_the_dispatcher)->Apply(with_minimum)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(hit_through_the_dispatcher_captured)->Apply(with_minimum)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(hit_in_a_string_map)->Apply(with_minimum)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(load_aiters_tables)->Apply(with_minimum)->Unit(benchmark::kMillisecond);
BENCHMARK(load)->Apply(with_minimum)->Arg(50'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gemmtune::bench

BENCHMARK_MAIN();

#include "gemmtune/families/cpu_tile/float_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/isa.h"

namespace gemmtune::cpu_tile {
namespace {

/// If a thread's share of the work is below the first limit, it takes less time than waking the thread. If shares are
/// above the second limit, cores stay idle for milliseconds.
constexpr double least_share = 1 << 20;
constexpr double largest_share = 1 << 23;

/// From this many rows on, multiplying costs more than reading, and pairs beat everything that converts to float.
constexpr std::int64_t compute_bound_rows = 16;

bool is_pairs(const std::string& isa) { return isa == "avx512bf16" || isa == "amxbf16" || isa == "neonbf16"; }

/// The number of operations, or 16 times the bytes that must move if that is more: a core cannot hide more bytes.
double work_of(const Problem& problem) { return std::max(flops(problem), 16 * moved_bytes(problem)); }

/// Whether a better instruction set makes trying this one pointless.
bool is_outdone(const std::string& isa, const std::string& best, const Problem& problem) {
  if (isa == best || is_pairs(isa)) return false;
  if (isa == "avx512" || isa == "neon") return problem.m > compute_bound_rows;
  return true;
}

}  // namespace

std::vector<std::string> usable_isas(const Problem& problem, const DeviceInfo& device) {
  std::vector<std::string> isas = runnable_isas(float_isas(), device);
  if (!multiplies_pairs(problem)) std::erase_if(isas, is_pairs);
  return isas;
}

Axis isa_axis() { return label_axis("isa", float_isas()); }

std::vector<Constraint> isa_constraints(const Problem& problem, const DeviceInfo& device) {
  std::vector<Constraint> constraints;
  for (const std::string& isa : float_isas()) {
    const std::string why = why_not_isa(isa, device);
    if (why.empty()) continue;
    constraints.push_back({fmt::format("{}: {}", isa, why), [isa](const Point& p) { return p.label("isa") != isa; }});
  }
  const std::vector<std::string> usable = usable_isas(problem, device);
  constraints.push_back({"pairs multiply bf16 × bf16 without scales only",
                         [problem](const Point& p) { return multiplies_pairs(problem) || !is_pairs(p.label("isa")); }});
  constraints.push_back({fmt::format("{} is there and better", usable.front()), [problem, usable](const Point& p) {
                           return !is_outdone(p.label("isa"), usable.front(), problem);
                         }});
  return constraints;
}

std::vector<Constraint> thread_constraints(const Problem& problem, const DeviceInfo& device) {
  const double work = work_of(problem);
  const std::int64_t cores = std::max<std::int64_t>(1, device.cu_num);
  return {
      {"threads must be from 1 to the device's cores",
       [cores](const Point& p) { return p["t"] >= 1 && p["t"] <= cores; }},
      {"too little work for so many threads",
       [work](const Point& p) { return p["t"] == 1 || work / static_cast<double>(p["t"]) >= least_share; }},
      {"too much work for so few threads",
       [work, cores](const Point& p) {
         return p["t"] >= ceil_div(cores, 2) || work / static_cast<double>(p["t"]) <= largest_share;
       }},
  };
}

}  // namespace gemmtune::cpu_tile

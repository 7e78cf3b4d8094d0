#include "gemmtune/shapes/parallelism.h"

#include "gemmtune/core/error.h"

namespace gemmtune {

std::int64_t cut(Dimension dimension, std::int64_t ways, std::string_view flag) {
  if (dimension.size % ways != 0)
    fail(ErrorCode::usage, "{} {} does not divide {} = {}", flag, ways, dimension.name, dimension.size);
  return dimension.size / ways;
}

std::int64_t cut_kv_heads(Dimension kv_heads, std::int64_t ways) {
  if (kv_heads.size >= ways) return cut(kv_heads, ways, "--tp");
  if (kv_heads.size < 1 || ways % kv_heads.size != 0)
    fail(ErrorCode::usage, "--tp {} is no multiple of {} = {}, which are fewer", ways, kv_heads.name, kv_heads.size);
  return 1;
}

std::int64_t ways_of_each_expert(Parallelism parallelism) {
  if (parallelism.expert >= parallelism.tensor) {
    cut({"--ep", parallelism.expert}, parallelism.tensor, "--tp");
    return 1;
  }
  return cut({"--tp", parallelism.tensor}, parallelism.expert, "--ep");
}

}  // namespace gemmtune

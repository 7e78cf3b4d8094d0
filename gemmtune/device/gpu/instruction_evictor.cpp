#include "gemmtune/device/gpu/instruction_evictor.h"

#include <array>
#include <cstdint>

#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/evicting_code.h"

namespace gemmtune {
namespace {

/// A block has one warp for each of a multiprocessor's four partitions, because each has caches of its own. There are
/// twice as many blocks as multiprocessors, so that none is missed.
constexpr unsigned threads = 128;
constexpr int blocks_for_each = 2;

gpu::ModuleHandle load(const gpu::Driver& driver) {
  if (const auto why = why_not_cold_instructions(driver.kind()); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
  return driver.load_module(evicting_code());
}

}  // namespace

InstructionEvictor::InstructionEvictor(GpuStream& stream)
    : stream_(&stream),
      module_(load(stream.driver())),
      blocks_(static_cast<unsigned>(blocks_for_each * stream.driver().compute_units())) {
  for (const auto& name : evicting_kernels()) kernels_.push_back(stream.driver().function(module_, name));
}

InstructionEvictor::~InstructionEvictor() { stream_->driver().unload(module_); }

void InstructionEvictor::evict() const {
  constexpr std::uint64_t nowhere = 0;
  const std::array arguments{reinterpret_cast<const std::byte*>(&nowhere)};
  for (const auto kernel : kernels_)
    stream_->driver().launch(kernel, {.grid = {blocks_}, .block = {threads}}, stream_->handle(), arguments);
}

}  // namespace gemmtune

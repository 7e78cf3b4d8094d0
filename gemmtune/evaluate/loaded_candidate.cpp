#include "gemmtune/evaluate/loaded_candidate.h"

#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::size_t page = 4096;

/// Around the workspace and the packed weights of the first set. A tile of 256 rows by 4096 bytes of either is as
/// large.
constexpr std::size_t watched_bytes = std::size_t{1} << 20;

}  // namespace

LoadedCandidate::LoadedCandidate(Device& device, std::unique_ptr<PreparedGemm> gemm)
    : device_(&device), gemm_(std::move(gemm)) {}

std::size_t LoadedCandidate::bytes(std::size_t set_count) const {
  return workspace_bytes() + set_count * packed_bytes();
}

void LoadedCandidate::allocate(std::size_t set_count) {
  free_memory();
  try {
    workspace_ = GuardedBuffer(*device_, workspace_bytes(), watched_bytes);
    if (packs()) allocate_packed(set_count);
  } catch (const std::exception& error) {
    fail(ErrorCode::io, "needs {} bytes of workspace and {} × {} of packed weights: {}", workspace_bytes(), set_count,
         packed_bytes(), error.what());
  }
  set_count_ = set_count;
}

void LoadedCandidate::allocate_packed(std::size_t set_count) {
  packed_.emplace_back(*device_, packed_bytes(), watched_bytes);
  const auto bytes = GuardedBuffer::storage_bytes(packed_bytes());
  const auto stride = (bytes + page - 1) / page * page;
  arena_ = device_->allocate((set_count - 1) * stride);
  for (std::size_t set = 1; set < set_count; ++set)
    packed_.emplace_back(*device_, Buffer(arena_.data() + (set - 1) * stride, bytes, [](std::byte*) {}));
}

void LoadedCandidate::free_memory() {
  workspace_ = {};
  packed_.clear();
  arena_ = {};
  set_count_ = 0;
}

void LoadedCandidate::pack(const OperandSets& sets) {
  if (packs()) gemm_->pack_weights(sets.operands(0), packed_.front().data(), device_->stream());
}

void LoadedCandidate::copy_packed() {
  std::vector<std::byte*> others;
  for (std::size_t set = 1; set < packed_.size(); ++set) others.push_back(packed_[set].data());
  device_->copy_to_each(packed_.front().data(), others, packed_bytes());
}

void LoadedCandidate::launch(const OperandSets& sets, std::size_t set) noexcept {
  auto operands = sets.operands(set);
  operands.workspace = workspace_.data();
  if (packs()) {
    operands.w = nullptr;  // a candidate that packs may not read the unpacked weights; reading them would also spoil
                           // the rotation
    operands.packed_w = packed_[set].data();
  }
  gemm_->launch(operands, device_->stream());
}

std::vector<const GuardedBuffer*> LoadedCandidate::guarded() const {
  std::vector<const GuardedBuffer*> all{&workspace_};
  for (const auto& packed : packed_) all.push_back(&packed);
  return all;
}

std::string LoadedCandidate::broken_guard() const {
  if (auto why = workspace_.why_broken(*device_); !why.empty()) return "workspace: " + why;
  for (const auto& packed : packed_)
    if (auto why = packed.why_broken(*device_); !why.empty()) return "packed weights: " + why;
  return "";
}

}  // namespace gemmtune

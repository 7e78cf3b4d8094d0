// Staging's link to a GPU: copies on the device's stream, and an event for each block of pinned memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "gemmtune/device/gpu/gpu_stream.h"
#include "gemmtune/device/gpu/staging.h"

namespace gemmtune {

class GpuPinnedLink final : public PinnedLink {
 public:
  explicit GpuPinnedLink(GpuStream& stream);
  ~GpuPinnedLink() override;
  GpuPinnedLink(const GpuPinnedLink&) = delete;
  GpuPinnedLink& operator=(const GpuPinnedLink&) = delete;

  std::byte* allocate_pinned(std::size_t bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  void begin_upload(std::size_t block, std::span<const std::byte> from, std::byte* to) override;
  void begin_download(std::size_t block, const std::byte* from, std::span<std::byte> to) override;
  void wait(std::size_t block) override;

 private:
  GpuStream* stream_;
  std::array<gpu::EventHandle, 2> copied_{};
};

}  // namespace gemmtune

#include "gemmtune/device/gpu/gpu_pinned_link.h"

namespace gemmtune {

GpuPinnedLink::GpuPinnedLink(GpuStream& stream) : stream_(&stream) {
  for (auto& event : copied_) event = stream.driver().create_event();
}

GpuPinnedLink::~GpuPinnedLink() {
  for (const auto event : copied_) stream_->driver().destroy(event);
}

std::byte* GpuPinnedLink::allocate_pinned(std::size_t bytes) { return stream_->driver().allocate_pinned(bytes); }

void GpuPinnedLink::release_pinned(std::byte* memory) noexcept { stream_->driver().release_pinned(memory); }

void GpuPinnedLink::begin_upload(std::size_t block, std::span<const std::byte> from, std::byte* to) {
  stream_->driver().upload(from.data(), to, from.size(), stream_->handle());
  stream_->driver().record(copied_[block], stream_->handle());
}

void GpuPinnedLink::begin_download(std::size_t block, const std::byte* from, std::span<std::byte> to) {
  stream_->driver().download(from, to.data(), to.size(), stream_->handle());
  stream_->driver().record(copied_[block], stream_->handle());
}

void GpuPinnedLink::wait(std::size_t block) { stream_->driver().synchronize(copied_[block]); }

}  // namespace gemmtune

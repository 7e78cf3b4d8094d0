#include "gemmtune/verify/gpu/gpu_relayout.h"

#include <span>

#include "gemmtune/gemm/relayout.h"
#include "gemmtune/verify/gpu/examiner_kernels.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"

namespace gemmtune {
namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t units_of_a_block = std::int64_t{threads} * 16;

/// Two e2m1 share a byte, and stand along the rows only: bytes are moved then.
StridedUnits units_of(const StoredMatrix& m, Major major) {
  const std::int64_t bits_of_one = bits(m.type);
  const std::int64_t share = bits_of_one < 8 ? 8 / bits_of_one : 1;
  return {.batch = m.batch,
          .rows = m.rows,
          .cols = m.cols / share,
          .leading_dimension = m.leading_dimension / share,
          .batch_stride = m.batch_stride / share,
          .unit_bytes = static_cast<std::int32_t>(bits_of_one < 8 ? 1 : bits_of_one / 8),
          .transposed = major == Major::mn ? 1 : 0};
}

std::uint16_t gap_pattern() { return static_cast<std::uint16_t>(static_cast<unsigned>(gap_byte) * 0x101U); }

class GpuRelayout final : public Relayout {
 public:
  explicit GpuRelayout(Device& device)
      : device_(&device), kernels_(device), written_(device.allocate(sizeof(unsigned))) {}

  void store(const StoredMatrix& matrix, Major major, const std::byte* plain, std::byte* stored) override {
    device_->fill(stored, static_cast<std::size_t>(matrix.bytes()), gap_pattern());
    launch("store_matrix", matrix, major, plain, stored);
  }

  void gather(const StoredMatrix& matrix, Major major, const std::byte* stored, std::byte* plain) override {
    launch("gather_matrix", matrix, major, stored, plain);
  }

  bool has_poisoned_gaps(const StoredMatrix& matrix, const std::byte* stored, Poison poison) override {
    device_->fill(written_.data(), written_.size(), 0);
    kernels_.launch("count_written_gaps",
                    {.grid = {blocks_for(matrix.elements(), units_of_a_block)}, .block = {threads}},
                    units_of(matrix, Major::k), reinterpret_cast<const unsigned short*>(stored),
                    static_cast<unsigned short>(poison.pattern), reinterpret_cast<unsigned*>(written_.data()));
    device_->stream().synchronize();
    unsigned written = 0;
    device_->download(written_.data(), std::as_writable_bytes(std::span(&written, 1)));
    return written == 0;
  }

 private:
  void launch(const char* kernel, const StoredMatrix& matrix, Major major, const std::byte* from, std::byte* to) {
    const auto units = units_of(matrix, major);
    kernels_.launch(kernel,
                    {.grid = {blocks_for(units.batch * units.rows * units.cols, units_of_a_block)}, .block = {threads}},
                    units, reinterpret_cast<const unsigned char*>(from), reinterpret_cast<unsigned char*>(to));
    device_->stream().synchronize();
  }

  Device* device_;
  ExaminerKernels kernels_;
  Buffer written_;
};

}  // namespace

std::unique_ptr<Relayout> make_gpu_relayout(Device& device) { return std::make_unique<GpuRelayout>(device); }

}  // namespace gemmtune

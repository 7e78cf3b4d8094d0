#include "gguf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace {

constexpr std::int64_t largest_size = 1 << 28;
constexpr std::array<unsigned, 13> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::uint32_t text_kind = 8;
constexpr std::uint32_t array_kind = 9;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_block_type(std::uint64_t type) { return type == 2 || type == 8 || type == 39; }

}  // namespace

std::string_view name_of(BlockType type) {
  return type == BlockType::q4_0 ? "Q4_0" : type == BlockType::q8_0 ? "Q8_0" : "MXFP4";
}

std::size_t block_bytes(BlockType type) { return type == BlockType::q4_0 ? 18 : type == BlockType::q8_0 ? 34 : 17; }

GgufFile::GgufFile(const std::string& path) : path_(path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || status.st_size <= 0) {
    if (file >= 0) close(file);
    throw std::runtime_error(path + ": it cannot be opened, or is empty");
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  void* mapped = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) throw std::runtime_error(path + ": it cannot be mapped");
  mapped_ = static_cast<const unsigned char*>(mapped);
  try {
    read_header();
  } catch (...) {
    munmap(mapped, bytes_);
    throw;
  }
}

GgufFile::~GgufFile() { munmap(const_cast<unsigned char*>(mapped_), bytes_); }

std::string_view GgufFile::take(std::uint64_t bytes) {
  if (bytes > bytes_ - at_) throw std::runtime_error(path_ + ": it is cut off or damaged");
  const auto* start = reinterpret_cast<const char*>(mapped_ + at_);
  at_ += static_cast<std::size_t>(bytes);
  return {start, static_cast<std::size_t>(bytes)};
}

std::uint64_t GgufFile::number(unsigned width) {
  std::uint64_t value = 0;
  const auto raw = take(width);
  for (unsigned i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
  return value;
}

void GgufFile::read_header() {
  const auto magic = take(4);
  const auto version = number(4);
  if (magic != "GGUF" || (version != 2 && version != 3))
    throw std::runtime_error(path_ + ": expected a GGUF file of version 2 or 3");
  const auto tensors = number(8);
  const auto entries = number(8);
  for (std::uint64_t i = 0; i < entries; ++i) read_entry();
  for (std::uint64_t i = 0; i < tensors; ++i) read_tensor();
  const auto data = (at_ + alignment_ - 1) / alignment_ * alignment_;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    auto& tensor = tensors_[i];
    const auto blocks =
        static_cast<std::uint64_t>(tensor.k / 32 * tensor.n) * static_cast<std::uint64_t>(tensor.experts);
    const auto size = blocks * block_bytes(tensor.type);
    if (data > bytes_ || begins_[i] > bytes_ - data || size > bytes_ - data - begins_[i])
      throw std::runtime_error(path_ + ": it ends before the data of " + tensor.name);
    tensor.data = mapped_ + data + begins_[i];
  }
}

void GgufFile::read_entry() {
  const auto key = text();
  const auto kind = static_cast<std::uint32_t>(number(4));
  const auto before = at_;
  skip_value(kind);
  const auto after = at_;
  if (kind != 4) return;
  at_ = before;
  if (key == "general.alignment") alignment_ = number(4);
  if (ends_with(key, ".expert_used_count")) experts_per_token_ = static_cast<std::int64_t>(number(4));
  at_ = after;
  if (alignment_ == 0) throw std::runtime_error(path_ + ": general.alignment is 0");
}

void GgufFile::skip_value(std::uint32_t kind) {
  if (kind >= widths.size()) throw std::runtime_error(path_ + ": unknown kind of value");
  if (kind == text_kind) return void(text());
  if (kind != array_kind) return void(take(widths[kind]));
  const auto inner = static_cast<std::uint32_t>(number(4));
  const auto count = number(8);
  if (inner >= widths.size() || inner == array_kind || count > bytes_) throw std::runtime_error(path_ + ": odd array");
  if (inner != text_kind) return void(take(count * widths[inner]));
  for (std::uint64_t i = 0; i < count; ++i) text();
}

void GgufFile::read_tensor() {
  BlockTensor tensor;
  tensor.name = text();
  const auto dimensions = number(4);
  if (dimensions < 1 || dimensions > 4) throw std::runtime_error(path_ + ": " + tensor.name + ": odd dimensions");
  std::array<std::int64_t, 4> sizes{1, 1, 1, 1};
  for (std::uint64_t i = 0; i < dimensions; ++i) {
    const auto size = number(8);
    if (size < 1 || size > static_cast<std::uint64_t>(largest_size))
      throw std::runtime_error(path_ + ": " + tensor.name + ": odd size");
    sizes[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(size);
  }
  const auto type = number(4);
  const auto begin = number(8);
  if (!is_block_type(type) || dimensions < 2 || sizes[3] != 1 || sizes[0] % 32 != 0 || sizes[2] > 65536) return;
  tensor.type = static_cast<BlockType>(type);
  tensor.k = sizes[0];
  tensor.n = sizes[1];
  tensor.experts = sizes[2];
  tensors_.push_back(tensor);
  begins_.push_back(begin);
}

std::vector<BlockTensor> GgufFile::layer(std::int64_t layer) const {
  const auto start = "blk." + std::to_string(layer) + ".";
  std::vector<BlockTensor> found;
  for (const auto& tensor : tensors_)
    if (tensor.name.compare(0, start.size(), start) == 0 && ends_with(tensor.name, ".weight")) found.push_back(tensor);
  return found;
}

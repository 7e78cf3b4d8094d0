#include "gemmtune/device/gpu/vendor.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/gpu/toolkit_folders.h"

namespace gemmtune::gpu {

std::vector<Vendor> vendors() { return {nvidia(), amd()}; }

Vendor vendor_of(DeviceKind kind, const std::vector<Vendor>& among) {
  const auto found = std::ranges::find(among, kind, &Vendor::kind);
  if (found == among.end()) fail(ErrorCode::internal, "devices of kind {} are no GPUs", kind_name(kind));
  return *found;
}

DeviceKind kind_of_arch(std::string_view arch) {
  for (const auto& vendor : vendors())
    if (arch.starts_with(vendor.arch_prefix)) return vendor.kind;
  fail(ErrorCode::unsupported, "\"{}\" names no architecture of a GPU: expected sm90, gfx942 or the like", arch);
}

std::shared_ptr<const Driver> find_driver(const Vendor& vendor) {
  auto library = SharedLibrary::open(vendor.driver_libraries);
  if (!library) return nullptr;
  try {
    return vendor.make_driver(*std::move(library));
  } catch (const Error&) {
    return nullptr;
  }
}

std::shared_ptr<const Driver> find_driver(DeviceKind kind) { return find_driver(vendor_of(kind)); }

std::string why_no_driver(const Vendor& vendor) {
  if (!vendor.left_out.empty()) return vendor.left_out;
  return fmt::format("there is no driver that starts ({})", join(vendor.driver_libraries, ", "));
}

std::shared_ptr<const Driver> driver_of(const Vendor& vendor) {
  auto driver = find_driver(vendor);
  if (!driver) fail(ErrorCode::no_device, "{}", why_no_driver(vendor));
  return driver;
}

std::unique_ptr<const Compiler> find_compiler(const Vendor& vendor) {
  auto library = SharedLibrary::open(vendor.compiler_libraries, toolkit_folders());
  return library ? vendor.make_compiler(*std::move(library)) : nullptr;
}

std::string why_no_compiler(const Vendor& vendor) {
  if (!vendor.left_out.empty()) return vendor.left_out;
  return fmt::format("there is no run-time compiler ({})", join(vendor.compiler_libraries, ", "));
}

}  // namespace gemmtune::gpu

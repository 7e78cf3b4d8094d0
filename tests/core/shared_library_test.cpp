#include "gemmtune/core/shared_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(SharedLibrary, TheFirstThatIsThereIsTaken) {
  const auto library = SharedLibrary::open({"libno-such-thing.so.1", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libm.so.6");
  EXPECT_EQ(library->function<double(double)>("cos")(0), 1.0);
}

/// Opens a library in a folder that the loader does not search.
TEST(SharedLibrary, FoldersAreForWhatTheLoaderDoesNotFind) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "gemmtune_shared_library";
  std::filesystem::create_directories(folder);
  const auto there = folder / "libgemmtune-renamed.so";
  std::filesystem::remove(there);
  Dl_info libm{};
  ASSERT_NE(
      ::dladdr(reinterpret_cast<const void*>(SharedLibrary::open({"libm.so.6"})->find<double(double)>("cos")), &libm),
      0);
  std::filesystem::create_symlink(libm.dli_fname, there);
  EXPECT_FALSE(SharedLibrary::open({"libgemmtune-renamed.so"}));
  const auto library = SharedLibrary::open({"libgemmtune-renamed.so"}, {"/no/such/folder", folder.string()});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), there.string());
  EXPECT_EQ(SharedLibrary::open({"libm.so.6"}, {folder.string()})->name(), "libm.so.6");
}

/// A second copy of a library would not share the state of the first.
TEST(SharedLibrary, WhatTheProcessHasLoadedComesBeforeWhatIsNamedFirst) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "gemmtune_loaded_library";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Dl_info libm{};
  ASSERT_NE(
      ::dladdr(reinterpret_cast<const void*>(SharedLibrary::open({"libm.so.6"})->find<double(double)>("cos")), &libm),
      0);
  const std::string first = folder / "first.so";
  const std::string second = folder / "second.so";
  std::filesystem::copy_file(libm.dli_fname, first);
  std::filesystem::copy_file(libm.dli_fname, second);
  ASSERT_NE(::dlopen(second.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
  EXPECT_EQ(SharedLibrary::open({first, second})->name(), second);
}

TEST(SharedLibrary, WhatIsNotThereIsNothing) {
  EXPECT_FALSE(SharedLibrary::open({"libno-such-thing.so.1"}));
  const auto library = SharedLibrary::open({"libm.so.6"});
  EXPECT_EQ(library->find<void()>("no_such_function"), nullptr);
  try {
    library->function<void()>("no_such_function");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "libm.so.6 has no function no_such_function: it is too old");
  }
}

}  // namespace
}  // namespace gemmtune

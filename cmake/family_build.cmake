# cmake -DFILES=a.cpp;b.h -DFLAGS=… -DNAME=naive -DOUTPUT=naive_build.cpp -P family_build.cmake
#
# Writes the hash of what a family's kernels are built from, as std::string_view naive_build(): of the contents of the
# files in the order of their names, and of the compiler with its flags. Folders do not count, so that two clones of one
# commit agree.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(SHA256 ${file} hash)
  list(APPEND entries "${name} ${hash}")
endforeach()
list(SORT entries)
string(SHA256 hash "${entries} ${FLAGS}")
string(SUBSTRING ${hash} 0 8 hash)
file(WRITE ${OUTPUT} "// Written by cmake/family_build.cmake.
#include <string_view>

namespace gemmtune {

std::string_view ${NAME}_build();

std::string_view ${NAME}_build() { return \"${hash}\"; }

}  // namespace gemmtune
")

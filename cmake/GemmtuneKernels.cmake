# gemmtune_kernel_text(examiner_kernels FILES a.h b.cu)
#
# Writes examiner_kernels.cpp with `std::string gemmtune::examiner_kernels()`: the files one after the other, for run-time
# compilers of GPUs, which have no headers. Lines that include are left out: what they would bring must stand before.
# Declare the function in a header of the folder, and add ${CMAKE_CURRENT_BINARY_DIR}/examiner_kernels.cpp to its sources.
function(gemmtune_kernel_text name)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_FILES})
  set(texts "")
  foreach(file IN LISTS ARG_FILES)
    file(READ ${file} text)
    string(REGEX REPLACE "#(include|pragma once)[^\n]*" "" text "${text}")
    cmake_path(GET file FILENAME filename)
    string(APPEND texts "         R\"kernels(\n#line 1 \"${filename}\"\n${text})kernels\"\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_text.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp @ONLY)
endfunction()

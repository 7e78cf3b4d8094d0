# gemmtune_family(cpu_tile SOURCES cpu_tile.cpp … LIBRARIES OpenMP::OpenMP_CXX)
#
# One folder is one kernel family, and nothing else names it. The folder exports one symbol:
#   std::unique_ptr<KernelFamily> make_<name>_family();
# CMake writes the table of families from the calls of this function, so that no linker can drop a family.
function(gemmtune_family name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(gemmtune_family_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(gemmtune_family_${name} PUBLIC gemmtune_family_interface PRIVATE ${ARG_LIBRARIES} gemmtune_options)
  set_target_properties(gemmtune_family_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY GEMMTUNE_FAMILIES ${name})
endfunction()

# Prints one clear line for a family whose library is not installed.
function(gemmtune_family_left_out name why)
  message(STATUS "gemmtune: family ${name} is left out: ${why}")
endfunction()

# Writes make_families() for the families registered so far into ${output}.
function(gemmtune_write_family_table output)
  get_property(families GLOBAL PROPERTY GEMMTUNE_FAMILIES)
  set(declarations "")
  set(calls "")
  foreach(family IN LISTS families)
    string(APPEND declarations "std::unique_ptr<KernelFamily> make_${family}_family();\n")
    string(APPEND calls "  families.push_back(make_${family}_family());\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/family_table.cpp.in ${output} @ONLY)
endfunction()

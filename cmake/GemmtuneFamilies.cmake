# gemmtune_family(cpu_tile SOURCES cpu_tile.cpp … LIBRARIES OpenMP::OpenMP_CXX)
# gemmtune_family(openblas KERNELS_OF_LIBRARY SOURCES … LIBRARIES …)
#
# One folder is one kernel family, and nothing else names it. The folder exports one symbol:
#   std::unique_ptr<KernelFamily> make_<name>_family();
# CMake writes the table of families from the calls of this function, so that no linker can drop a family.
#
# The trials of a family are valid for the sources that its kernels were built from, unless KERNELS_OF_LIBRARY says that
# the family measures the kernels of a library, whose version is its own.
function(gemmtune_family name)
  cmake_parse_arguments(ARG "KERNELS_OF_LIBRARY" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(gemmtune_family_${name} STATIC ${ARG_SOURCES})
  if(NOT ARG_KERNELS_OF_LIBRARY)
    gemmtune_hash_family_build(${name} "${ARG_SOURCES}")
  endif()
  target_link_libraries(gemmtune_family_${name} PUBLIC gemmtune_family_interface PRIVATE ${ARG_LIBRARIES} gemmtune_options)
  set_target_properties(gemmtune_family_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY GEMMTUNE_FAMILIES ${name})
endfunction()

# Hashes, whenever one of them changes: the folder's files, the texts of kernels that were generated from it and from
# gemmtune/kernels, and what families share.
function(gemmtune_hash_family_build name sources)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/* ${PROJECT_SOURCE_DIR}/gemmtune/kernels/*)
  file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gemmtune/families/*.h ${PROJECT_SOURCE_DIR}/gemmtune/families/*.cpp)
  set(generated ${sources})
  list(FILTER generated INCLUDE REGEX "^${CMAKE_CURRENT_BINARY_DIR}/")
  set(files ${files} ${shared} ${generated})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(flags "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${GEMMTUNE_SANITIZE}")
  set(script ${PROJECT_SOURCE_DIR}/cmake/family_build.cmake)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.cpp)
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${script} VERBATIM COMMENT "Hashing the sources of ${name}"
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" "-DFLAGS=${flags}" -DNAME=${name} -DOUTPUT=${output} -P ${script})
  target_sources(gemmtune_family_${name} PRIVATE ${output})
  set_property(GLOBAL APPEND PROPERTY GEMMTUNE_HASHED_FAMILIES ${name})
endfunction()

# Prints one clear line for a family whose library is not installed.
function(gemmtune_family_left_out name why)
  message(STATUS "gemmtune: family ${name} is left out: ${why}")
endfunction()

# Writes make_families() for the families registered so far into ${output}.
function(gemmtune_write_family_table output)
  get_property(families GLOBAL PROPERTY GEMMTUNE_FAMILIES)
  get_property(hashed GLOBAL PROPERTY GEMMTUNE_HASHED_FAMILIES)
  set(declarations "")
  set(calls "")
  foreach(family IN LISTS families)
    string(APPEND declarations "std::unique_ptr<KernelFamily> make_${family}_family();\n")
    string(APPEND calls "  families.push_back(make_${family}_family());\n")
    if(family IN_LIST hashed)
      string(APPEND declarations "std::string_view ${family}_build();\n")
      string(APPEND calls "  families.back()->built_from(${family}_build());\n")
    endif()
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/family_table.cpp.in ${output} @ONLY)
endfunction()

# gemmtune_test(gemm_problem_test SOURCES problem_test.cpp USES gemm [LIBRARIES …] [LABELS slow])
#
# The first source holds the tests and is one ctest name. All tests of a folder are linked to one program, gemm_tests,
# because with sanitizers linking a program takes longer than compiling one source. ctest starts it once for each name,
# with --file=problem_test.cpp (tests/main.cpp): a failure names its file, and a crash costs one name. Further sources
# belong to the program and may be listed in several calls.
find_package(GTest REQUIRED)
if(GEMMTUNE_PRECOMPILE)
  gemmtune_own_precompiled(gemmtune_test_headers UNOPTIMISED HEADERS <gtest/gtest.h> LIBRARIES GTest::gtest)
endif()

add_library(gemmtune_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(gemmtune_test_main PRIVATE GTest::gtest gemmtune_options)

# The program of this folder's tests, made at the first call.
function(gemmtune_test_program result)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
  string(REPLACE "/" "_" program ${folder}_tests)
  if(NOT TARGET ${program})
    add_executable(${program})
    target_link_libraries(${program} PRIVATE gemmtune_test_main GTest::gtest gemmtune_options)
    gemmtune_unoptimised_under_sanitizers(${program})
  endif()
  set(${result} ${program} PARENT_SCOPE)
endfunction()

function(gemmtune_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBRARIES;LABELS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND gemmtune_)
  list(POP_FRONT ARG_SOURCES source)
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${ARG_USES} ${ARG_LIBRARIES} GTest::gtest gemmtune_options)
  target_compile_definitions(${name} PRIVATE GEMMTUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  gemmtune_unoptimised_under_sanitizers(${name})
  if(ARG_USES)  # without USES it may know nothing of fmt, one of these headers
    gemmtune_precompiled(${name} gemmtune_test_headers)
  endif()
  gemmtune_test_program(program)
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${name} ${ARG_USES} ${ARG_LIBRARIES})
  cmake_path(GET source FILENAME file)
  add_test(NAME ${name} COMMAND ${program} --file=${file})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

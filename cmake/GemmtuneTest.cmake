# gemmtune_test(gemm_problem_test SOURCES problem_test.cpp USES gemm [LABELS slow])
#
# One file is one executable and one ctest name.
find_package(GTest REQUIRED)
if(GEMMTUNE_PRECOMPILE)
  gemmtune_own_precompiled(gemmtune_test_headers UNOPTIMISED HEADERS <gtest/gtest.h> LIBRARIES GTest::gtest)
endif()

function(gemmtune_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBRARIES;LABELS" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND gemmtune_)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} ${ARG_LIBRARIES} GTest::gtest_main gemmtune_options)
  gemmtune_unoptimised_under_sanitizers(${name})
  if(ARG_USES)  # else it may know nothing of fmt, which is among the headers
    gemmtune_precompiled(${name} gemmtune_test_headers)
  endif()
  target_compile_definitions(${name} PRIVATE GEMMTUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

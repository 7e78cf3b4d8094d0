# gemmtune_library(core SOURCES a.cpp b.cpp USES gemm LIBRARIES fmt::fmt [UNOPTIMISED])
#
# One folder is one target, gemmtune_<name>. USES names the other folders it may use; tests/house/layers_test.py checks
# it against the includes. UNOPTIMISED: not optimised under sanitizers (see below).
function(gemmtune_library name)
  cmake_parse_arguments(ARG "UNOPTIMISED" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND gemmtune_)
  if(NOT ARG_SOURCES)
    add_library(gemmtune_${name} INTERFACE)
    target_include_directories(gemmtune_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(gemmtune_${name} INTERFACE ${ARG_USES} ${ARG_LIBRARIES})
    return()
  endif()
  add_library(gemmtune_${name} STATIC ${ARG_SOURCES})
  target_include_directories(gemmtune_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(gemmtune_${name} PUBLIC ${ARG_USES} ${ARG_LIBRARIES} PRIVATE gemmtune_options)
  set_target_properties(gemmtune_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(gemmtune_${name} PUBLIC cxx_std_20)
  if(ARG_UNOPTIMISED)
    gemmtune_unoptimised_under_sanitizers(gemmtune_${name})
    gemmtune_precompiled(gemmtune_${name} gemmtune_unoptimised_headers)
  else()
    gemmtune_precompiled(gemmtune_${name} gemmtune_library_headers)
  endif()
endfunction()

# Under sanitizers, optimising code that is mostly other people's templates (command lines, JSON, GoogleTest) takes most
# of the build's time and finds nothing. g++ 12 then also warns of uninitialised variables in std::regex.
function(gemmtune_unoptimised_under_sanitizers target)
  if(GEMMTUNE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

include(GemmtunePrecompile)
if(GEMMTUNE_PRECOMPILE)
  gemmtune_own_precompiled(gemmtune_library_headers POSITION_INDEPENDENT)
  gemmtune_own_precompiled(gemmtune_unoptimised_headers UNOPTIMISED POSITION_INDEPENDENT)
endif()

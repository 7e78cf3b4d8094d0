# Precompiles the headers of the standard library, fmt and GoogleTest that nearly every source includes. Use it only for
# building everything with sanitizers, where it saves a third of the time. Sources must also compile without it, as in
# other presets.
option(GEMMTUNE_PRECOMPILE "Precompile the headers that nearly every source includes (g++)" OFF)

set(precompiled_headers <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
                        <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# Targets compiled with the same options share precompiled headers: each set of options has one owner.
function(gemmtune_own_precompiled owner)
  cmake_parse_arguments(ARG "UNOPTIMISED;POSITION_INDEPENDENT" "" "HEADERS;LIBRARIES" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled/${owner}.cpp "")
  add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/${owner}.cpp)
  target_link_libraries(${owner} PRIVATE gemmtune_options fmt::fmt ${ARG_LIBRARIES})
  target_precompile_headers(${owner} PRIVATE ${precompiled_headers} ${ARG_HEADERS})
  set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ${ARG_POSITION_INDEPENDENT})
  if(ARG_UNOPTIMISED)
    gemmtune_unoptimised_under_sanitizers(${owner})
  endif()
endfunction()

# Makes a target use the headers that `owner` has precompiled.
function(gemmtune_precompiled target owner)
  if(GEMMTUNE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# `cmake --install BUILD [--prefix P] [--component dispatch|runtime|program]` installs the libraries for serving processes
# with their headers, CMake package and pkg-config files, and the program. Either library can be installed alone.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gemmtune)
set(header_folder ${PROJECT_SOURCE_DIR}/include/gemmtune)
set(dispatch_headers ${header_folder}/dispatch.h ${header_folder}/dispatch.hpp)
set(runtime_headers ${dispatch_headers} ${header_folder}/runtime.h ${header_folder}/runtime.hpp)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gemmtune-config.cmake.in ${PROJECT_BINARY_DIR}/gemmtune-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gemmtune-config-version.cmake COMPATIBILITY SameMinorVersion)

foreach(part dispatch runtime)
  install(TARGETS gemmtune_${part}_api EXPORT gemmtune-${part}-targets COMPONENT ${part}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT ${part})
  install(FILES ${${part}_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gemmtune COMPONENT ${part})
  install(EXPORT gemmtune-${part}-targets NAMESPACE gemmtune:: DESTINATION ${package_folder} COMPONENT ${part})
  install(FILES ${PROJECT_BINARY_DIR}/gemmtune-config.cmake ${PROJECT_BINARY_DIR}/gemmtune-config-version.cmake
          DESTINATION ${package_folder} COMPONENT ${part})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/gemmtune-${part}.pc.in ${PROJECT_BINARY_DIR}/gemmtune-${part}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gemmtune-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${part})
endforeach()

# For LD_PRELOAD: nothing is linked to it.
if(TARGET gemmtune_preload_api)
  install(TARGETS gemmtune_preload_api LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()

install(TARGETS gemmtune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# The workers that come with gemmtune are found beside the program, in the build folder too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/workers/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gemmtune/workers
        COMPONENT program PATTERN __pycache__ EXCLUDE)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/gemmtune)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/workers ${PROJECT_BINARY_DIR}/share/gemmtune/workers SYMBOLIC)

# `cmake --install BUILD [--prefix P] [--component dispatch|program]` installs the library for serving processes with
# its headers, CMake package and pkg-config file, and the program.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gemmtune)

install(TARGETS gemmtune_dispatch_api EXPORT gemmtune-targets COMPONENT dispatch
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT dispatch)
install(FILES ${PROJECT_SOURCE_DIR}/include/gemmtune/dispatch.h ${PROJECT_SOURCE_DIR}/include/gemmtune/dispatch.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gemmtune COMPONENT dispatch)
install(EXPORT gemmtune-targets NAMESPACE gemmtune:: DESTINATION ${package_folder} COMPONENT dispatch)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gemmtune-config.cmake.in ${PROJECT_BINARY_DIR}/gemmtune-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gemmtune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gemmtune-config.cmake ${PROJECT_BINARY_DIR}/gemmtune-config-version.cmake
        DESTINATION ${package_folder} COMPONENT dispatch)

configure_file(${CMAKE_CURRENT_LIST_DIR}/gemmtune-dispatch.pc.in ${PROJECT_BINARY_DIR}/gemmtune-dispatch.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gemmtune-dispatch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dispatch)

install(TARGETS gemmtune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# The workers that come with gemmtune are found beside the program, in the build folder too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/workers/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gemmtune/workers
        COMPONENT program PATTERN __pycache__ EXCLUDE)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/gemmtune)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/workers ${PROJECT_BINARY_DIR}/share/gemmtune/workers SYMBOLIC)

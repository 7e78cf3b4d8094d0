# Everything here comes from the distribution's packages; tools/install-dependencies names them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(tomlplusplus REQUIRED)  # of which the headers alone are used

# RE2 has no CMake package in Debian 12, and needs Abseil from version 2023-06-01 on, which its pkg-config file says.
find_package(PkgConfig REQUIRED)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
# Its options (-pthread, definitions for Windows) would make the precompiled headers unusable, and change nothing here.
set_target_properties(PkgConfig::re2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")

# Runs this folder's tests of 64-bit Arm's kernels under an emulator, if a cross compiler and the emulator are there
# (Debian: g++-aarch64-linux-gnu, qemu-user). Otherwise the tests are skipped, and say why.
find_program(GEMMTUNE_ARM_COMPILER aarch64-linux-gnu-g++)
find_program(GEMMTUNE_ARM_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static)
find_path(GEMMTUNE_HOST_INCLUDE fmt/format.h)
find_path(GEMMTUNE_GTEST_SOURCES src/gtest-all.cc PATHS /usr/src/googletest/googletest)
mark_as_advanced(GEMMTUNE_ARM_COMPILER GEMMTUNE_ARM_EMULATOR GEMMTUNE_HOST_INCLUDE GEMMTUNE_GTEST_SOURCES)

set(missing "")
foreach(needed GEMMTUNE_ARM_COMPILER GEMMTUNE_ARM_EMULATOR GEMMTUNE_GTEST_SOURCES)
  if(NOT ${needed})
    set(missing "${missing} ${needed}")
  endif()
endforeach()

# CPUs of the emulator, the tests that run on each, and the instruction sets that may not be missing there. Kernels are
# tested on the CPU that has everything, without the tests of threads and blocks, which are long and no different here.
# The other CPUs must choose what they have, and nothing else.
set(cpus max cortex-a53 neoverse-n1)
set(tests_max "-*/portable:*.CutsTheWork*:*.EveryCutIntoBlocksAndThreads*")
set(isas_max "neon|neonbf16|neondot|neoni8mm")
set(tests_cortex-a53 "*Offered*:*Int8Path.Mul*/portable:Isa.*")
set(isas_cortex-a53 "portable|neon")
set(tests_neoverse-n1 "*Offered*/neon:*Int8Path.Mul*/neondot:*BlockPath.Mul*Hard*:Isa.*")
set(isas_neoverse-n1 "neon|neondot")

if(missing)
  foreach(cpu IN LISTS cpus)
    add_test(NAME families_cpu_tile_arm_${cpu}_test
             COMMAND ${CMAKE_COMMAND} -E echo "skipped: not found:${missing} (tools/install-dependencies --tests)")
    set_tests_properties(families_cpu_tile_arm_${cpu}_test PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
  endforeach()
  return()
endif()

include(ExternalProject)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/arm)
ExternalProject_Add(families_cpu_tile_arm
  SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/arm
  BINARY_DIR ${folder}
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_SOURCE_DIR}/arm/toolchain.cmake -DCMAKE_CXX_FLAGS=-O1
             -DGEMMTUNE_WERROR=${GEMMTUNE_WERROR} -DGEMMTUNE_HOST_INCLUDE=${GEMMTUNE_HOST_INCLUDE}
             -DGEMMTUNE_GTEST_SOURCES=${GEMMTUNE_GTEST_SOURCES}
  BUILD_ALWAYS ON
  LOG_BUILD ON
  LOG_CONFIGURE ON
  LOG_OUTPUT_ON_FAILURE ON
  INSTALL_COMMAND "")

foreach(cpu IN LISTS cpus)
  add_test(NAME families_cpu_tile_arm_${cpu}_test
           COMMAND ${GEMMTUNE_ARM_EMULATOR} -cpu ${cpu} ${folder}/cpu_tile_tests --gtest_filter=${tests_${cpu}})
  set_tests_properties(families_cpu_tile_arm_${cpu}_test PROPERTIES
    TIMEOUT 600 ENVIRONMENT OMP_WAIT_POLICY=passive
    FAIL_REGULAR_EXPRESSION "(this CPU has no |\n)(${isas_${cpu}})(\n|: the CPU has no)")
endforeach()

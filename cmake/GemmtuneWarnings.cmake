# One interface target carries the language level, the warnings, the rules of arithmetic and the sanitizers of everything
# that is ours.
add_library(gemmtune_options INTERFACE)
target_compile_features(gemmtune_options INTERFACE cxx_std_20)
target_compile_options(gemmtune_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                                  -Wnon-virtual-dtor -Woverloaded-virtual)
# x86-64's baseline has no fused multiply-add. Elsewhere the compiler would round a·b + c once where the same source
# rounds twice on x86-64, and then drawn operands, references and outputs would differ between machines.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(gemmtune_options INTERFACE -ffp-contract=off)
endif()
if(GEMMTUNE_WERROR)
  target_compile_options(gemmtune_options INTERFACE -Werror)
endif()
# Checks of null, misaligned and dead objects are left out. They would run at each access to a member and take a quarter
# of the build's time, and the address sanitizer stops at nearly all such accesses.
if(GEMMTUNE_SANITIZE)
  target_compile_options(gemmtune_options INTERFACE -fsanitize=${GEMMTUNE_SANITIZE} -fno-omit-frame-pointer
                                                    -fno-sanitize=null,alignment,object-size,vptr
                                                    -fno-sanitize-recover=all)
  # Sanitizers keep so many addresses that a program which the loader must relocate takes half as long again to
  # start, and tests start thousands of them.
  set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_link_options(gemmtune_options INTERFACE -fsanitize=${GEMMTUNE_SANITIZE} $<${is_program}:-no-pie>)
endif()
if(GEMMTUNE_FUZZ)
  target_compile_options(gemmtune_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

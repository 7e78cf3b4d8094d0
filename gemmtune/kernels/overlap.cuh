// What kernels say that are launched early (LaunchStart::early in device/gpu/launch_shape.h).
//
// All threads of such a kernel call wait_for_previous() before they touch memory that another kernel may write, or
// read: all kernels before it on the stream have ended then, for each of them waits as well before it ends. Loads after
// it must not be __ldg(), which the compiler may move to before it.
#pragma once

/// The next kernel on the stream may be given what this one leaves free, from when the last block has said so.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Programmatic dependent launch (PDL), for kernels that are launched with LaunchStart::early
// (device/gpu/launch_shape.h): PTX's griddepcontrol.
//
// All threads of such a kernel call pdl_wait() before they access memory that another kernel may write, and before they
// write memory that another kernel may read. All earlier kernels on the stream have ended then, because each of them
// waits too before it ends. Loads after pdl_wait() must not be __ldg(), which the compiler may move up past it.
#pragma once

/// Once all blocks have called this, the next kernel on the stream may start on what this kernel leaves free.
__device__ inline void pdl_launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ inline void pdl_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

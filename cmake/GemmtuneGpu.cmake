# Building GPU support needs a vendor's headers. The vendor's libraries are loaded at run time, so one build runs with
# and without GPUs, and serves all vendors whose headers it found. GEMMTUNE_CUDA and GEMMTUNE_HIP say which.
find_path(GEMMTUNE_CUDA_INCLUDE nvrtc.h PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include)
find_path(GEMMTUNE_HIP_INCLUDE hip/hiprtc.h PATHS ENV ROCM_PATH /opt/rocm PATH_SUFFIXES include)

set(GEMMTUNE_CUDA OFF)
if(GEMMTUNE_CUDA_INCLUDE AND EXISTS ${GEMMTUNE_CUDA_INCLUDE}/cuda.h)
  set(GEMMTUNE_CUDA ON)
else()
  message(STATUS "gemmtune: support for NVIDIA's GPUs is left out: CUDA's headers (cuda.h, nvrtc.h of a toolkit from 12.8) are not installed")
endif()

set(GEMMTUNE_HIP OFF)
if(GEMMTUNE_HIP_INCLUDE)
  set(GEMMTUNE_HIP ON)
else()
  message(STATUS "gemmtune: support for AMD's GPUs is left out: HIP's headers (hip/hiprtc.h) are not installed")
endif()

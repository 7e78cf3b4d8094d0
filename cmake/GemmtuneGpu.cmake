# GPU support needs the vendor's headers to build, and loads its libraries at run time: one build runs with and without a
# GPU.
find_path(GEMMTUNE_CUDA_INCLUDE nvrtc.h PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include)
if(GEMMTUNE_CUDA_INCLUDE AND EXISTS ${GEMMTUNE_CUDA_INCLUDE}/cuda.h)
  set(GEMMTUNE_GPU ON)
else()
  set(GEMMTUNE_GPU OFF)
  message(STATUS "gemmtune: GPU support is left out: CUDA's headers (cuda.h, nvrtc.h of a toolkit from 12.8) are not installed")
endif()

# SPDX-License-Identifier: Apache-2.0
# Decides whether the CUDA back end is built (CORNERTURN_HAVE_CUDA), and for which architectures.
set(CORNERTURN_HAVE_CUDA OFF)
if(NOT CORNERTURN_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CORNERTURN_CUDA is '${CORNERTURN_CUDA}', but must be AUTO, ON or OFF")
endif()

# Sets `reason` to why CUDA cannot be built here, or to nothing.
macro(cornerturn_enable_cuda reason)
  set(${reason} "")
  include(CheckLanguage)
  # check_language remembers a failure; nvcc may have come since.
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE _gpus ERROR_QUIET)
      if(_gpus MATCHES "GPU [0-9]+:")
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        # Nothing here can run it: the PTX alone, which the driver of any later GPU assembles at the first start and
        # keeps. Half of nvcc's time; preset release has code for each generation.
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
      endif()
    endif()
    enable_language(CUDA)
    # CMake 3.25.1, which is Debian 12's, calls nvToolsExt deprecated even where there is none, as in CUDA 13, and fails.
    if(CMAKE_VERSION VERSION_LESS 3.26 AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
      if(NOT TARGET CUDA::nvToolsExt)
        add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
      endif()
    endif()
    find_package(CUDAToolkit)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
      set(${reason} "nvcc is ${CMAKE_CUDA_COMPILER_VERSION}, but C++20 needs 12.0 or later")
    elseif(NOT TARGET CUDA::cudart_static OR NOT TARGET CUDA::cufft)
      string(CONCAT ${reason} "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is here, "
        "but not the CUDA run-time library and cuFFT beside it; install them")
    endif()
  else()
    string(CONCAT ${reason} "no CUDA compiler that works with ${CMAKE_CXX_COMPILER} was found; "
      "install the CUDA Toolkit, put nvcc in PATH or set CUDACXX")
  endif()
endmacro()

if(NOT CORNERTURN_CUDA STREQUAL "OFF")
  cornerturn_enable_cuda(_no_cuda)
  if(_no_cuda STREQUAL "")
    set(CORNERTURN_HAVE_CUDA ON)
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(CORNERTURN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CORNERTURN_CUDA=ON, but ${_no_cuda}")
  else()
    message(STATUS "Without the CUDA back end: ${_no_cuda}")
  endif()
endif()

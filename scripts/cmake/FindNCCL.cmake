# SPDX-License-Identifier: Apache-2.0
# NVIDIA's NCCL: its header and library, of a system's package or below NCCL_ROOT (in Python's wheel nvidia-nccl-cu12 or
# -cu13 that is the folder nvidia/nccl).
find_path(NCCL_INCLUDE_DIR nccl.h)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

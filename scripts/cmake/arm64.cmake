# SPDX-License-Identifier: Apache-2.0
# Debian's cross-compiler for 64-bit ARM (g++-aarch64-linux-gnu, libraries of architecture arm64); what is built runs in
# qemu-user where that is installed. Preset arm64; scripts/arm64 makes a system that has all of it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
find_program(CORNERTURN_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(CORNERTURN_QEMU)
if(CORNERTURN_QEMU)
  # Without -L /usr/aarch64-linux-gnu: that loader is of another build than the libraries of architecture arm64, and
  # pthread_create hangs.
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CORNERTURN_QEMU})
endif()

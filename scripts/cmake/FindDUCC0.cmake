# SPDX-License-Identifier: Apache-2.0
# The sources of DUCC0's FFT (scripts/setup --ducc brings them): target DUCC0::fft, DUCC0_VERSION.
file(GLOB _unpacked ${PROJECT_SOURCE_DIR}/.ducc0/*/src)
find_path(DUCC0_INCLUDE_DIR ducc0/fft/fft1d_impl.h PATHS ${_unpacked} PATH_SUFFIXES src)
if(DUCC0_INCLUDE_DIR AND EXISTS ${DUCC0_INCLUDE_DIR}/../PKG-INFO)
  file(STRINGS ${DUCC0_INCLUDE_DIR}/../PKG-INFO _version REGEX "^Version: ")
  string(REPLACE "Version: " "" DUCC0_VERSION "${_version}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DUCC0 REQUIRED_VARS DUCC0_INCLUDE_DIR VERSION_VAR DUCC0_VERSION
  REASON_FAILURE_MESSAGE "scripts/setup --ducc brings its sources from PyPI, or name their folder by -DDUCC0_INCLUDE_DIR=.../src")
if(DUCC0_FOUND AND NOT TARGET DUCC0::fft)
  add_library(DUCC0::fft INTERFACE IMPORTED)
  set_target_properties(DUCC0::fft PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${DUCC0_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS DUCC0_NO_LOWLEVEL_THREADING)
endif()
mark_as_advanced(DUCC0_INCLUDE_DIR)

# SPDX-License-Identifier: Apache-2.0
# FFTW in single and double precision: targets FFTW3::float and FFTW3::double.
find_path(FFTW3_INCLUDE_DIR fftw3.h)
find_library(FFTW3_DOUBLE_LIBRARY fftw3)
find_library(FFTW3_FLOAT_LIBRARY fftw3f)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3 REQUIRED_VARS FFTW3_DOUBLE_LIBRARY FFTW3_FLOAT_LIBRARY FFTW3_INCLUDE_DIR)
if(FFTW3_FOUND AND NOT TARGET FFTW3::double)
  add_library(FFTW3::double UNKNOWN IMPORTED)
  set_target_properties(FFTW3::double PROPERTIES IMPORTED_LOCATION ${FFTW3_DOUBLE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
    ${FFTW3_INCLUDE_DIR})
  add_library(FFTW3::float UNKNOWN IMPORTED)
  set_target_properties(FFTW3::float PROPERTIES IMPORTED_LOCATION ${FFTW3_FLOAT_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
    ${FFTW3_INCLUDE_DIR})
endif()
mark_as_advanced(FFTW3_INCLUDE_DIR FFTW3_DOUBLE_LIBRARY FFTW3_FLOAT_LIBRARY)

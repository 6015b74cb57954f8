# SPDX-License-Identifier: Apache-2.0
# Decides whether the Python module is built (CORNERTURN_HAVE_PYTHON), and for which Python.
set(CORNERTURN_HAVE_PYTHON OFF)
if(NOT CORNERTURN_PYTHON MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CORNERTURN_PYTHON is '${CORNERTURN_PYTHON}', but must be AUTO, ON or OFF")
endif()
if(NOT CORNERTURN_PYTHON STREQUAL "OFF" AND NOT CMAKE_CROSSCOMPILING)
  # What scripts/setup --python made.
  if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
  if(Python_FOUND AND NOT nanobind_DIR)
    # scikit-build-core names the folder of the one that it brought along; elsewhere the interpreter knows its own.
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
      OUTPUT_VARIABLE _nanobind OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(nanobind_ROOT ${_nanobind})
  endif()
  if(Python_FOUND)
    find_package(nanobind CONFIG QUIET)
  endif()
  if(nanobind_FOUND AND nanobind_VERSION VERSION_LESS 3)
    message(STATUS "nanobind ${nanobind_VERSION} is too old for the Python module: 3 or later")
  elseif(nanobind_FOUND)
    set(CORNERTURN_HAVE_PYTHON ON)
  endif()
  if(CORNERTURN_PYTHON STREQUAL "ON" AND NOT CORNERTURN_HAVE_PYTHON)
    message(FATAL_ERROR "CORNERTURN_PYTHON=ON, but there is no Python 3.10 or later with its headers and nanobind 3 or "
      "later; scripts/setup --python makes one in .venv, or name another one by -DPython_EXECUTABLE=...")
  endif()
endif()

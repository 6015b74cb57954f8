# SPDX-License-Identifier: Apache-2.0
# One interface target that every target of ours links: include root, warnings, floating-point rules.
include(CheckCXXCompilerFlag)

# Sources that compute from what they are given and share nothing: ThreadSanitizer finds nothing there, and would take a
# quarter of the time of its tests for them.
function(cornerturn_arithmetic_alone)
  if(CORNERTURN_TEST_THREADS)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=thread -O2)
  endif()
endfunction()

# Targets without loops that take time: there AddressSanitizer's checks are calls, which GCC compiles in three quarters of
# the time that it takes for code in place. Elsewhere they would take twice the time to run.
function(cornerturn_checks_by_calls target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize=address")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:--param=asan-instrumentation-with-call-threshold=0>)
  endif()
endfunction()

# Appends to the list `flags` the first of the alternatives that the compiler takes for this processor, if any.
function(cornerturn_take flags)
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "CORNERTURN_COMPILER_TAKES_${flag}" taken)
    check_cxx_compiler_flag(${flag} ${taken})
    if(${taken})
      set(${flags} ${${flags}} ${flag} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

add_library(cornerturn_flags INTERFACE)
target_include_directories(cornerturn_flags INTERFACE ${PROJECT_SOURCE_DIR})
set(_cxx_flags "")
foreach(_warning -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  cornerturn_take(_cxx_flags ${_warning})
endforeach()
list(TRANSFORM _cxx_flags REPLACE "^-Wshadow$" "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:CORNERTURN_MAY_SHADOW>>>:-Wshadow>")
# Of a unity build's sources the compiler takes the types that are a file's own for a header's.
if(CMAKE_UNITY_BUILD)
  cornerturn_take(_cxx_flags -Wno-subobject-linkage)
endif()
# No errno, no traps: lets sqrt, floor and rint become vector instructions. Nothing that changes a result.
cornerturn_take(_cxx_flags -fno-math-errno)
cornerturn_take(_cxx_flags -fno-trapping-math)
# What fails is named from the tree on, and ccache has for one checkout what it compiled in another.
cornerturn_take(_cxx_flags -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
cornerturn_take(_cxx_flags -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CORNERTURN_NATIVE)
  cornerturn_take(_cxx_flags -march=native -mcpu=native)
  cornerturn_take(_cxx_flags -mprefer-vector-width=512)  # x86 only
endif()
if(CORNERTURN_WERROR)
  list(APPEND _cxx_flags -Werror)
endif()
target_compile_options(cornerturn_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${_cxx_flags}>)

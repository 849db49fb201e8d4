# SPDX-License-Identifier: Apache-2.0
# Most of the time of a small file goes into the large headers that it includes. Compiled about four
# at a time, files take half of the time, those of tests a third. Tools that look at one file at a
# time, clang-tidy among them, need the build with OFF; it also compiles less after a change of one
# file.
option(ROCI_TOGETHER "compile several files of a target in one run of the compiler" ON)

# compile_together(<target> [<file>...]): compiles these files of the target, or all of its
# files, about four at a time. Neighbours in the list come apart: their unnamed namespaces are the
# likeliest to share a name.
function(compile_together target)
  set(together ${ARGN})
  if(NOT together)
    get_target_property(together ${target} SOURCES)
  endif()
  list(LENGTH together files)
  if(NOT ROCI_TOGETHER OR files LESS 2)
    return()
  endif()
  math(EXPR groups "(${files} + 3) / 4")
  set(number 0)
  foreach(file ${together})
    math(EXPR group "${number} % ${groups}")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

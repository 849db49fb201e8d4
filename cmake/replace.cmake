# SPDX-License-Identifier: Apache-2.0
# Links programs, libraries and modules under another name and renames them: a process keeps the
# file that it has loaded, and none sees half a file.
foreach(rule LINK_EXECUTABLE CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE)
  string(REPLACE "-o <TARGET>" "-o <TARGET>.new" CMAKE_CXX_${rule} "${CMAKE_CXX_${rule}}")
  list(APPEND CMAKE_CXX_${rule} "mv -f <TARGET>.new <TARGET>")
endforeach()

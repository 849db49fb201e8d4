# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DVERSION=... -DOUT=... -P commit.cmake: writes the source file that holds the
# version and, in a clone, the commit.
execute_process(COMMAND git -C ${ROOT} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit)
  set(VERSION "${VERSION} (${commit})")
endif()
file(WRITE ${OUT} "extern const char* const kVersion;
"
     "const char* const kVersion = \"${VERSION}\";
")

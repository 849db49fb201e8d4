# SPDX-License-Identifier: Apache-2.0
# version.cpp is written anew when HEAD moves; one file is compiled then, and one program linked.
find_program(GIT git)
set(ROCI_HEAD)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${PROJECT_SOURCE_DIR} rev-parse --path-format=absolute
                  --git-path logs/HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(head AND EXISTS ${head})
    set(ROCI_HEAD ${head})
  endif()
endif()
set(ROCI_VERSION_SOURCE ${CMAKE_BINARY_DIR}/version.cpp)
add_custom_command(
  OUTPUT ${ROCI_VERSION_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          -DOUT=${ROCI_VERSION_SOURCE} -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
  DEPENDS ${ROCI_HEAD} ${PROJECT_SOURCE_DIR}/cmake/commit.cmake VERBATIM)

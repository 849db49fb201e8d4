# SPDX-License-Identifier: Apache-2.0
# find_package(rocinante): rocinante::driver, the objects of verbs over an adapter, and
# rocinante::testbench, two nodes and a link (needs libsystemc-dev).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
# Programs load engines by name, from the folder of the libraries.
get_filename_component(ROCINANTE_MODULES ${CMAKE_CURRENT_LIST_DIR}/../../rocinante ABSOLUTE)
set_property(TARGET rocinante::testbench APPEND PROPERTY
             INTERFACE_LINK_OPTIONS "LINKER:-rpath,${ROCINANTE_MODULES}")

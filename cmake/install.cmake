# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies, and the Debian package. Components: `runtime` has the program, its
# engines and the provider; `development` has driver and test bench as libraries with their headers.
include(GNUInstallDirs)
set(modules lib/rocinante)  # as CMAKE_INSTALL_RPATH has it

install(TARGETS roci roci-verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS roci-verbs LIBRARY DESTINATION ${modules} COMPONENT runtime)
foreach(nic ${ROCI_NICS})
  string(REPLACE "_" "-" engine roci-nic-${nic})
  if(TARGET ${engine})
    install(TARGETS ${engine} LIBRARY DESTINATION ${modules} COMPONENT runtime OPTIONAL)
  endif()
endforeach()
install(FILES ${ROCI_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${ROCI_COMPLETION} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME roci COMPONENT runtime)
# What `roci conform` and `roci soak` replay.
install(DIRECTORY model/packet/testdata/captures DESTINATION share/rocinante COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)

# The Python package, as pip would install it: its modules, its version and its plugin of pytest.
set(python lib/python3/dist-packages)
install(DIRECTORY python/roci DESTINATION ${python} COMPONENT runtime
        FILES_MATCHING PATTERN "*.py")
set(python_info ${CMAKE_CURRENT_BINARY_DIR}/rocinante.dist-info)
file(CONFIGURE OUTPUT ${python_info}/METADATA CONTENT
     "Metadata-Version: 2.1\nName: rocinante\nVersion: ${PROJECT_VERSION}\n")
file(CONFIGURE OUTPUT ${python_info}/entry_points.txt CONTENT
     "[pytest11]\nroci = roci.pytest_plugin\n")
install(DIRECTORY ${python_info}/ DESTINATION ${python}/rocinante-${PROJECT_VERSION}.dist-info
        COMPONENT runtime)

# Libraries have plain names and stand in a folder of their own.
install(TARGETS spec driver transport packet model_nic firmware link host scoreboard nic ports
                systemc testbench
        EXPORT rocinante ARCHIVE DESTINATION ${modules} COMPONENT development)
install(EXPORT rocinante NAMESPACE rocinante:: DESTINATION lib/cmake/rocinante
        FILE targets.cmake COMPONENT development)
foreach(folder model driver firmware testbench)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rocinante
          COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h"
          PATTERN "verify" EXCLUDE PATTERN "tools" EXCLUDE PATTERN "test" EXCLUDE
          PATTERN "examples" EXCLUDE PATTERN "testdata" EXCLUDE)
endforeach()

include(CMakePackageConfigHelpers)
write_basic_package_version_file(rocinante-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/rocinante-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rocinante-config-version.cmake
        DESTINATION lib/cmake/rocinante COMPONENT development)
foreach(library driver testbench)
  configure_file(cmake/rocinante-${library}.pc.in rocinante-${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rocinante-${library}.pc
          DESTINATION lib/pkgconfig COMPONENT development)
endforeach()

# `cpack` in the build folder writes the package; the targets roci, roci-verify,
# roci-verbs, engines and manual must be built.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rocinante)
set(CPACK_PACKAGE_VENDOR "Rocinante")
set(CPACK_PACKAGE_CONTACT "Rocinante maintainers <maintainers@rocinante.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "RoCE v2 network adapter in simulation, for programs of libibverbs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME rocinante)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
 The command roci starts nodes with a RoCE v2 adapter each, which is verilated
 hardware or a fast model. Unmodified programs of libibverbs see it as the
 device roci0: no RDMA hardware, no kernel module, no root.")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libibverbs1, ibverbs-providers")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ibverbs-utils, perftest")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-pytest")
set(CPACK_STRIP_FILES ON)
include(CPack)

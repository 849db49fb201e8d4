# SPDX-License-Identifier: Apache-2.0
# The core as others take it: the written files are current, the list of sources is complete, and
# planted errors of AXI are found by the proofs.
set(BOARD_DIR ${CMAKE_CURRENT_LIST_DIR})
file(STRINGS ${RTL_DIR}/syn/small.txt small REGEX "^[A-Z]")
list(TRANSFORM small PREPEND -G)
set(LINT_CORE ${VERILATOR} --lint-only -Wall --assert ${RTL_DIR}/lint.vlt
    -F ${BOARD_DIR}/roci_core.f --top-module roci_core)
add_test(NAME lint.core_512 COMMAND ${LINT_CORE})
add_test(NAME lint.core_small COMMAND ${LINT_CORE} -GDataWidth=64 ${small} -GMacClocks=0)
add_test(NAME board.package_is_current
         COMMAND Python3::Interpreter ${BOARD_DIR}/package.py --check)
# Readers that nobody here wrote: slang elaborates the list, FuseSoC lints the core. Skipped without
# PyPI. slang is installed by synthesis.slang too.
foreach(reader slang fusesoc)
  add_test(NAME board.${reader} COMMAND Python3::Interpreter ${BOARD_DIR}/package_test.py ${reader}
           ${CMAKE_BINARY_DIR}/syn/${reader})
endforeach()
set_tests_properties(lint.core_small board.package_is_current board.slang
                     PROPERTIES LABELS fast TIMEOUT 300)
# slang elaborates the core with default parameters in any case.
set_tests_properties(board.fusesoc lint.core_512 PROPERTIES LABELS soak TIMEOUT 300)
set_tests_properties(board.slang board.fusesoc PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(board.slang PROPERTIES RESOURCE_LOCK slang)
# The design for ECPIX-5: what its script makes of reports; the design with its BIOS, read by
# Yosys; what it takes of the device; and the bitstream, which takes hours with the tools of PyPI.
# Packages of LiteX and tools come from there.
add_test(NAME board.ecpix5_parts COMMAND Python3::Interpreter ${BOARD_DIR}/ecpix5/board_test.py)
set_tests_properties(board.ecpix5_parts PROPERTIES LABELS fast TIMEOUT 60)
function(add_board_test name)
  add_test(NAME board.ecpix5_${name}
           COMMAND Python3::Interpreter ${BOARD_DIR}/ecpix5/board.py ecpix5 ${ARGN}
                   --build ${CMAKE_BINARY_DIR}/board)
  set_tests_properties(board.ecpix5_${name} PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK ecpix5)
endfunction()
add_board_test(check --check)
set_tests_properties(board.ecpix5_check PROPERTIES LABELS slow TIMEOUT 1200)
add_board_test(size --size --compare)
set_tests_properties(board.ecpix5_size PROPERTIES LABELS soak TIMEOUT 5400)
add_board_test(bitstream --compare)
set_tests_properties(board.ecpix5_bitstream PROPERTIES LABELS soak TIMEOUT 43200)
if(YOSYS_ABC AND YOSYS_SMTBMC AND Z3)
  add_test(NAME proof.planted_axi COMMAND Python3::Interpreter ${BOARD_DIR}/planted_test.py)
  set_tests_properties(proof.planted_axi PROPERTIES LABELS soak TIMEOUT 600)
endif()

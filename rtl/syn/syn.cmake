# SPDX-License-Identifier: Apache-2.0
# synthesis.sound_<width>_<qps>: Yosys elaborates the whole engine without a latch, a conflict of
# drivers, an undriven wire, a warning, or an array that would become registers.
foreach(size "64 16" "512 1024")
  string(REPLACE " " ";" size ${size})
  list(GET size 0 width)
  list(GET size 1 qps)
  add_test(NAME synthesis.sound_${width}_${qps}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/synth.py --check --width ${width}
                   --qps ${qps} --build ${CMAKE_BINARY_DIR}/syn)
  set_tests_properties(synthesis.sound_${width}_${qps} PROPERTIES LABELS soak TIMEOUT 300)
  keep_result(synthesis.sound_${width}_${qps} nic ${width} ${qps})
endforeach()

# synthesis.paths: the delay model, on netlists whose levels and delays are known. synthesis.gate:
# what the check of timing.py finds, on a small block with a planted long path.
# synthesis.depth: depth.py on logic whose depth is known. synthesis.shares: shares.py on a block
# whose LUTs are known. synthesis.place_parts: what place.py makes of reports.
# synthesis.forms_parts: what forms.py gives to blocks, and finds in sums.
# synthesis.placement: which runs of nextpnr a netlist gets. synthesis.nextpnr: places as demands,
# and inputs that a router must not exchange; nextpnr_log: what its logs say.
# synthesis.mapping: late data of a block RAM pass fewer LUTs.
foreach(test paths gate depth shares place_parts forms_parts placement nextpnr nextpnr_log mapping)
  string(REPLACE _parts "" file ${test})
  add_test(NAME synthesis.${test}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/${file}_test.py)
  set_tests_properties(synthesis.${test} PROPERTIES LABELS fast TIMEOUT 300)
endforeach()

# Levels and delay of each block are not worse than docs/measured/timing.json, which is of these
# sources; `timing.py --update` writes it.
add_test(NAME synthesis.timing
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/timing.py --check
                 --build ${CMAKE_BINARY_DIR}/syn)
set_tests_properties(synthesis.timing PROPERTIES LABELS fast TIMEOUT 600)

# Netlists, proofs and the check of the whole engine have passed on what is there now; `tested.py
# --update` runs those whose sources have changed.
get_property(tested GLOBAL PROPERTY ROCI_TESTED)
list(JOIN tested "\n" tested)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/rtl/tested.txt CONTENT "${tested}\n" @ONLY)
if(NOT ROCI_BLOCKS)
  add_test(NAME synthesis.tested
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/tested.py --check
                   --build ${CMAKE_BINARY_DIR})
  set_tests_properties(synthesis.tested PROPERTIES LABELS fast TIMEOUT 60)
endif()
add_test(NAME synthesis.tested_differences
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/tested_test.py)
set_tests_properties(synthesis.tested_differences PROPERTIES LABELS fast TIMEOUT 60)

# Sites of block RAMs, room for wires, shorter wires and paths, on small netlists; skipped when PyPI
# cannot be reached.
foreach(test anneal placed ram_sites refine spacers)
  add_test(NAME synthesis.${test}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/${test}_test.py
                   ${CMAKE_BINARY_DIR}/syn)
  set_tests_properties(synthesis.${test} PROPERTIES LABELS fast TIMEOUT 300 SKIP_RETURN_CODE 77
                       RESOURCE_LOCK solver)
endforeach()

# A strict front end reads all sources; skipped when PyPI cannot be reached.
add_test(NAME synthesis.slang
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/slang_test.py
                 ${CMAKE_BINARY_DIR}/syn/slang)
set_tests_properties(synthesis.slang PROPERTIES LABELS fast TIMEOUT 300 SKIP_RETURN_CODE 77
                     RESOURCE_LOCK slang)

# Engines with 1,024 queue pairs, and without options, are not larger than docs/measured/forms.json.
add_test(NAME synthesis.forms
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/forms.py --check
                 --build ${CMAKE_BINARY_DIR}/syn)
set_tests_properties(synthesis.forms PROPERTIES LABELS soak TIMEOUT 3600)

# Place and route on ECP5 with tools from PyPI; not worse than docs/measured/place.json.
add_test(NAME synthesis.place
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/place.py --check
                 --build ${CMAKE_BINARY_DIR}/syn)
set_tests_properties(synthesis.place PROPERTIES LABELS soak TIMEOUT 14400 RESOURCE_LOCK solver
                     SKIP_RETURN_CODE 77)

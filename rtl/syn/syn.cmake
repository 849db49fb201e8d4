# SPDX-License-Identifier: Apache-2.0
# synthesis.sound_<width>_<qps>: Yosys elaborates the whole engine without a latch, a conflict of
# drivers, an undriven wire, a warning, or an array that would become registers.
foreach(size "64 256" "512 16" "512 256" "512 1024")
  string(REPLACE " " ";" size ${size})
  list(GET size 0 width)
  list(GET size 1 qps)
  add_test(NAME synthesis.sound_${width}_${qps}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/synth.py --check --width ${width}
                   --qps ${qps} --build ${CMAKE_CURRENT_BINARY_DIR}/syn)
  set_tests_properties(synthesis.sound_${width}_${qps} PROPERTIES LABELS fast TIMEOUT 300 COST 100)
endforeach()

# The delay model of timing.py, on netlists whose levels and delays are known.
add_test(NAME synthesis.paths
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/timing_test.py)
set_tests_properties(synthesis.paths PROPERTIES LABELS fast TIMEOUT 60)

# SPDX-License-Identifier: Apache-2.0
# add_rtl_block(<name> [WIDTHS <w>...] [PARAMS <P=v>...] [PROOF_DEPTH <n>] [PROOF_PARAMS <P=v>...]
#               [PROOF_TOP <module>] [PROOF_SMT] [SLOW] [OPTIMIZE] [NO_NETLIST] [SOAK]
#               [SOAK_NETLIST] [SUFFIX <s>])
#
# Called from the block.cmake of the folder <name>; the top module is roci_<name>.
#
#   lint.<name>          Verilator -Wall, no warning
#   rtl.<name>           the folder's *_test.cpp on the verilated source
#   netlist.<name>       the same test on what Yosys makes of the source (not with NO_NETLIST)
#   proof.<name>         assertions by induction from depth n, covers reached (with PROOF_DEPTH);
#                        of a sub-module with PROOF_TOP; PROOF_SMT as SMT of add_rtl_proof
#
# Netlists and proofs are long runs; synthesis.tested holds that they have passed (syn/tested.py).
# With WIDTHS there is a set for each value of the parameter DataWidth, with the suffix _<w>; the
# test sees DATA_WIDTH. A further set, with other PARAMS, has a SUFFIX; the test sees each parameter
# as RTL_<P>. With SOAK, rtl.* is a long run: widths that no engine is offered with.
# synthesis.tested leaves out netlists with SOAK or SOAK_NETLIST, of tops that take minutes, whose
# blocks have netlists too, and those of other widths than 64. With OPTIMIZE the compiler optimizes
# the model: its test simulates so much that this takes less time than it saves.
# Modules are found by file name: roci_x is in some folder's roci_x.sv.

# Without Verilator there are no engines and no tests of blocks; without Yosys and z3 there are no
# netlists, proofs and synthesis.
find_program(VERILATOR verilator)
find_program(YOSYS yosys)
find_program(YOSYS_ABC yosys-abc)
find_program(YOSYS_SMTBMC yosys-smtbmc)
find_program(Z3 z3)
set(RTL_DIR ${CMAKE_CURRENT_LIST_DIR})

if(VERILATOR)
  execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(VLT_INC ${VERILATOR_ROOT}/include)
# Verilator's functions are long: GCC's searches for values that are there already take half of its
# time over them, and make the simulation no faster.
set(VLT_OPTIONS -w)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND VLT_OPTIONS -fno-gcse -fno-tree-pre --param=sccvn-max-alias-queries-per-access=100
              --param=dse-max-alias-queries-per-store=32)
endif()

# Makes adapters several times slower; testbench/tools/coverage builds them so, in a folder of its
# own.
set(ROCI_COVERAGE "" CACHE STRING "count in the adapter's RTL: line, toggle")
set(VLT_COVERAGE 0)
if(ROCI_COVERAGE)
  set(VLT_COVERAGE 1)
endif()

# The runtime, compiled once for all models; `verilated_fst` adds waveforms.
if(VERILATOR AND NOT TARGET verilated)
  add_library(verilated STATIC ${VLT_INC}/verilated.cpp ${VLT_INC}/verilated_threads.cpp
                               $<${VLT_COVERAGE}:${VLT_INC}/verilated_cov.cpp>)
  target_include_directories(verilated SYSTEM PUBLIC ${VLT_INC} ${VLT_INC}/vltstd)
  target_compile_definitions(verilated PUBLIC VERILATOR=1 VM_SC=0
                             VM_COVERAGE=${VLT_COVERAGE})
  target_compile_options(verilated PRIVATE -w -O2)
  set_target_properties(verilated PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(verilated PUBLIC Threads::Threads)
endif()

# Every source; tools pick what the top module needs. Files of tests only end in _tb.sv.
file(GLOB_RECURSE RTL_SOURCES CONFIGURE_DEPENDS ${RTL_DIR}/*.sv)
list(FILTER RTL_SOURCES EXCLUDE REGEX "/syn/|roci_pkg.sv$")
set(RTL_SEARCH)
foreach(source ${RTL_SOURCES})
  get_filename_component(dir ${source} DIRECTORY)
  list(APPEND RTL_SEARCH -I${dir})
endforeach()
list(REMOVE_DUPLICATES RTL_SEARCH)
set(RTL_INCLUDES -I${RTL_DIR}/common)  # assert.svh

# verilate_one(<target> <top> FLAGS ... SOURCES ... [OPT -O1] [PREFIX V<top>] [TRACE]
#              [LIKE <target>]):
# library <target> with the class <PREFIX>, which must have the ports of that of the target LIKE.
function(verilate_one target top)
  cmake_parse_arguments(V "TRACE" "OPT;PREFIX;LIKE" "FLAGS;SOURCES" ${ARGN})
  if(NOT V_OPT)
    set(V_OPT -O1)
  endif()
  if(NOT V_PREFIX)
    set(V_PREFIX V${top})
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target})
  if(V_TRACE)
    list(APPEND V_FLAGS --trace-fst)
  endif()
  set(like)
  if(V_LIKE)
    set(like_header ${CMAKE_CURRENT_BINARY_DIR}/${V_LIKE}/${V_PREFIX}.h)
    set(like --like ${like_header})
  endif()
  add_custom_command(
    OUTPUT ${dir}/all.cpp ${dir}/${V_PREFIX}.h
    COMMAND Python3::Interpreter ${RTL_DIR}/verilate.py ${like} ${VERILATOR} ${PROJECT_SOURCE_DIR}
            ${dir} ${V_PREFIX} --assert -O3 --x-assign unique --x-initial unique --top-module ${top}
            ${V_FLAGS} ${V_SOURCES}
    DEPENDS ${V_SOURCES} ${like_header} ${RTL_DIR}/verilate.py DEPFILE ${dir}/all.cpp.d VERBATIM)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${dir}/all.cpp)
  target_include_directories(${target} SYSTEM PUBLIC ${dir})
  target_compile_options(${target} PRIVATE ${V_OPT} ${VLT_OPTIONS})
  if(V_TRACE)
    target_link_libraries(${target} PUBLIC verilated verilated_fst)
  else()
    target_link_libraries(${target} PUBLIC verilated)
  endif()
endfunction()

if(VERILATOR AND NOT TARGET verilated_fst)
  add_library(verilated_fst STATIC EXCLUDE_FROM_ALL ${VLT_INC}/verilated_fst_c.cpp)
  target_compile_options(verilated_fst PRIVATE -w -O2)
  set_target_properties(verilated_fst PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(verilated_fst PUBLIC verilated z)
endif()

# keep_result(<test> <module or block> [<option>...]): syn/tested.py keeps the result of a test that
# follows from the module, the options and the tools alone.
function(keep_result)
  list(JOIN ARGN " " line)
  set_property(GLOBAL APPEND PROPERTY ROCI_TESTED "${line}")
endfunction()

# add_rtl_proof(<name> TOP <module> DEPTH <n> [COVER <n>] [PARAMS <P=v>...] [SMT] [PDR]):
# proof.<name>, by induction of n clocks and from reset; covers within n, or COVER, clocks.
# SMT: by z3, where ABC's solver takes longer. PDR: by an invariant that ABC finds.
function(add_rtl_proof name)
  cmake_parse_arguments(PROOF "SMT;PDR" "TOP;DEPTH;COVER" "PARAMS" ${ARGN})
  if(NOT YOSYS_ABC OR NOT YOSYS_SMTBMC OR NOT Z3)
    return()
  endif()
  if(NOT PROOF_COVER)
    set(PROOF_COVER ${PROOF_DEPTH})
  endif()
  set(smt)
  if(PROOF_SMT)
    set(smt --smt)
  elseif(PROOF_PDR)
    set(smt --pdr)
  endif()
  add_test(NAME proof.${name} COMMAND Python3::Interpreter ${RTL_DIR}/prove.py ${smt} ${PROOF_TOP}
           ${PROOF_DEPTH} ${PROOF_COVER} ${CMAKE_CURRENT_BINARY_DIR}/proofs/${name}
           ${PROOF_PARAMS})
  set_tests_properties(proof.${name} PROPERTIES LABELS "proof;soak" TIMEOUT 3600)
  keep_result(proof.${name} ${PROOF_TOP} ${PROOF_DEPTH} ${PROOF_COVER} ${smt} ${PROOF_PARAMS})
endfunction()

# build_when_selected(<fixture> <target>): leaves the target out of `all`; the test build.<fixture>
# builds it before the tests that require the fixture. One at a time, as the build folder demands.
function(build_when_selected fixture target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_test(NAME build.${fixture} COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
           --target ${target})
  set_tests_properties(build.${fixture} PROPERTIES LABELS soak TIMEOUT 3600
                       FIXTURES_SETUP ${fixture} RESOURCE_LOCK build)
endfunction()

function(add_rtl_variant name suffix width)
  cmake_parse_arguments(BLOCK "SLOW;OPTIMIZE;NO_NETLIST;SOAK;SOAK_NETLIST;PROOF_SMT"
    "PROOF_DEPTH;PROOF_TOP;SUFFIX" "WIDTHS;PARAMS;PROOF_PARAMS" ${ARGN})
  if(NOT BLOCK_PROOF_TOP)
    set(BLOCK_PROOF_TOP roci_${name})
  endif()
  set(top roci_${name})
  set(id ${name}${suffix})
  set(source ${BLOCK_DIR}/${top}.sv)
  set(pkg ${RTL_DIR}/lint.vlt ${RTL_DIR}/roci_pkg.sv)
  set(params ${BLOCK_PARAMS})
  if(width)
    list(APPEND params DataWidth=${width})
  endif()
  set(gflags)
  foreach(p ${params})
    list(APPEND gflags -G${p})
  endforeach()
  set(labels fast)
  if(BLOCK_SLOW)
    set(labels slow)
  endif()

  add_test(NAME lint.${id} COMMAND ${VERILATOR} --lint-only -Wall --assert ${RTL_INCLUDES}
           ${RTL_SEARCH} ${gflags} --top-module ${top} ${pkg} ${source})

  set(kinds rtl netlist)
  if(BLOCK_NO_NETLIST OR NOT YOSYS)
    set(kinds rtl)
  endif()
  # Most tests of blocks are short: optimization costs more than it saves.
  set(optimization $<IF:$<BOOL:${BLOCK_OPTIMIZE}>,-O1,-O0>)
  verilate_one(V_${id} ${top} OPT ${optimization} FLAGS ${RTL_INCLUDES} ${RTL_SEARCH} ${gflags}
               SOURCES ${pkg} ${source})
  if("netlist" IN_LIST kinds)
    if(NOT BLOCK_SOAK AND NOT BLOCK_SOAK_NETLIST AND NOT (width AND NOT width EQUAL 64))
      keep_result(netlist.${id} ${name} ${params})
    endif()
    set(netlist ${CMAKE_CURRENT_BINARY_DIR}/${id}_netlist.v)
    add_custom_command(OUTPUT ${netlist} DEPENDS ${source} ${RTL_DIR}/yosys.py
      DEPFILE ${netlist}.d VERBATIM
      COMMAND Python3::Interpreter ${RTL_DIR}/yosys.py netlist ${top} ${netlist} ${params})
    set(optimization $<IF:$<BOOL:${BLOCK_SOAK_NETLIST}>,-O1,-O0>)
    verilate_one(N_${id} ${top} LIKE V_${id} OPT ${optimization}
                 SOURCES ${RTL_DIR}/netlist.vlt ${netlist})
  endif()

  # A test is compiled once, for the source and for the netlist.
  file(GLOB test_sources CONFIGURE_DEPENDS ${BLOCK_DIR}/*_test.cpp)
  set(test ${id}_test)
  add_library(${test} OBJECT EXCLUDE_FROM_ALL ${test_sources})
  compile_together(${test})
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR})
  if(width)
    target_compile_definitions(${test} PRIVATE DATA_WIDTH=${width})
  endif()
  foreach(p ${BLOCK_PARAMS})
    target_compile_definitions(${test} PRIVATE RTL_${p})
  endforeach()
  set(libraries spec doctest_main z)
  if(TARGET packet)
    list(APPEND libraries packet)
  endif()
  target_link_libraries(${test} PRIVATE V_${id} ${libraries})
  foreach(kind ${kinds})
    set(verilated_rtl V_${id})
    set(verilated_netlist N_${id})
    set(program ${kind}_${id}_test)
    add_executable(${program} $<TARGET_OBJECTS:${test}>)
    target_link_libraries(${program} PRIVATE ${verilated_${kind}} ${libraries})
    # Tests find their data from the root: a path of this clone in the program would be wrong in an
    # object that ccache kept from another clone.
    add_test(NAME ${kind}.${id} COMMAND ${program} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${kind}.${id} PROPERTIES LABELS "${labels}" TIMEOUT 300)
    if(BLOCK_SOAK OR "${kind}" STREQUAL "netlist")
      build_when_selected(${kind}.${id} ${program})
      set_tests_properties(${kind}.${id} PROPERTIES LABELS soak TIMEOUT 3600
                           FIXTURES_REQUIRED ${kind}.${id})
    endif()
  endforeach()

  if(BLOCK_PROOF_DEPTH)
    set(smt)
    if(BLOCK_PROOF_SMT)
      set(smt SMT)
    endif()
    add_rtl_proof(${id} TOP ${BLOCK_PROOF_TOP} DEPTH ${BLOCK_PROOF_DEPTH} PARAMS
      ${BLOCK_PROOF_PARAMS} ${smt})
  endif()
endfunction()

function(add_rtl_block name)
  cmake_parse_arguments(BLOCK "SLOW;OPTIMIZE;NO_NETLIST;SOAK;SOAK_NETLIST;PROOF_SMT"
    "PROOF_DEPTH;PROOF_TOP;SUFFIX" "WIDTHS;PARAMS;PROOF_PARAMS" ${ARGN})
  if(BLOCK_WIDTHS)
    foreach(width ${BLOCK_WIDTHS})
      add_rtl_variant(${name} ${BLOCK_SUFFIX}_${width} ${width} ${ARGN})
    endforeach()
  else()
    add_rtl_variant(${name} "${BLOCK_SUFFIX}" "" ${ARGN})
  endif()
endfunction()

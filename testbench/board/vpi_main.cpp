// SPDX-License-Identifier: Apache-2.0
// A verilated module under a program that drives it by VPI, as cocotb does.
//
// usage: <program> LIBRARY: the shared library of VPI, such as libcocotbvpi_verilator.so
//
// The library is loaded when the program runs, so that the build needs no Python package.
#include <dlfcn.h>
#include <verilated.h>
#include <verilated_vpi.h>

#include <cstdio>
#include <memory>

#include MODEL_HEADER

namespace {

/// Value changes may cause further ones.
bool settle_changes() {
  bool any = false;
  while (VerilatedVpi::callValueCbs()) any = true;
  return any;
}

void simulate(VerilatedContext& context, MODEL& model) {
  VerilatedVpi::callCbs(cbStartOfSimulation);
  while (!context.gotFinish()) {
    VerilatedVpi::callTimedCbs();
    settle_changes();
    bool again = true;
    while (again) {
      model.eval_step();
      again = settle_changes();
      again |= VerilatedVpi::callCbs(cbReadWriteSynch);
      again |= settle_changes();
    }
    model.eval_end_step();
    VerilatedVpi::callCbs(cbReadOnlySynch);
    const QData next = VerilatedVpi::cbNextDeadline();
    if (next == ~QData{0}) break;
    context.time(next);
    VerilatedVpi::callCbs(cbNextSimTime);
    settle_changes();
  }
  VerilatedVpi::callCbs(cbEndOfSimulation);
  model.final();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  VerilatedContext context;
  context.commandArgs(argc, argv);
  context.fatalOnVpiError(false);  // a name that the module does not have is no error
  const auto model = std::make_unique<MODEL>(&context, "");
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  using Start = void (*)();
  Start start = library == nullptr
                    ? nullptr
                    : reinterpret_cast<Start>(dlsym(library, "vlog_startup_routines_bootstrap"));
  if (start == nullptr) {
    std::fprintf(stderr, "%s: %s\n", argv[1], dlerror());
    return 1;
  }
  start();
  simulate(context, *model);
  return 0;
}

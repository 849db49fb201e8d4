// SPDX-License-Identifier: Apache-2.0
// A verilated module under a program that drives it by VPI, as cocotb does.
//
// usage: <program> LIBRARY [CLOCK=HALF_PS ...]
//
// LIBRARY is the shared library of VPI, such as libcocotbvpi_verilator.so, which is loaded when the
// program runs, so that the build needs no Python package. The program itself toggles the clocks,
// by their full names, after as many ps: a simulator whose test sleeps runs at its own speed.
#include <dlfcn.h>
#include <verilated.h>
#include <verilated_vpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include MODEL_HEADER

namespace {

/// Value changes may cause further ones.
bool settle_changes() {
  bool any = false;
  while (VerilatedVpi::callValueCbs()) any = true;
  return any;
}

struct Clock {
  vpiHandle signal;
  QData half, next;
  int level = 0;

  void toggle() {
    level = 1 - level;
    next += half;
    s_vpi_value value{};
    value.format = vpiIntVal;
    value.value.integer = level;
    vpi_put_value(signal, &value, nullptr, vpiNoDelay);
  }
};

/// "CLOCK=HALF_PS"
bool add_clock(std::vector<Clock>& clocks, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  std::string name = text.substr(0, equals);
  const QData half = std::strtoull(text.c_str() + equals + 1, nullptr, 10);
  const vpiHandle signal = vpi_handle_by_name(name.data(), nullptr);
  if (signal == nullptr || half == 0) return false;
  clocks.push_back({signal, half, half});
  return true;
}

void simulate(VerilatedContext& context, MODEL& model, std::vector<Clock>& clocks) {
  VerilatedVpi::callCbs(cbStartOfSimulation);
  while (!context.gotFinish()) {
    for (Clock& clock : clocks) {
      if (clock.next == context.time()) clock.toggle();
    }
    settle_changes();
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
    QData next = VerilatedVpi::cbNextDeadline();
    for (const Clock& clock : clocks) next = std::min(next, clock.next);
    if (next == ~QData{0}) break;
    context.time(next);
    VerilatedVpi::callCbs(cbNextSimTime);
    settle_changes();
  }
  VerilatedVpi::callCbs(cbEndOfSimulation);
  model.final();
}

}  // namespace

#ifdef VL_USER_FINISH
/// An assertion of a design that calls $finish: it is printed, and the simulation goes on. That of
/// VPI has no file.
void vl_finish(const char* file, int line, const char*) {
  if (file == nullptr || *file == 0) return Verilated::threadContextp()->gotFinish(true);
  std::fflush(stdout);
  std::fprintf(stderr, "$finish in %s:%d\n", file, line);
}
#endif

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s LIBRARY [CLOCK=HALF_PS ...]\n", argv[0]);
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
  model->eval();
  std::vector<Clock> clocks;
  for (int i = 2; i < argc; ++i) {
    if (add_clock(clocks, argv[i])) continue;
    std::fprintf(stderr, "%s: no such clock\n", argv[i]);
    return 1;
  }
  simulate(context, *model, clocks);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each adds itself to the command line and sets its action, which runs
// after the line was parsed. A command returns its exit status: 0 for success.
#pragma once

#include <functional>
#include <string>

#include "sim/command_line.hpp"

namespace roci::sim {

using Action = std::function<int()>;

/// What the program is, for its help and its manual page.
inline constexpr const char* kProgramText =
    "Rocinante: two cycle-accurate RoCE v2 adapters and a link between them";

/// Adds the commands of this program; each program defines it.
void add_commands(Command program, Action& action);
/// Adds those of `roci` except conform and soak.
void add_program_commands(Command program, Action& action);

void add_demo(Command program, Action& action);
void add_transfer(Command program, Action& action);
void add_bench(Command program, Action& action);
void add_devices(Command program, Action& action);
/// `suite`: the version of the program, for reports.
void add_conform(Command program, Action& action, const std::string& suite = {});
void add_soak(Command program, Action& action);
/// Adds conform and soak to a program that leaves them to `roci-verify`.
void add_verify(Command program, Action& action);
inline constexpr const char* kConformText =
    "test the adapter against the statements of conformance";
inline constexpr const char* kSoakText =
    "random work requests, faults and queue pair resets, under all invariants";
void add_up(Command program, Action& action);
void add_down(Command program, Action& action);
void add_status(Command program, Action& action);
void add_top(Command program, Action& action);
void add_fault(Command program, Action& action);
void add_link(Command program, Action& action);
void add_exec(Command program, Action& action);

/// Adds --name, the name of a simulator in the background.
void add_instance_name(Command program, std::string& name);
void add_peer(Command program, Action& action);
void add_interop(Command program, Action& action);

}  // namespace roci::sim

// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each adds itself to the command line and sets its action, which runs
// after the line was parsed. A command returns its exit status: 0 for success.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace roci::sim {

using Action = std::function<int()>;

/// What the program is, for its help and its manual page.
inline constexpr const char* kProgramText =
    "Rocinante: two cycle-accurate RoCE v2 adapters and a link between them";

/// Adds the commands of this program; each program defines it.
void add_commands(CLI::App& app, Action& action);
/// Adds those of `roci` except conform and soak.
void add_program_commands(CLI::App& app, Action& action);

void add_demo(CLI::App& app, Action& action);
void add_transfer(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_conform(CLI::App& app, Action& action);
void add_soak(CLI::App& app, Action& action);
/// Adds conform and soak to a program that leaves them to `roci-verify`.
void add_verify(CLI::App& app, Action& action);
inline constexpr const char* kConformText =
    "test the adapter against the statements of conformance";
inline constexpr const char* kSoakText =
    "random work requests, faults and queue pair resets, under all invariants";
void add_up(CLI::App& app, Action& action);
void add_down(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_top(CLI::App& app, Action& action);
void add_fault(CLI::App& app, Action& action);
void add_link(CLI::App& app, Action& action);
void add_exec(CLI::App& app, Action& action);

/// Adds --name, the name of a simulator in the background.
void add_instance_name(CLI::App& app, std::string& name);
void add_peer(CLI::App& app, Action& action);
void add_interop(CLI::App& app, Action& action);

}  // namespace roci::sim

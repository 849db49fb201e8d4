// SPDX-License-Identifier: Apache-2.0
// roci peer: one node on an external port, against another implementation.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/peer/run.hpp"

namespace roci::sim {
namespace {

const std::map<std::string, driver::Opcode> kOperations = {
    {"send", driver::Opcode::kSend},   {"send_imm", driver::Opcode::kSendImm},
    {"write", driver::Opcode::kWrite}, {"write_imm", driver::Opcode::kWriteImm},
    {"read", driver::Opcode::kRead},   {"fadd", driver::Opcode::kFetchAdd},
    {"cas", driver::Opcode::kCmpSwap}};
const std::map<std::string, PeerFault> kFaults = {{"none", PeerFault::kNone},
                                                  {"bad_rkey", PeerFault::kBadRkey},
                                                  {"out_of_bounds", PeerFault::kOutOfBounds},
                                                  {"no_permission", PeerFault::kNoPermission},
                                                  {"no_receive", PeerFault::kNoReceive},
                                                  {"late_receive", PeerFault::kLateReceive},
                                                  {"killed", PeerFault::kKilled}};

template <typename Value>
void add_choice(Command command, const std::string& name, const std::map<std::string, Value>& among,
                Value& target, const std::string& text) {
  std::vector<std::string> words;
  words.reserve(among.size());
  for (const auto& [word, value] : among) words.push_back(word);
  command
      .add_parsed(
          name, [&among, &target](const std::string& word) { target = among.at(word); }, text)
      .one_of(words)
      .type_name("NAME");
}

template <typename Value>
void add_number(Command command, const std::string& name, Value& target, double least, double most,
                const std::string& text) {
  command.add_option(name, target, text).range(least, most).type_name("N").show_default();
}

}  // namespace

void add_peer(Command program, Action& action) {
  auto options = std::make_shared<PeerOptions>();
  const Command command =
      program.add_command("peer", "run one node on an external port against a peer");
  PeerPlan& plan = options->plan;
  add_wire_options(command, options->wire);
  command.option("--wire").required();
  command.add_option("--listen", options->listen, "wait for the peer at this TCP port")
      .type_name("[HOST:]PORT");
  command.add_option("--connect", options->connect, "connect to the peer there")
      .type_name("HOST:PORT");
  command
      .add_parsed(
          "--role", [&plan](const std::string& role) { plan.requester = role == "requester"; },
          "requester or responder [requester]")
      .one_of({"requester", "responder"})
      .type_name("NAME");
  add_choice(command, "--op", kOperations, plan.op,
             "send, send_imm, write, write_imm, read, fadd or cas [write]");
  command.add_option("--sizes", plan.sizes, "bytes of the messages, one after the other")
      .delimiter(',')
      .range(0, 1 << 30)
      .type_name("N,N,...")
      .show_default();
  add_number(command, "--count", plan.count, 1, 100000, "messages of each size, per queue pair");
  add_number(command, "--depth", plan.depth, 1, 1024, "messages outstanding on a queue pair");
  add_number(command, "--qps", plan.queue_pairs, 1, 64, "queue pairs");
  add_number(command, "--psn", plan.psn, 0, 0xFFFFFF, "first PSN of this side");
  add_number(command, "--retry", plan.retry, 0, 7, "retry count");
  add_number(command, "--rnr-retry", plan.rnr_retry, 0, 7, "RNR retry count, 7: no limit");
  add_number(command, "--rnr-timer", plan.rnr_timer, 0, 31, "code of the RNR timer");
  command
      .add_parsed(
          "--family", [&plan](const std::string& family) { plan.ipv6 = std::stoul(family) == 6; },
          "4 or 6 [4]")
      .one_of({4, 6})
      .type_name("N");
  add_choice(command, "--fault", kFaults, plan.fault,
             "none, bad_rkey, out_of_bounds, no_permission, no_receive, late_receive or killed");
  add_number(command, "--expect", plan.expect, 0, 21, "status of the first failed completion");
  command.add_option("--file", options->file, "requester: carry this file, in messages of --sizes")
      .type_name("FILE");
  command.add_option("--out", options->out, "responder: write the received file").type_name("FILE");
  command.add_flag("--idle", options->idle, "no traffic: respond until interrupted");
  command.add_flag("--progress", options->progress, "a line for each message");
  options->world.timeout = plan.timeout;
  add_world_options(command, options->world);
  command.callback([options, &action] {
    options->plan.mtu = options->world.mtu;
    options->plan.carries_file = !options->file.empty() || !options->out.empty();
    options->plan.timeout = static_cast<std::uint8_t>(options->world.timeout);
    action = [options] {
      run_peer(*options);
      return 0;
    };
  });
}

}  // namespace roci::sim

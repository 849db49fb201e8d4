// SPDX-License-Identifier: Apache-2.0
// The words of scripts: names of fields, and of values that are chosen by name.
#pragma once

#include <map>
#include <set>
#include <string>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"
#include "sim/faults/rule.hpp"

namespace roci::sim::faults {

inline std::map<std::string, Action> all_actions() {
  std::map<std::string, Action> all;
  for (unsigned i = 0; i <= static_cast<unsigned>(Action::kStopCompletions); ++i) {
    all.emplace(name_of(Action(i)), Action(i));
  }
  return all;
}
inline const std::map<std::string, Action> kActions = all_actions();
inline const std::map<std::string, Direction> kDirections = {
    {"out", Direction::kOut}, {"in", Direction::kIn}, {"both", Direction::kBoth}};
inline const std::map<std::string, Position> kPositions = {{"first", Position::kFirst},
                                                           {"middle", Position::kMiddle},
                                                           {"last", Position::kLast},
                                                           {"only", Position::kOnly}};
inline const std::map<std::string, Access> kAccesses = {{"read", Access::kRead},
                                                        {"write", Access::kWrite}};
inline const std::map<std::string, Area> kAreas = {
    {"payload", Area::kPayload}, {"queue", Area::kQueue}, {"completion", Area::kCompletion}};
inline const std::map<std::string, cm::Attribute> kCmMessages = {
    {"REQ", cm::Attribute::kReq},          {"MRA", cm::Attribute::kMra},
    {"REJ", cm::Attribute::kRej},          {"REP", cm::Attribute::kRep},
    {"RTU", cm::Attribute::kRtu},          {"DREQ", cm::Attribute::kDreq},
    {"DREP", cm::Attribute::kDrep},        {"SIDR_REQ", cm::Attribute::kSidrReq},
    {"SIDR_REP", cm::Attribute::kSidrRep}, {"LAP", cm::Attribute::kLap},
    {"APR", cm::Attribute::kApr}};
inline const std::map<std::string, std::uint8_t> kCodes = {
    {"sequence", layout::syndrome::kNakSequence},
    {"rnr", layout::syndrome::kRnrNak},
    {"invalid_request", layout::syndrome::kNakInvalid},
    {"access", layout::syndrome::kNakAccess},
    {"operational", layout::syndrome::kNakOperational}};
// RETH and AtomicETH begin with the same address and key.
static_assert(layout::reth::va.offset == layout::atomic_eth::va.offset &&
              layout::reth::rkey.offset == layout::atomic_eth::rkey.offset);
inline const std::map<std::string, HeaderField> kFields = {
    {"opcode", {"opcode", {}, layout::bth::opcode}},
    {"version", {"version", {}, layout::bth::version}},
    {"pkey", {"pkey", {}, layout::bth::pkey}},
    {"dest_qp", {"dest_qp", {}, layout::bth::dest_qp}},
    {"psn", {"psn", {}, layout::bth::psn}},
    {"ack_req", {"ack_req", {}, layout::bth::ack_req}},
    {"address", {"address", packet::Ext::kReth, layout::reth::va, packet::Ext::kAtomicEth}},
    {"rkey", {"rkey", packet::Ext::kReth, layout::reth::rkey, packet::Ext::kAtomicEth}},
    {"length", {"length", packet::Ext::kReth, layout::reth::dma_length}},
    {"syndrome", {"syndrome", packet::Ext::kAeth, layout::aeth::syndrome}},
    {"msn", {"msn", packet::Ext::kAeth, layout::aeth::msn}},
    {"immediate", {"immediate", packet::Ext::kImmDt, layout::imm_dt::immediate}},
    {"qkey", {"qkey", packet::Ext::kDeth, layout::deth::qkey}}};

// The fields that a table may have: of every fault, of those on packets, and of each action.
inline const std::set<std::string> kAlways = {"action", "name",  "node", "process", "program",
                                              "nth",    "every", "from", "to"};
inline const std::set<std::string> kOfPackets = {"direction",      "peer",    "queue_pair",
                                                 "nth_queue_pair", "opcode",  "position",
                                                 "psn_offset",     "message", "cm"};
inline const std::map<Action, std::set<std::string>> kOfAction = {
    {Action::kDrop, {}},
    {Action::kDelay, {"delay"}},
    {Action::kDuplicate, {"copies"}},
    {Action::kReorder, {"after"}},
    {Action::kCorrupt, {"field", "value", "offset", "repair"}},
    {Action::kNak, {"code", "timer", "delay"}},
    {Action::kUnplug, {"time"}},
    {Action::kFailMemory, {"access", "area"}},
    {Action::kKill, {}},
    {Action::kMarkEcn, {}},
    {Action::kStopCompletions, {"queue_pair", "nth_queue_pair", "time", "completions"}}};

}  // namespace roci::sim::faults

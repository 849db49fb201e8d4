// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/registry.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "driver/context.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

namespace roci::sim::faults {
namespace {

using layout::AdminOp;

constexpr unsigned kBlockBytes = 64;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Start time in ticks, field 22 of /proc/PID/stat; 0: no such process.
std::uint64_t start_of(pid_t pid) {
  const std::string text = contents("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr unsigned kBefore = 19;  // fields between the name and the start time
  std::string skipped;
  for (unsigned i = 0; i < kBefore; ++i) fields >> skipped;
  std::uint64_t started = 0;
  fields >> started;
  return started;
}

std::vector<std::string> names_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::error_code none;
  std::string comm = contents(folder + "/comm");
  if (!comm.empty()) comm.pop_back();  // the end of the line
  const std::string words = contents(folder + "/cmdline");
  const std::filesystem::path first(words.substr(0, words.find('\0')));
  return {std::filesystem::read_symlink(folder + "/exe", none).filename().string(), comm,
          first.filename().string()};
}

}  // namespace

void Registry::joined(std::uint32_t pasid, pid_t pid) {
  for (auto one = processes_.begin(); one != processes_.end();) {
    one = start_of(one->first) == one->second.started ? std::next(one) : processes_.erase(one);
  }
  pids_[pasid] = pid;
  const auto [at, is_new] = processes_.try_emplace(pid);
  if (is_new) at->second.started = start_of(pid);
  at->second.pid = pid;
  at->second.names = names_of(pid);
}

void Registry::left(std::uint32_t pasid) {
  for (auto pair = pairs_.begin(); pair != pairs_.end();) {
    pair = pair->second.pasid == pasid ? pairs_.erase(pair) : std::next(pair);
  }
  for (auto ring = rings_.begin(); ring != rings_.end();) {
    ring = ring->second.pasid == pasid ? rings_.erase(ring) : std::next(ring);
  }
  pids_.erase(pasid);
}

void Registry::created(unsigned adapter, std::uint32_t pasid, const driver::Body& body,
                       std::uint32_t number) {
  using namespace layout::create_qp;
  QueuePair pair;
  pair.number = number;
  pair.pasid = pasid;
  pair.pid = pids_[pasid];
  pair.nth = ++processes_[pair.pid].made;
  pairs_[{adapter, number}] = pair;
  const auto bytes = [&](auto log, auto stride_log) {
    return std::uint64_t{kBlockBytes} << (body.get(log) + body.get(stride_log));
  };
  rings_[{adapter, Kind::kSend, number}] = {pasid, Area::kQueue, body.get(sq_base),
                                            bytes(sq_log, sq_stride_log)};
  if (body.get(srq) == 0) {
    rings_[{adapter, Kind::kReceive, number}] = {pasid, Area::kQueue, body.get(rq_base),
                                                 bytes(rq_log, rq_stride_log)};
  }
}

void Registry::modified(QueuePair& pair, const driver::Body& body) {
  using namespace layout::qp_attributes;
  const auto mask = static_cast<std::uint32_t>(body.get(attr_mask));
  const auto given = [&](std::uint32_t bit) { return (mask & bit) != 0; };
  const auto word = [&](auto place) { return static_cast<std::uint32_t>(body.get(place)); };
  if (given(layout::qp_mask::kDestQpn)) pair.peer = word(dest_qpn);
  if (given(layout::qp_mask::kSqPsn)) {
    pair.sq_psn = word(sq_psn);
    pair.sends = ++generation_;
  }
  if (given(layout::qp_mask::kRqPsn)) {
    pair.rq_psn = word(rq_psn);
    pair.receives = ++generation_;
  }
  if (given(layout::qp_mask::kPathMtu)) pair.mtu = transport::pmtu_bytes(word(path_mtu));
  if (!given(layout::qp_mask::kAv)) return;
  pair.peer_gid = driver::gid_of_halves(body.get(dgid_hi), body.get(dgid_lo));
}

void Registry::done(unsigned adapter, std::uint32_t pasid, AdminOp opcode, const driver::Body& body,
                    const driver::Body& reply) {
  const auto word = [&](auto place) { return static_cast<std::uint32_t>(body.get(place)); };
  const auto completions = [&](std::uint32_t number, auto base, auto log) {
    rings_[{adapter, Kind::kCompletion, number}] = {
        pasid, Area::kCompletion, body.get(base),
        std::uint64_t{layout::cqe::kBytes} << body.get(log)};
  };
  switch (opcode) {
    case AdminOp::kCreateQp:
      return created(adapter, pasid, body,
                     static_cast<std::uint32_t>(reply.get(layout::create_qp_reply::qpn)));
    case AdminOp::kModifyQp: {
      const auto pair = pairs_.find({adapter, word(layout::qp_attributes::qpn)});
      if (pair != pairs_.end()) modified(pair->second, body);
      return;
    }
    case AdminOp::kDestroyQp: {
      const std::uint32_t number = word(layout::destroy_qp::qpn);
      pairs_.erase({adapter, number});
      rings_.erase({adapter, Kind::kSend, number});
      rings_.erase({adapter, Kind::kReceive, number});
      return;
    }
    case AdminOp::kCreateCq:
      return completions(static_cast<std::uint32_t>(reply.get(layout::create_cq_reply::cqn)),
                         layout::create_cq::base, layout::create_cq::log_entries);
    case AdminOp::kResizeCq:
      return completions(word(layout::resize_cq::cqn), layout::resize_cq::base,
                         layout::resize_cq::log_entries);
    case AdminOp::kDestroyCq:
      rings_.erase({adapter, Kind::kCompletion, word(layout::destroy_cq::cqn)});
      return;
    case AdminOp::kCreateSrq:
      rings_[{adapter, Kind::kShared,
              static_cast<std::uint32_t>(reply.get(layout::create_srq_reply::srqn))}] = {
          pasid, Area::kQueue, body.get(layout::create_srq::base),
          std::uint64_t{kBlockBytes}
              << (body.get(layout::create_srq::log) + body.get(layout::create_srq::stride_log))};
      return;
    case AdminOp::kDestroySrq:
      rings_.erase({adapter, Kind::kShared, word(layout::destroy_srq::srqn)});
      return;
    default:
      return;
  }
}

const QueuePair* Registry::queue_pair(unsigned adapter, std::uint32_t number) const {
  const auto found = pairs_.find({adapter, number});
  return found == pairs_.end() ? nullptr : &found->second;
}

std::vector<QueuePair> Registry::queue_pairs(unsigned adapter) const {
  std::vector<QueuePair> found;
  for (const auto& [name, pair] : pairs_) {
    if (name.first == adapter) found.push_back(pair);
  }
  return found;
}

const QueuePair* Registry::connected(unsigned adapter, const packet::Gid& gid,
                                     std::uint32_t number) const {
  for (auto pair = pairs_.lower_bound({adapter, 0});
       pair != pairs_.end() && pair->first.first == adapter; ++pair) {
    if (pair->second.peer == number && pair->second.peer_gid == gid) return &pair->second;
  }
  return nullptr;
}

const Process* Registry::process(std::uint32_t pasid) const {
  const auto pid = pids_.find(pasid);
  const auto found = pid == pids_.end() ? processes_.end() : processes_.find(pid->second);
  return found == processes_.end() ? nullptr : &found->second;
}

const Process* Registry::process_of(const QueuePair& pair) const { return process(pair.pasid); }

Area Registry::area(std::uint32_t pasid, std::uint64_t address) const {
  for (const auto& [name, ring] : rings_) {
    if (ring.pasid == pasid && address - ring.base < ring.bytes) return ring.area;
  }
  return Area::kPayload;
}

std::optional<std::uint32_t> Registry::completion_queue(unsigned adapter, std::uint32_t pasid,
                                                        std::uint64_t address) const {
  for (const auto& [name, ring] : rings_) {
    const auto& [owner, kind, number] = name;
    if (kind == Kind::kCompletion && owner == adapter && ring.pasid == pasid &&
        address - ring.base < ring.bytes) {
      return number;
    }
  }
  return {};
}

bool Registry::has(const std::vector<unsigned>& adapters, std::uint32_t number) const {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
    const bool here = adapters.empty() || std::find(adapters.begin(), adapters.end(),
                                                    pair.first.first) != adapters.end();
    return here && pair.first.second == number;
  });
}

}  // namespace roci::sim::faults

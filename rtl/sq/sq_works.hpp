// SPDX-License-Identifier: Apache-2.0
// Work requests that the tests of the send side post, and lists that they compare.
#pragma once

#include <utility>

#include "rtl/sq/sq_bench.hpp"

namespace sq_bench {

inline Work write_of(std::uint32_t len, std::uint64_t from = kDataBase, std::uint64_t to = 0) {
  Work w;
  w.op = WrOp::kWrite;
  if (len) w.list = {{from, len}};
  w.remote = to;
  return w;
}
inline Work read_of(std::uint32_t len, std::uint64_t into = kDataBase, std::uint64_t from = 0) {
  Work w = write_of(len, into, from);
  w.op = WrOp::kRead;
  return w;
}
inline Work add_of(std::uint64_t value, std::uint64_t into = kDataBase) {
  Work w = write_of(8, into, 64);
  w.op = WrOp::kFetchAdd;
  w.swap_add = value;
  return w;
}
inline Work inline_send_of(Bytes data) {
  Work w;
  w.op = WrOp::kSend;
  w.inlined = true;
  w.inline_data = std::move(data);
  return w;
}
inline std::vector<unsigned> opcodes(const Bench& b) {
  std::vector<unsigned> v;
  for (const Packet& p : b.sent) v.push_back(p.opcode);
  return v;
}
inline std::vector<unsigned> psns(const Bench& b) {
  std::vector<unsigned> v;
  for (const Packet& p : b.sent) v.push_back(p.psn);
  return v;
}
using List = std::vector<unsigned>;
inline Work local_of(WrOp op, std::uint32_t key) {
  Work w;
  w.op = op;
  w.rkey = key;
  return w;
}

}  // namespace sq_bench

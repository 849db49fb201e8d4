// SPDX-License-Identifier: Apache-2.0
// Block reads and writes of the bench of dma: requests in, and responses checked against memory.
#pragma once

#include "rtl/dma/dma_bench.hpp"

inline void Bench::store(unsigned client, std::uint64_t addr, unsigned bytes) {
  Block block{addr, bytes, {}};
  for (unsigned i = 0; i < bytes; ++i) block.bytes.push_back(static_cast<std::uint8_t>(random()));
  stores[client].push_back(block);
}

inline void Bench::drive_blocks(Vroci_dma& m) {
  unsigned valid = 0, ready = 0;
  for (unsigned c = 0; c < kReadClients; ++c) {
    const bool may_wait = c == 1 || c == 3;  // RQ fetch and atomics; the others take at once
    if (!may_wait || (go() && !block_client_stalled[c])) ready |= 1u << c;
    if (!offer(fetch_up_[c], !requests[c].empty())) continue;
    const Block& block = requests[c].front();
    valid |= 1u << c;
    port::put(m.br_req_i, layout::block_read_req::addr, block.addr, kReadBits * c);
    port::put(m.br_req_i, layout::block_read_req::pasid, HostModel::pasid(block.addr),
              kReadBits * c);
    port::put(m.br_req_i, layout::block_read_req::count, block.count, kReadBits * c);
    if (c == 0) m.br_posted_i = block.posted;
    if (!block.posted) continue;
    for (unsigned i = 0; i < block.bytes.size(); ++i)
      port::put(m.posted_blocks_i, 8 * i, 8, block.bytes[i]);
  }
  m.br_req_valid_i = valid;
  m.br_rsp_ready_i = ready;
  valid = 0;
  for (unsigned c = 0; c < kWriteClients; ++c) {
    if (!offer(store_up_[c], !stores[c].empty())) continue;
    const Block& block = stores[c].front();
    valid |= 1u << c;
    port::put(m.bw_req_i, layout::block_write_req::addr, block.addr, kWriteBits * c);
    port::put(m.bw_req_i, layout::block_write_req::pasid, HostModel::pasid(block.addr),
              kWriteBits * c);
    port::put(m.bw_req_i, layout::block_write_req::bytes, block.count, kWriteBits * c);
    for (unsigned i = 0; i < layout::kBlockBytes; ++i) {
      port::put(m.bw_req_i, kWriteBits * c + 8 * i, 8, i < block.count ? block.bytes[i] : 0xDD);
    }
  }
  m.bw_req_valid_i = valid;
}

inline void Bench::sample_blocks(Vroci_dma& m) {
  posted_done += m.posted_read_o;
  for (unsigned c = 0; c < kReadClients; ++c) {
    if (m.br_req_valid_i >> c & m.br_req_ready_o >> c & 1) {
      requests[c].pop_front();
      fetch_up_[c] = false;
    }
    if (!(m.br_rsp_valid_o >> c & m.br_rsp_ready_i >> c & 1)) continue;
    REQUIRE_FALSE(blocks[c].empty());
    const Block& block = blocks[c].front();
    bool same = true;
    for (unsigned i = 0; i < DATA_WIDTH / 8; ++i) {
      same &= port::get(m.br_rsp_o, kBeatBits * c + 8 * i, 8) ==
              block.bytes[DATA_WIDTH / 8 * got_[c] + i];
    }
    REQUIRE(same);
    const bool bad = !block.posted && host.bad_pages.count(block.addr >> 12) != 0;
    REQUIRE(port::get(m.br_rsp_o, kBeatBits * c + DATA_WIDTH, 1) == bad);
    blocks_done[c] += ++got_[c] % bus::kBlockBeats == 0;
    if (c == 0 && got_[c] % bus::kBlockBeats == 0) {
      const auto end = block.bytes.begin() + long(DATA_WIDTH / 8 * got_[c]);
      fetched_.push_back({{end - layout::kBlockBytes, end}, bad});
    }
    if (got_[c] == bus::kBlockBeats * block.count) {
      blocks[c].pop_front();
      got_[c] = 0;
    }
  }
  for (unsigned c = 0; c < kWriteClients; ++c) {
    if (m.bw_rsp_valid_o >> c & 1) {
      REQUIRE_FALSE(storing[c].empty());
      bool same = true;
      const Block& block = storing[c].front();
      const bool bad = host.touches_bad(block.addr, block.count);
      for (unsigned i = 0; i < block.count && !bad; ++i)
        same &= host.at(block.addr + i) == block.bytes[i];
      REQUIRE(same);
      REQUIRE(port::get(m.bw_rsp_o, layout::block_write_rsp::error,
                        layout::block_write_rsp::kBits * c) == bad);
      store_errors += bad;
      storing[c].pop_front();
      ++stores_done[c];
    }
    if (m.bw_req_valid_i >> c & m.bw_req_ready_o >> c & 1) {
      storing[c].push_back(stores[c].front());
      stores[c].pop_front();
      store_up_[c] = false;
    }
  }
}

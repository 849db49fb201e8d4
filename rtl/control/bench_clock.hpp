// SPDX-License-Identifier: Apache-2.0
// One clock of the bench of control: its inputs, and its outputs.
#pragma once

#include <cstdint>

#include "rtl/control/bench.hpp"

namespace control_bench {

template <typename Port>
void put_cqe(Port& to, const Bench::Cqe& c) {
  port::clear(to);
  port::put(to, layout::cqe_req::cqn, c.cqn);
  port::put(to, layout::cqe_req::qpn, c.qpn);
  port::put(to, layout::cqe_req::wqe_index, c.wqe_index);
  port::put(to, layout::cqe_req::status, c.status);
  port::put(to, layout::cqe_req::opcode, c.opcode);
  port::put(to, layout::cqe_req::byte_len, c.byte_len);
  port::put(to, layout::cqe_req::solicited, c.solicited);
  port::put(to, layout::cqe_req::wait_data, c.wait_data);
  port::put(to, layout::cqe_req::ticket, c.ticket);
  port::put(to, layout::cqe_req::wait_store, c.wait_store);
  port::put(to, layout::cqe_req::store_ticket, c.store_ticket);
}

inline void Bench::drive() {
  dut->qp_event_sq_ready_i = engines_ready;
  dut->qp_event_rq_ready_i = engines_ready;
  dut->cqe_sq_valid_i = !cqes[0].empty();
  if (!cqes[0].empty()) put_cqe(dut->cqe_sq_i, cqes[0].front());
  dut->cqe_rq_valid_i = !cqes[1].empty();
  if (!cqes[1].empty()) put_cqe(dut->cqe_rq_i, cqes[1].front());
  dut->fail_sq_valid_i = !fails[0].empty();
  if (!fails[0].empty()) dut->fail_sq_i = event_word(fails[0].front());
  dut->fail_rq_valid_i = !fails[1].empty();
  if (!fails[1].empty()) dut->fail_rq_i = event_word(fails[1].front());
  dut->event_rq_valid_i = !plain_events.empty();
  if (!plain_events.empty()) dut->event_rq_i = event_word(plain_events.front());
  dut->count_sq_valid_i = !counts[0].empty();
  if (!counts[0].empty()) dut->count_sq_i = count_word(counts[0].front());
  dut->count_rq_valid_i = !counts[1].empty();
  if (!counts[1].empty()) dut->count_rq_i = count_word(counts[1].front());
  dut->bw_cq_req_ready_i = chance();
  dut->bw_eq_req_ready_i = chance();
  dut->bw_fw_req_ready_i = chance();
  dut->br_fw_req_ready_i = chance();
  dut->bw_cq_rsp_valid_i = due(kCqWrite);
  dut->bw_eq_rsp_valid_i = due(kEqWrite);
  dut->bw_fw_rsp_valid_i = due(kFirmwareWrite);
  const bool data = !reads_.empty() && reads_.front().due <= dut.cycle();
  dut->br_fw_rsp_valid_i = data;
  if (data) {
    bus::put_beat(dut->br_fw_rsp_i, reads_.front().bytes.data(), beats_.now(), read_error);
  }
  dut->s_axis_eth_rx_tvalid_i = !rx_frames.empty();
  if (!rx_frames.empty()) {
    const auto& frame = rx_frames.front();
    port::clear(dut->s_axis_eth_rx_tdata_i);
    std::uint64_t keep = 0;
    for (unsigned i = 0; i < kBeat && rx_at_ + i < frame.size(); ++i) {
      port::put_byte(dut->s_axis_eth_rx_tdata_i, i, frame[rx_at_ + i]);
      keep |= std::uint64_t{1} << i;
    }
    port::put(dut->s_axis_eth_rx_tkeep_i, 0, kBeat, keep);
    dut->s_axis_eth_rx_tlast_i = rx_at_ + kBeat >= frame.size();
  }
}

inline void Bench::sample() {
  aw_taken_ = dut->s_axil_awvalid_i && dut->s_axil_awready_o;
  ar_taken_ = dut->s_axil_arvalid_i && dut->s_axil_arready_o;
  if (dut->s_axil_bvalid_o && dut->s_axil_bready_i) ++write_responses_;
  if (dut->s_axil_rvalid_o && dut->s_axil_rready_i) {
    r_taken_ = true;
    read_data_ = dut->s_axil_rdata_o;
  }
  if (dut->row_write_valid_o) {
    RowSeen seen{Table{port::get(dut->row_write_o, layout::row_write::table_id)},
                 port::get(dut->row_write_o, layout::row_write::index),
                 {},
                 dut.cycle()};
    for (unsigned i = 0; i < kRowWords; ++i) {
      seen.data[i] = static_cast<std::uint32_t>(port::get(dut->row_write_o, 32 * i, 32));
    }
    rows.push_back(seen);
  }
  const auto qp_event = [this](std::uint32_t word) {
    return EventSeen{port::get(word, layout::qp_event::qpn),
                     QpEvent{port::get(word, layout::qp_event::kind)}, dut.cycle()};
  };
  if (dut->qp_event_sq_valid_o && engines_ready) sq_events.push_back(qp_event(dut->qp_event_sq_o));
  if (dut->qp_event_rq_valid_o && engines_ready) rq_events.push_back(qp_event(dut->qp_event_rq_o));
  const auto doorbell = [](std::uint64_t word) {
    return Doorbell{port::get(word, layout::doorbell::qpn),
                    port::get(word, layout::doorbell::index)};
  };
  if (dut->sq_doorbell_valid_o && dut->sq_doorbell_ready_i) {
    sq_doorbells.push_back(doorbell(dut->sq_doorbell_o));
  }
  if (dut->rq_doorbell_valid_o && dut->rq_doorbell_ready_i) {
    rq_doorbells.push_back(doorbell(dut->rq_doorbell_o));
  }
  if (dut->srq_doorbell_valid_o && dut->srq_doorbell_ready_i) {
    srq_doorbells.push_back(doorbell(dut->srq_doorbell_o));
  }
  if (dut->cqe_sq_valid_i && dut->cqe_sq_ready_o) cqes[0].pop_front();
  if (dut->cqe_rq_valid_i && dut->cqe_rq_ready_o) cqes[1].pop_front();
  if (dut->fail_sq_valid_i && dut->fail_sq_ready_o) fails[0].pop_front();
  if (dut->fail_rq_valid_i && dut->fail_rq_ready_o) fails[1].pop_front();
  if (dut->event_rq_valid_i && dut->event_rq_ready_o) plain_events.pop_front();
  if (dut->count_sq_valid_i && dut->count_sq_ready_o) counts[0].pop_front();
  if (dut->count_rq_valid_i && dut->count_rq_ready_o) counts[1].pop_front();
  if (dut->bw_cq_rsp_valid_i) writes_[kCqWrite].pop_front();
  if (dut->bw_eq_rsp_valid_i) writes_[kEqWrite].pop_front();
  if (dut->bw_fw_rsp_valid_i) writes_[kFirmwareWrite].pop_front();
  if (dut->bw_cq_req_valid_o && dut->bw_cq_req_ready_i) take_write(kCqWrite, dut->bw_cq_req_o);
  if (dut->bw_eq_req_valid_o && dut->bw_eq_req_ready_i) take_write(kEqWrite, dut->bw_eq_req_o);
  if (dut->bw_fw_req_valid_o && dut->bw_fw_req_ready_i)
    take_write(kFirmwareWrite, dut->bw_fw_req_o);
  if (dut->br_fw_rsp_valid_i && dut->br_fw_rsp_ready_o && beats_.taken()) reads_.pop_front();
  if (dut->br_fw_req_valid_o && dut->br_fw_req_ready_i) {
    reads_.push_back(
        {dut.cycle() + 30,
         bytes_at(port::get(dut->br_fw_req_o, layout::block_read_req::pasid),
                  port::get(dut->br_fw_req_o, layout::block_read_req::addr), layout::kBlockBytes)});
  }
  if (dut->s_axis_eth_rx_tvalid_i && dut->s_axis_eth_rx_tready_o) {
    rx_at_ += kBeat;
    if (dut->s_axis_eth_rx_tlast_i) {
      rx_at_ = 0;
      rx_frames.pop_front();
    }
  }
  if (dut->m_axis_host_tvalid_o && dut->m_axis_host_tready_i) {
    collect(host_, host_frames, dut->m_axis_host_tdata_o,
            port::get(dut->m_axis_host_tkeep_o, 0, kBeat), dut->m_axis_host_tlast_o);
  }
  if (dut->m_axis_fw_tvalid_o && dut->m_axis_fw_tready_i) {
    ++fw_beats;
    collect(fw_, fw_frames, dut->m_axis_fw_tdata_o, port::get(dut->m_axis_fw_tkeep_o, 0, kBeat),
            dut->m_axis_fw_tlast_o);
  }
}

}  // namespace control_bench

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "Vroci_rx.h"
#include "common/dut.hpp"
#include "rx/roce_frame.hpp"
#include "spec/context.hpp"
#include "spec/records.hpp"

namespace {

using namespace roci::spec;
using roce::Bytes;
using roce::Fields;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 20240611;

/// A packet as an engine sees it, or an Ethernet frame (bytes only).
struct Packet {
  bool response = false;
  std::uint32_t qpn = 0, psn = 0;
  std::uint8_t opcode = 0;
  bool solicited = false, ack_req = false;
  std::uint16_t ticket = 0;
  unsigned payload_len = 0;
  Bytes ext;
  bool operator==(const Packet& o) const {
    return response == o.response && qpn == o.qpn && psn == o.psn && opcode == o.opcode &&
           solicited == o.solicited && ack_req == o.ack_req && ticket == o.ticket &&
           payload_len == o.payload_len && ext == o.ext;
  }
};

/// The block with a MAC in front and its consumers behind, all with random pauses if wanted.
class Bench {
 public:
  Bench() {
    dut->enable_i = 1;
    while (!dut->idle_o) clock();
  }

  void row(unsigned table, unsigned index) {
    dut->row_valid_i = 1;
    dut->row_table_i = table;
    dut->row_index_i = index;
    clock();
    dut->row_valid_i = 0;
  }
  /// Connects a queue pair so that a frame with these fields is for it.
  void connect(unsigned qpn, const Fields& f, unsigned state = 3, std::uint16_t pkey = 0xFFFF) {
    port::clear(dut->row_data_i);
    auto set = [&](const char* name, std::uint64_t value) {
      port::put(dut->row_data_i, place_of(kAv, name), value);
    };
    auto set_ip = [&](const char* name, const std::array<std::uint8_t, 16>& ip) {
      const Place place = place_of(kAv, name);
      for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
        port::put(dut->row_data_i, place.offset + 8 * (15 - i), 8, ip[i]);
    };
    set_ip("src_ip", f.dst_ip);
    set_ip("dst_ip", f.src_ip);
    set("ipv6", f.ipv6);
    set("vlan", f.vlan);
    set("vlan_tci", f.tci);
    set("pkey", pkey);
    row(1, qpn);
    set_state(qpn, state);
  }
  void set_state(unsigned qpn, unsigned state) {
    port::clear(dut->row_data_i);
    port::put(dut->row_data_i, 0, 3, state);
    row(2, qpn);
  }

  void send(Bytes frame) { wire.push_back(std::move(frame)); }

  /// What a good packet must give.
  void expect(const Fields& f) {
    Packet p;
    p.response = roce::is_response(f.opcode);
    p.qpn = f.qpn;
    p.psn = f.psn;
    p.opcode = f.opcode;
    p.solicited = f.solicited;
    p.ack_req = f.ack_req;
    p.payload_len = static_cast<unsigned>(f.payload.size());
    if (p.payload_len) ++ticket;
    p.ticket = ticket;
    p.ext = f.ext;
    (p.response ? want_rsp : want_req).push_back(p);
    if (p.payload_len) {
      want_pay.push_back(f.payload);
      want_src.push_back(p.response);
    }
  }
  void send_good(const Fields& f) {
    send(roce::build(f));
    expect(f);
  }
  void send_ethernet(const Bytes& frame) {
    send(frame);
    want_eth.push_back(frame);
  }
  void send_bad(const Bytes& frame, unsigned cause) {
    send(frame);
    ++want_drop[cause];
  }

  /// Runs until all is out and a little longer; then everything must be as expected.
  void finish() {
    drain();
    check();
  }
  void drain() {
    unsigned quiet = 0;
    for (unsigned i = 0; i < 400000 && quiet < 20; ++i) {
      clock();
      quiet = wire.empty() && at_ == 0 && dut->idle_o ? quiet + 1 : 0;
    }
    CHECK(quiet == 20);
  }
  void check() {
    CHECK(got_req.size() == want_req.size());
    CHECK(got_rsp.size() == want_rsp.size());
    CHECK(got_req == want_req);
    CHECK(got_rsp == want_rsp);
    CHECK(got_pay.size() == want_pay.size());
    CHECK(got_pay == want_pay);
    CHECK(got_src == want_src);
    CHECK(got_eth.size() == want_eth.size());
    CHECK(got_eth == want_eth);
    for (unsigned i = 0; i < 10; ++i) {
      CAPTURE(i);
      CHECK(drops[i] == want_drop[i]);
    }
    CHECK(ok == got_req.size() + got_rsp.size());
    CHECK(eth_pulses == got_eth.size());
  }

  void clock() {
    // MAC
    const bool gap = gaps && random() % 100 < gaps;
    dut->s_axis_tvalid_i = !wire.empty() && !gap;
    if (dut->s_axis_tvalid_i) {
      const Bytes& frame = wire.front();
      const std::size_t left = frame.size() - at_;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->s_axis_tdata_i, i,
                       i < left ? frame[at_ + i] : static_cast<std::uint8_t>(random()));
      dut->s_axis_tlast_i = left <= kBytes;
      port::put(dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    }
    auto ready = [&](bool hold) { return !hold && (!stalls || random() % 100 >= stalls); };
    dut->req_meta_ready_i = ready(hold_meta);
    dut->rsp_meta_ready_i = ready(hold_meta);
    dut->pay_tready_i = ready(hold_pay) && !headers_.empty();
    dut->pay_hdr_ready_i = ready(hold_pay);
    dut->m_axis_eth_tready_i = ready(hold_eth);
    dut.settle();
    CHECK(dut->s_axis_tready_o);
    sample();
    if (dut->s_axis_tvalid_i) {
      at_ += kBytes;
      if (dut->s_axis_tlast_i) {
        bytes_in += wire.front().size();
        wire.pop_front();
        at_ = 0;
        last_in = dut.cycle();
      }
    }
    dut.tick();
  }

  Dut<Vroci_rx> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  bool hold_meta = false, hold_pay = false, hold_eth = false;
  std::deque<Bytes> wire;
  std::vector<Packet> want_req, want_rsp, got_req, got_rsp;
  std::vector<Bytes> want_pay, got_pay, want_eth, got_eth;
  std::vector<bool> want_src, got_src;
  std::array<unsigned, 10> want_drop{}, drops{};
  std::size_t ok = 0, eth_pulses = 0;
  std::uint16_t ticket = 0;
  std::uint64_t bytes_in = 0, bytes_counted = 0, frames_counted = 0;
  std::uint64_t last_in = 0, first_meta = 0, last_meta = 0, first_pay = 0;

 private:
  template <typename Port>
  Packet read_meta(const Port& meta, bool response) {
    Packet p;
    auto field = [&](const char* name) { return port::get(meta, place_of(kRxMeta, name)); };
    p.response = response;
    p.qpn = static_cast<std::uint32_t>(field("qpn"));
    p.psn = static_cast<std::uint32_t>(field("psn"));
    p.opcode = static_cast<std::uint8_t>(field("opcode"));
    p.solicited = field("solicited");
    p.ack_req = field("ack_req");
    p.ticket = static_cast<std::uint16_t>(field("ticket"));
    p.payload_len = static_cast<unsigned>(field("payload_len"));
    const Place ext = place_of(kRxMeta, "ext");
    for (int i = 0; i < std::max(0, roce::ext_bytes(p.opcode)); ++i)
      p.ext.push_back(static_cast<std::uint8_t>(
          port::get(meta, ext.offset + ext.bits - 8 - 8 * static_cast<unsigned>(i), 8)));
    if (first_meta == 0) first_meta = dut.cycle();
    last_meta = dut.cycle();
    return p;
  }

  void sample() {
    if (dut->req_meta_valid_o && dut->req_meta_ready_i)
      got_req.push_back(read_meta(dut->req_meta_o, false));
    if (dut->rsp_meta_valid_o && dut->rsp_meta_ready_i)
      got_rsp.push_back(read_meta(dut->rsp_meta_o, true));
    if (dut->pay_tvalid_o) CHECK((!headers_.empty() || dut->pay_hdr_valid_o));
    if (dut->pay_tvalid_o && dut->pay_tready_i) {
      if (first_pay == 0) first_pay = dut.cycle();
      REQUIRE(!headers_.empty());
      const Header h = headers_.front();
      const unsigned from = pay_.empty() && !pay_open_ ? h.offset : 0;
      for (unsigned i = from; i < kBytes && pay_.size() < h.len; ++i)
        pay_.push_back(port::byte(dut->pay_tdata_o, i));
      pay_open_ = true;
      CHECK(dut->pay_tlast_o == (pay_.size() == h.len));
      if (dut->pay_tlast_o) {
        got_pay.push_back(pay_);
        got_src.push_back(h.src);
        pay_.clear();
        pay_open_ = false;
        headers_.pop_front();
      }
    }
    if (dut->pay_hdr_valid_o && dut->pay_hdr_ready_i)
      headers_.push_back({static_cast<bool>(dut->pay_src_o), dut->pay_offset_o, dut->pay_len_o});
    if (dut->m_axis_eth_tvalid_o && dut->m_axis_eth_tready_i) {
      for (unsigned i = 0; i < kBytes; ++i)
        if (static_cast<std::uint64_t>(dut->m_axis_eth_tkeep_o) >> i & 1)
          eth_.push_back(port::byte(dut->m_axis_eth_tdata_o, i));
      if (dut->m_axis_eth_tlast_o) {
        got_eth.push_back(eth_);
        eth_.clear();
      }
    }
    for (unsigned i = 0; i < 10; ++i) drops[i] += dut->drop_o >> i & 1;
    ok += dut->rx_ok_o;
    eth_pulses += dut->rx_eth_o;
    if (dut->rx_frame_o) {
      ++frames_counted;
      bytes_counted += dut->rx_bytes_o;
    }
  }

  struct Header {
    bool src;
    unsigned offset, len;
  };
  std::deque<Header> headers_;
  std::size_t at_ = 0;
  Bytes pay_, eth_;
  bool pay_open_ = false;
};

constexpr unsigned kIcrc = 0, kMalformed = 1, kOverflow = 2, kUnknownQp = 3, kAddress = 4,
                   kPkey = 5, kOpcode = 6;
constexpr std::uint8_t kEveryOpcode[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                         0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
                                         0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17};

Bytes random_bytes(std::mt19937& random, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Queue pair 16 + 4 * vlan + 2 * ipv6 + 1 and so on: four shapes of connection.
Fields shape(unsigned which) {
  Fields f;
  f.vlan = which & 1;
  f.tci = f.vlan ? 0x6064 : 0;
  f.ipv6 = which & 2;
  for (unsigned i = 0; i < 16; ++i) {
    f.src_ip[i] = static_cast<std::uint8_t>(0x20 + i + 16 * which);
    f.dst_ip[i] = static_cast<std::uint8_t>(0xA0 + i);
  }
  f.qpn = 16 + which;
  return f;
}
void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < 4; ++which) bench.connect(16 + which, shape(which));
}

Fields random_good(std::mt19937& random) {
  Fields f = shape(random() % 4);
  f.opcode = kEveryOpcode[random() % std::size(kEveryOpcode)];
  f.solicited = random() & 1;
  f.ack_req = random() & 1;
  f.mig_req = random() & 1;
  f.psn = random() & 0xFFFFFF;
  f.tc = static_cast<std::uint8_t>(random());
  f.hop = static_cast<std::uint8_t>(random());
  f.flow = random() & 0xFFFFF;
  f.id = static_cast<std::uint16_t>(random());
  f.src_port = static_cast<std::uint16_t>(random());
  f.congestion = static_cast<std::uint8_t>(random());
  f.resv7 = random() & 0x7F;
  f.pad_byte = static_cast<std::uint8_t>(random());
  f.udp_sum = random() % 3 == 0;
  f.ext = random_bytes(random, static_cast<std::size_t>(roce::ext_bytes(f.opcode)));
  if (roce::has_payload(f.opcode)) {
    static constexpr unsigned kSizes[] = {0,  1,  2,  3,   4,   8,    55,   56,
                                          57, 64, 65, 127, 255, 1024, 4095, 4096};
    f.payload =
        random_bytes(random, random() % 2 ? random() % 200 : kSizes[random() % std::size(kSizes)]);
  }
  return f;
}

Bytes random_ethernet(std::mt19937& random) {
  Bytes frame = random_bytes(random, 14 + random() % 300);
  static constexpr unsigned kTypes[] = {0x0806, 0x88B5, 0x8915, 0x0800, 0x86DD};
  const unsigned type = kTypes[random() % 5];
  frame[12] = static_cast<std::uint8_t>(type >> 8);
  frame[13] = static_cast<std::uint8_t>(type);
  if (frame.size() > 14) frame[14] = type == 0x0800 ? 0x46 : 0x00;  // options, or no IPv6
  return frame;
}

}  // namespace

TEST_CASE("rx: one packet of each opcode, size and shape (WIRE-29..36)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < 4; ++which) {
    for (const std::uint8_t opcode : kEveryOpcode) {
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 40u, 61u, 64u, 256u}) {
        if (size && !roce::has_payload(opcode)) break;
        Fields f = shape(which);
        f.opcode = opcode;
        f.psn = random() & 0xFFFFFF;
        f.ext = random_bytes(random, static_cast<std::size_t>(roce::ext_bytes(opcode)));
        f.payload = random_bytes(random, size);
        bench.send_good(f);
      }
    }
  }
  bench.finish();
}

TEST_CASE("rx: frames of Soft-RoCE") {
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    CAPTURE(path.filename().string());
    Bench bench;
    std::map<std::uint32_t, Fields> connected;
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::dissect(frame, f) || f.udp_sum || f.version || f.qpn >= 256 ||
          f.payload.size() > 4096)
        continue;
      const std::size_t end = f.payload_at() + f.payload.size() + (4 - f.payload.size() % 4) % 4;
      Bytes remade(frame.begin(), frame.begin() + static_cast<long>(end));
      roce::append_icrc(remade, f.ip_at(), f.udp_at(), f.ipv6);
      if (!std::equal(remade.begin(), remade.end(), frame.begin())) continue;  // bad on purpose
      if (f.pkey != 0xFFFF || roce::ones_sum(frame.data() + f.ip_at(), 20) != 0xFFFF) {
        if (!f.ipv6 || f.pkey != 0xFFFF) continue;
      }
      // Peers share queue pair numbers; the connection follows the frame.
      auto& at = connected[f.qpn];
      if (at.src_ip != f.src_ip || at.dst_ip != f.dst_ip || at.vlan != f.vlan || at.tci != f.tci ||
          at.ipv6 != f.ipv6) {
        bench.drain();
        bench.connect(f.qpn, f);
        at = f;
      }
      bench.send(frame);
      bench.expect(f);
      ++count;
    }
    bench.finish();
  }
  CHECK(count > 3000);
  MESSAGE("captured packets: " << count);
}

TEST_CASE("rx: everything else goes to the Ethernet path unchanged (WIRE-01, 05, 07, 12)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned size = 1; size < 300; ++size) bench.send_ethernet(random_bytes(random, size));
  for (unsigned which = 0; which < 4; ++which) {
    Fields f = shape(which);
    f.payload = random_bytes(random, 77);
    f.dst_port = 4790;
    bench.send_ethernet(roce::build(f));
    f.dst_port = 4791;
    f.protocol = 6;
    bench.send_ethernet(roce::build(f));
    f.protocol = 17;
    if (!f.ipv6) {
      f.ihl = 6;
      bench.send_ethernet(roce::build(f));
      f.ihl = 5;
      f.fragment = 100;
      bench.send_ethernet(roce::build(f));
      f.fragment = 0;
    } else {
      f.protocol = 0;  // hop by hop
      bench.send_ethernet(roce::build(f));
      f.protocol = 17;
    }
    Bytes frame = roce::build(f);
    frame[f.ip_at() - 2] = 0x89;
    frame[f.ip_at() - 1] = 0x15;
    bench.send_ethernet(frame);
    frame = roce::build(f);
    frame.resize(f.udp_at() + 3);  // ends before the port is whole
    bench.send_ethernet(frame);
    bench.send_good(f);
  }
  bench.finish();
  bench.dut->enable_i = 0;
  bench.send_ethernet(roce::build(shape(0)));
  bench.finish();
  CHECK(bench.bytes_counted == bench.bytes_in);
}

TEST_CASE("rx: malformed packets are dropped (WIRE-05, 06, 16, 17, 20, 33, 34, 35)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < 4; ++which) {
    Fields good = shape(which);
    good.payload = random_bytes(random, 64);
    auto bad = [&](Fields f, auto change) {
      change(f);
      bench.send_bad(roce::build(f), kMalformed);
      good.psn += 1;
      bench.send_good(good);  // what follows is not harmed (WIRE-48)
    };
    bad(good, [](Fields& f) { f.udp_length = 4; });
    bad(good, [](Fields& f) {
      f.udp_length = -4;
      f.ip_length = 4;
    });
    bad(good, [](Fields& f) { f.ip_length = -4; });
    bad(good, [](Fields& f) { f.ip_length = 4; });
    bad(good, [](Fields& f) { f.udp_length = 8; });  // longer than the frame
    bad(good, [](Fields& f) { f.udp_length = 4000; });
    bad(good, [](Fields& f) { f.version = 1; });
    bad(good, [](Fields& f) {
      f.udp_sum = true;
      f.udp_sum_error = 1;
    });
    bad(good, [](Fields& f) {
      f.payload.resize(61);
      f.pad = 0;
    });
    bad(good, [](Fields& f) {
      f.payload.clear();
      f.pad = 3;
      f.pad_bytes = 0;
    });
    bad(good, [](Fields& f) { f.payload.resize(4100); });
    bad(good, [](Fields& f) {
      f.opcode = 0x0A;
      f.payload.clear();
      f.ext.assign(8, 1);
    });
    bad(good, [](Fields& f) {
      f.opcode = 0x0C;
      f.ext.assign(16, 1);
      f.payload.resize(8);
    });
    bad(good, [](Fields& f) {
      f.opcode = 0x14;
      f.ext.assign(28, 1);
      f.payload.resize(8);
    });
    bad(good, [](Fields& f) {
      f.opcode = 0x11;
      f.ext.assign(4, 1);
      f.payload.resize(4);
    });
    bad(good, [](Fields& f) {
      f.opcode = 0x11;
      f.ext.assign(4, 1);
      f.payload.resize(1);
    });
    bad(good, [](Fields& f) {
      f.payload.clear();
      f.udp_length = -16;
    });  // 8 bytes of UDP payload
    bad(good, [](Fields& f) {
      f.payload.clear();
      f.udp_length = -20;
    });
    if (!good.ipv6) {
      bad(good, [](Fields& f) { f.ip_sum = 1; });
      bad(good, [](Fields& f) { f.ip_sum = 0x100; });
      bad(good, [](Fields& f) { f.flags = 3; });  // more fragments
    }
    // Cut anywhere behind the UDP header.
    const Bytes whole = roce::build(good);
    for (std::size_t size = good.udp_at() + 10; size < whole.size(); size += 1 + random() % 5) {
      bench.send_bad(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)), kMalformed);
    }
    bench.send_good(good);
  }
  bench.finish();
}

TEST_CASE("rx: a wrong ICRC is a drop, bytes behind the datagram do not matter (WIRE-18, 36..40)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < 4; ++which) {
    for (unsigned size = 0; size < 140; size += 1 + size % 3) {
      Fields f = shape(which);
      f.payload = random_bytes(random, size);
      f.psn = size;
      Bytes frame = roce::build(f);
      Bytes broken = frame;
      broken[broken.size() - 1 - random() % 4] ^= static_cast<std::uint8_t>(1u << random() % 8);
      bench.send_bad(broken, kIcrc);
      if (size) {
        broken = frame;
        broken[f.payload_at() + random() % size] ^= static_cast<std::uint8_t>(1u << random() % 8);
        bench.send_bad(broken, kIcrc);
      }
      frame.resize(frame.size() + random() % 80, 0xEE);
      bench.send(frame);
      bench.expect(f);
    }
  }
  bench.finish();
}

TEST_CASE("rx: admission (WIRE-02, 23..28, 45..47)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  Fields f = shape(0);
  f.payload = random_bytes(random, 100);
  Fields ack = shape(0);
  ack.opcode = 0x11;
  ack.ext.assign(4, 0x1F);
  auto bad = [&](Fields g, unsigned cause) { bench.send_bad(roce::build(g), cause); };

  SUBCASE("states") {
    for (unsigned state = 0; state < 8; ++state) {
      bench.drain();
      bench.set_state(16, state);
      if (state == 2 || state == 3 || state == 4)
        bench.send_good(f);
      else
        bad(f, kUnknownQp);
      if (state == 3 || state == 4)
        bench.send_good(ack);
      else
        bad(ack, kUnknownQp);
    }
  }
  SUBCASE("queue pairs") {
    for (const std::uint32_t qpn : {0u, 1u, 15u, 20u, 256u + 16, 0xABCDEFu, 0xFFFFFFu}) {
      Fields g = f;
      g.qpn = qpn;
      bad(g, kUnknownQp);
    }
    bench.send_good(f);
  }
  SUBCASE("addresses") {
    for (unsigned which = 0; which < 4; ++which) {
      for (unsigned byte = which & 2 ? 0 : 12; byte < 16; ++byte) {
        Fields g = shape(which);
        g.src_ip[byte] ^= 0x10;
        bad(g, kAddress);
        g = shape(which);
        g.dst_ip[byte] ^= 0x01;
        bad(g, kAddress);
      }
      Fields g = shape(which);
      g.vlan = !g.vlan;
      g.tci = 0x64;
      bad(g, kAddress);
      g = shape(which);
      g.tci ^= 1;  // another VLAN, when there is one
      if (g.vlan)
        bad(g, kAddress);
      else
        bench.send_good(g);
      g = shape(which);
      g.tci ^= 0x2000;  // another priority
      g.dst_mac ^= 1;   // MAC addresses are not compared
      bench.send_good(g);
    }
  }
  SUBCASE("partition keys") {
    struct {
      std::uint16_t own, sent;
      bool good;
    } const cases[] = {{0xFFFF, 0xFFFF, true},  {0xFFFF, 0x7FFF, true},  {0xFFFF, 0x8001, false},
                       {0xFFFF, 0x0000, false}, {0xFFFF, 0x8000, false}, {0x7FFF, 0x7FFF, false},
                       {0x7FFF, 0xFFFF, true},  {0x8000, 0x8000, false}};
    for (const auto& c : cases) {
      bench.drain();
      bench.connect(16, f, 3, c.own);
      f.pkey = c.sent;
      if (c.good)
        bench.send_good(f);
      else
        bad(f, kPkey);
    }
  }
  SUBCASE("opcodes") {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      Fields g = shape(opcode % 4);
      g.opcode = static_cast<std::uint8_t>(opcode);
      const int ext = roce::ext_bytes(opcode);
      g.ext.assign(ext < 0 ? 0 : static_cast<std::size_t>(ext), 0x55);
      if (roce::has_payload(opcode)) g.payload = random_bytes(random, 40);
      if (ext < 0)
        bad(g, kOpcode);
      else
        bench.send_good(g);
    }
  }
  bench.finish();
}

TEST_CASE("rx: random traffic with random stalls") {
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed + round);
    bench.gaps = round % 2 ? 30 : 0;
    bench.stalls = (round / 2) * 25;
    for (unsigned i = 0; i < 600; ++i) {
      const unsigned kind = random() % 10;
      Fields f = random_good(random);
      if (kind < 6) {
        Bytes frame = roce::build(f);
        if (frame.size() < 60) frame.resize(60);
        bench.send(frame);
        bench.expect(f);
      } else if (kind == 6) {
        bench.send_ethernet(random_ethernet(random));
      } else if (kind == 7) {
        Bytes frame = roce::build(f);
        frame.back() ^= 0x80;
        bench.send_bad(frame, f.udp_sum ? kMalformed : kIcrc);
      } else if (kind == 8) {
        f.src_ip[13] ^= 1;
        bench.send_bad(roce::build(f), kAddress);
      } else {
        f.version = 2;
        bench.send_bad(roce::build(f), kMalformed);
      }
      while (bench.wire.size() > 2) bench.clock();
      if (bench.stalls) bench.drain();  // never so much that the buffers overflow
    }
    bench.finish();
    CHECK(bench.frames_counted == 600);
    CHECK(bench.bytes_counted == bench.bytes_in);
  }
}

TEST_CASE("rx: frames with anything wrong are counted once and never wedge it (WIRE-48, F-52)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  std::vector<Fields> good;
  const unsigned count = 6000;
  for (unsigned i = 0; i < count; ++i) {
    Fields f = random_good(random);
    f.payload.resize(std::min<std::size_t>(f.payload.size(), 300));
    if (i % 10 == 9) {
      f.opcode = 0x04;
      f.ext.clear();
      f.psn = 0xFF0000 + i;
      good.push_back(f);
      bench.send(roce::build(f));
    } else {
      Bytes frame = roce::build(f);
      for (unsigned k = 1 + random() % 3; k-- > 0;) {
        std::uint8_t& byte = frame[12 + random() % std::min<std::size_t>(frame.size() - 12, 100)];
        byte = random() % 2 ? static_cast<std::uint8_t>(random())
                            : static_cast<std::uint8_t>(byte + 1 - random() % 3);
      }
      if (random() % 2) {
        frame.resize(frame.size() - 4);
        roce::append_icrc(frame, f.ip_at(), f.udp_at(), f.ipv6);
      }
      if (random() % 8 == 0) frame.resize(1 + random() % (frame.size() + 40));
      bench.send(frame);
    }
    while (bench.wire.size() > 4) bench.clock();
  }
  bench.drain();
  std::size_t total = bench.ok + bench.eth_pulses;
  for (const unsigned drops : bench.drops) total += drops;
  CHECK(bench.frames_counted == count);
  CHECK(total == count);
  CHECK(bench.got_eth.size() == bench.eth_pulses);
  CHECK(bench.drops[kIcrc] > 100);
  CHECK(bench.drops[kMalformed] > 100);
  // Payload of every packet that was let in, as long as its record says.
  std::size_t with_payload = 0;
  for (const auto* list : {&bench.got_req, &bench.got_rsp})
    for (const Packet& p : *list) with_payload += p.payload_len != 0;
  CHECK(bench.got_pay.size() == with_payload);
  std::size_t found = 0;
  for (const Packet& p : bench.got_req) {
    if (found == good.size() || p.psn != good[found].psn) continue;
    CHECK(p.qpn == good[found].qpn);
    if (p.payload_len) CHECK(bench.got_pay.at(std::uint16_t(p.ticket - 1)) == good[found].payload);
    ++found;
  }
  CHECK(found == good.size());
}

TEST_CASE("rx: a full buffer drops whole packets and counts them") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  SUBCASE("payload") { bench.hold_pay = true; }
  SUBCASE("records") { bench.hold_meta = true; }
  std::vector<Fields> sent;
  for (unsigned i = 0; i < 400; ++i) {
    Fields f = shape(i % 4);
    f.psn = i;
    f.payload = random_bytes(random, bench.hold_meta ? 8 : 300 + i);
    sent.push_back(f);
    bench.send(roce::build(f));
  }
  while (!bench.wire.empty()) bench.clock();
  for (unsigned i = 0; i < 40; ++i) bench.clock();
  CHECK(bench.drops[kOverflow] > 50);
  bench.hold_pay = bench.hold_meta = false;
  bench.drain();
  // What came through is whole; together with the drops it is all.
  for (const Packet& p : bench.got_req) bench.expect(sent.at(p.psn));
  CHECK(bench.got_req.size() > 60);
  bench.want_drop[kOverflow] = 400 - static_cast<unsigned>(bench.got_req.size());
  bench.check();
  for (unsigned i = 0; i < 4; ++i) bench.send_good(sent[i]);
  bench.finish();
}

TEST_CASE("rx: a full Ethernet path drops frames and does not hold up RoCE") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.hold_eth = true;
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 60; ++i) {
    Bytes frame = random_bytes(random, 1000);
    frame[0] = static_cast<std::uint8_t>(i);
    frame[12] = frame[13] = 0x77;
    frames.push_back(frame);
    bench.send(frame);
    bench.send_good(random_good(random));
  }
  while (!bench.wire.empty()) bench.clock();
  for (unsigned i = 0; i < 200; ++i) bench.clock();
  CHECK(bench.got_req.size() + bench.got_rsp.size() == 60);
  bench.hold_eth = false;
  bench.drain();
  for (const Bytes& frame : bench.got_eth) bench.want_eth.push_back(frames.at(frame[0]));
  CHECK(bench.got_eth.size() > 10);
  bench.want_drop[kOverflow] = 60 - static_cast<unsigned>(bench.got_eth.size());
  bench.check();
}

TEST_CASE("rx: pause holds packets back, not frames of the Ethernet path") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  Fields f = shape(0);
  f.payload = random_bytes(random, 500);
  bench.dut->pause_i = 1;
  bench.send(roce::build(f));
  bench.send_ethernet(random_ethernet(random));
  for (unsigned i = 0; i < 300; ++i) bench.clock();
  CHECK(bench.got_req.empty());
  CHECK(bench.got_eth.size() == 1);
  CHECK(bench.dut->idle_o == 1);
  bench.set_state(16, 6);  // the change is seen by what waited
  bench.dut->pause_i = 0;
  ++bench.want_drop[kUnknownQp];
  bench.finish();
}

TEST_CASE("rx: back to back at line rate") {
  for (const unsigned beats : {1u, 2u, 3u, 5u}) {
    CAPTURE(beats);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed);
    const unsigned count = 400;
    Fields f = shape(0);
    f.opcode = 0x04;
    const std::size_t fixed = roce::build(f).size();
    const std::size_t wanted = std::max<std::size_t>(fixed, beats * kBytes - 6);
    f.payload = random_bytes(random, (wanted - fixed) / 4 * 4);
    const std::size_t used = (roce::build(f).size() + kBytes - 1) / kBytes;
    for (unsigned i = 0; i < count; ++i) {
      f.psn = i;
      bench.send_good(f);
    }
    bench.finish();
    const double rate = static_cast<double>(bench.last_meta - bench.first_meta) / (count - 1);
    MESSAGE("beats in a packet: " << used << ", clocks per packet: " << rate);
    CHECK(rate <= static_cast<double>(used) + 0.01);
  }
}

TEST_CASE("rx: latency") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  Fields f = shape(0);
  f.payload = random_bytes(random, 64);
  bench.send_good(f);
  bench.finish();
  MESSAGE("last beat to req_meta: " << bench.first_meta - bench.last_in
                                    << ", to payload: " << bench.first_pay - bench.last_in);
  CHECK(bench.first_meta - bench.last_in <= 12);
}

// SPDX-License-Identifier: Apache-2.0
#include "testbench/ports/port_bridge.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "model/packet/capture.hpp"
#include "model/packet/pcapng.hpp"

namespace roci::testbench::ports {
namespace {

packet::Bytes frame_of(std::size_t bytes, std::uint8_t mark) {
  packet::Bytes frame(bytes, mark);
  frame[12] = 0x88;  // an experimental EtherType
  frame[13] = 0xB5;
  return frame;
}
std::string path_of(const char* name) {
  return "/tmp/roci_port_" + std::to_string(getpid()) + "_" + name;
}
std::string why(const std::string& spec) {
  try {
    make_port(spec);
  } catch (const PortError& error) {
    return error.what();
  }
  return "";
}

std::string why_clock(const std::string& path) {
  try {
    PeerClock clock(path);
  } catch (const PortError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("dgram: frames of all sizes go both ways, over UDP and over Unix sockets") {
  for (const bool udp : {true, false}) {
    CAPTURE(udp);
    const std::string a = udp ? "127.0.0.1:45101" : path_of("a"), b = udp ? "45102" : path_of("b");
    const auto left = make_port("dgram:" + a + "," + b), right = make_port("dgram:" + b + "," + a);
    packet::Bytes got;
    CHECK_FALSE(right->receive(0, got));
    for (const std::size_t bytes : {14, 60, 1514, 4200, 9216}) {
      left->send(0, frame_of(bytes, 1));
      right->send(0, frame_of(bytes, 2));
      REQUIRE(right->receive(0, got));
      CHECK(got == frame_of(bytes, 1));
      REQUIRE(left->receive(0, got));
      CHECK(got == frame_of(bytes, 2));
    }
    CHECK(left->counts().sent == 5);
    CHECK(left->counts().received == 5);
  }
}

TEST_CASE("dgram: an absent peer, or one that sends invalid frames, does no harm") {
  const auto alone = make_port("dgram:45103,45104");
  packet::Bytes got;
  for (int i = 0; i < 3; ++i) {
    alone->send(0, frame_of(60, 1));
    CHECK_FALSE(alone->receive(0, got));  // and gets the error that UDP reports for the last one
  }
  const auto peer = make_port("dgram:45104,45103");
  peer->send(0, packet::Bytes(13, 7));
  peer->send(0, packet::Bytes(kMaxFrame + 100, 7));
  peer->send(0, frame_of(64, 7));
  REQUIRE(alone->receive(0, got));
  CHECK(got == frame_of(64, 7));
  CHECK(alone->counts().malformed == 2);
  CHECK_FALSE(alone->receive(0, got));
}

TEST_CASE("dgram: the Unix socket of an ended process is taken over, one in use is not") {
  const std::string path = path_of("left");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(why("dgram:" + path + "," + path_of("other")).find("in use") != std::string::npos);
  close(fd);
  CHECK(why("dgram:" + path + "," + path_of("other")).empty());
  CHECK(access(path.c_str(), F_OK) != 0);  // the port removes its socket
}

TEST_CASE("dgram: a busy Unix peer delays frames and loses none") {
  const std::string a = path_of("slow_a"), b = path_of("slow_b");
  const auto far = make_port("dgram:" + b + "," + a), port = make_port("dgram:" + a + "," + b);
  LinkConfig config;
  config.delay_ns = 0;
  LinkDirection out(config), in(config);
  PortBridge bridge({port.get(), nullptr, 1}, out, in, {});
  constexpr unsigned kFrames = 2000;  // more than any queue of the host holds
  for (unsigned i = 0; i < kFrames; ++i) out.inject(100, frame_of(1000 + i % 256, 1));
  packet::Bytes got;
  unsigned come = 0;
  constexpr std::uint64_t kAllSent = 1'000'000;
  for (unsigned round = 0; round < kFrames && come < kFrames; ++round) {
    bridge.pump(kAllSent);
    while (far->receive(0, got)) CHECK(got.size() == 1000 + come++ % 256);
  }
  CHECK(come == kFrames);
  CHECK(port->counts().send_failures == 0);
}

TEST_CASE("port: an error is one line of text") {
  const auto first = make_port("dgram:45105,45106");
  CHECK(why("dgram:45105,45106") == "dgram: 45105: Address already in use");
  CHECK(why("dgram:45107").find("LOCAL,REMOTE") != std::string::npos);
  CHECK(why("dgram:127.0.0.1:x,45107").find("127.0.0.1:x") != std::string::npos);
  CHECK(why("dgram:192.0.2.1:45108,192.0.2.2:1").find("Cannot assign") != std::string::npos);
  CHECK(why("dgram:[::1]:45109,127.0.0.1:45109").find("different families") != std::string::npos);
  CHECK(why("pcap:/nowhere/x.pcap").find("/nowhere/x.pcap") != std::string::npos);
  CHECK(why("wifi:wlan0") == "no port is called 'wifi': there are dgram, pcap and dpdk");
  CHECK(why("dgram") != "");
}

TEST_CASE("pcap: replays at the capture's times and records what is sent") {
  const std::string in = path_of("in.pcapng"), out = path_of("out.pcapng");
  {
    packet::PcapngWriter writer(in);
    writer.add_interface("x");
    for (unsigned i = 0; i < 3; ++i) {
      const packet::Bytes frame = frame_of(60 + i, 9);
      writer.write(0, 5'000'000'000 + 1000 * i, {frame.data(), frame.size()});
    }
    writer.close();
  }
  {
    const auto port = make_port("pcap:" + in + "," + out);
    CHECK_FALSE(port->live());
    packet::Bytes got;
    REQUIRE(port->receive(400, got));  // the first comes at once, the others at their intervals
    CHECK(got.size() == 60);
    CHECK(port->next_ns() == 1400);
    CHECK_FALSE(port->receive(1399, got));
    REQUIRE(port->receive(2400, got));
    REQUIRE(port->receive(2400, got));
    CHECK(port->next_ns() == ExternalPort::kNever);
    port->send(777, frame_of(99, 3));
  }
  const auto sent = packet::read_capture(out);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].time_ns == 777);
  CHECK(sent[0].bytes == frame_of(99, 3));
  std::remove(in.c_str());
  std::remove(out.c_str());
}

TEST_CASE("pace: a jump costs real time, and a delay is not compensated") {
  constexpr std::uint64_t kMs = 1'000'000;
  Pace pace(1);
  pace.settle(0, 0);
  CHECK(pace.limit(0) == 0);
  CHECK(pace.limit(5 * kMs) == 5 * kMs);  // the sleep permits this time
  CHECK(pace.real_ns_to(7 * kMs, 5 * kMs) == 2 * kMs);
  pace.settle(kMs, 5 * kMs);  // the evaluation took 4 ms longer: only the slack is granted
  CHECK(pace.limit(5 * kMs) == kMs + Pace::kSlackNs);
  pace.settle(kMs + Pace::kSlackNs, 5 * kMs);
  CHECK(pace.limit(5 * kMs) == kMs + Pace::kSlackNs);  // only once
  CHECK(pace.limit(6 * kMs) == 2 * kMs + Pace::kSlackNs);

  Pace slow(0.1);
  slow.settle(0, 0);
  CHECK(slow.limit(50'000) == 5'000);
  CHECK(slow.real_ns_to(kMs, 0) == 10 * kMs);

  Pace none(0);
  none.settle(5, 0);
  CHECK(none.limit(0) == ~std::uint64_t{0});
}

TEST_CASE("pace: by the clock that the other end shows in a file") {
  constexpr std::uint64_t kMs = 1'000'000;
  const std::string path = path_of("clock");
  CHECK(why_clock(path).find("No such file") != std::string::npos);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  CHECK(why_clock(path).find("no time of 8 bytes") != std::string::npos);
  const auto show = [&](std::uint64_t ns) { REQUIRE(pwrite(fd, &ns, sizeof ns, 0) == sizeof ns); };
  show(7 * kMs);
  const PeerClock clock(path);
  std::remove(path.c_str());
  CHECK_FALSE(clock.real());
  Pace pace(1, clock);
  pace.settle(0, pace.peer_ns());
  usleep(2000);  // real time does not count
  CHECK(pace.limit(pace.peer_ns()) == 0);
  CHECK(pace.real_ns_to(20 * kMs, pace.peer_ns()) == Pace::kLookNs);
  show(9 * kMs);
  CHECK(pace.limit(pace.peer_ns()) == 2 * kMs);
  CHECK(pace.real_ns_to(2 * kMs, pace.peer_ns()) == 0);

  // A node waits for the clock, and no longer.
  const auto port = make_port("dgram:45112,45113");
  LinkConfig config;
  LinkDirection out(config), in(config);
  PortBridge bridge({port.get(), nullptr, 1, clock}, out, in, {});
  CHECK(bridge.wait(0, 5 * kMs) == 0);
  CHECK(bridge.wait(0, 5 * kMs) == 0);
  show(9 * kMs + Pace::kSlackNs);
  CHECK(bridge.wait(0, 5 * kMs) == Pace::kSlackNs);
  show(11 * kMs);  // while the node did not wait
  CHECK(bridge.wait(Pace::kSlackNs, 5 * kMs) == 2 * Pace::kSlackNs);
  close(fd);
}

TEST_CASE("line: frames of a node reach the port, and those of the port the node, with faults") {
  const auto port = make_port("dgram:45110,45111"), far = make_port("dgram:45111,45110");
  LinkConfig config;
  config.delay_ns = 0;
  LinkDirection out(config), in(config);
  PortBridge bridge({port.get(), nullptr, 1}, out, in, {});
  out.inject(100, frame_of(80, 1));
  bridge.pump(200);
  packet::Bytes got;
  REQUIRE(far->receive(0, got));
  CHECK(got == frame_of(80, 1));

  far->send(0, frame_of(90, 2));
  in.faults().loss = 0;
  bridge.pump(300);
  CHECK(in.counts().frames == 1);
  CHECK(in.next_ns() < 400);

  in.faults().all_frames = true;
  in.faults().loss = 1;
  far->send(0, frame_of(90, 2));
  bridge.pump(500);
  CHECK(in.counts().dropped == 1);
}

}  // namespace
}  // namespace roci::testbench::ports

// SPDX-License-Identifier: Apache-2.0
#include "model/packet/pcapng.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "model/packet/builder.hpp"
#include "model/packet/capture.hpp"

using namespace roci::packet;
using roci::transport::Psn;

namespace {

/// A path in a folder of its own, which is removed with the object.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string folder = (std::filesystem::temp_directory_path() / "roci_pcapng_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = folder;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "run.pcapng").string(); }
  std::string run(const std::string& command) const {
    const std::string output = (folder_ / "output").string();
    if (std::system((command + " >" + output + " 2>/dev/null").c_str()) != 0) return "failed";
    std::stringstream text;
    text << std::ifstream(output).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

/// Frames of every opcode with their extension headers, over IPv4, IPv6 and a VLAN, and with RoCE
/// v1.
std::vector<Bytes> every_packet() {
  std::vector<Bytes> frames;
  const Gid one = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  const Gid two = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  for (unsigned op = 0; op < 256; ++op) {
    const OpcodeInfo* info = find_opcode(static_cast<std::uint8_t>(op));
    if (info == nullptr) continue;
    for (int shape = 0; shape < 4; ++shape) {
      Builder builder;
      builder.ethernet(0x525400000002, 0x525400000001);
      builder.bth(static_cast<std::uint8_t>(op), 0x11, Psn(op));
      if (shape == 1) builder.ipv6(one, two);
      if (shape != 1) builder.ipv4(0x0A000001, 0x0A000002);
      if (shape == 2) builder.vlan(100);
      if (shape == 3) builder.ipv6(one, two).roce_v1();
      if (info->has(Ext::kReth)) builder.reth(0x1000, 0x100, 256);
      if (info->has(Ext::kAtomicEth)) builder.atomic_eth(0x1000, 0x100, 1, 2);
      if (info->has(Ext::kAeth)) builder.aeth(0x1F, 1);
      if (info->has(Ext::kAtomicAckEth)) builder.atomic_ack_eth(3);
      if (info->has(Ext::kImmDt)) builder.imm_dt(4);
      if (info->has(Ext::kIeth)) builder.ieth(0x200);
      if (info->has(Ext::kDeth)) builder.deth(0x11111111, 5);
      if (info->payload) builder.payload(Bytes(info->end ? 61 : 256, 0xA5));
      frames.push_back(builder.build());
    }
  }
  return frames;
}

}  // namespace

TEST_CASE("pcapng: libpcap reads back frames and nanoseconds") {
  constexpr unsigned kSeed = 7;
  INFO("seed " << kSeed);
  std::mt19937_64 random(kSeed);
  const TemporaryFile file;
  std::vector<CapturedFrame> expected;
  PcapngWriter writer(file.path());
  CHECK(writer.add_interface("n0") == 0);
  CHECK(writer.add_interface("n1") == 1);
  std::uint64_t now = 0;
  for (int i = 0; i < 300; ++i) {
    now += random() % 5'000'000'000;
    Bytes frame(14 + random() % 4200);
    for (std::uint8_t& byte : frame) byte = static_cast<std::uint8_t>(random());
    writer.write(random() % 2, now, frame, i % 3 == 0 ? "dropped by the link" : "");
    expected.push_back({now, frame});
  }
  writer.close();
  const std::vector<CapturedFrame> got = read_capture(file.path());
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].time_ns == expected[i].time_ns);
    CHECK(got[i].bytes == expected[i].bytes);
  }
}

TEST_CASE("pcapng: tshark dissects every packet as RRoCE, none malformed") {
  if (std::system("command -v tshark >/dev/null 2>&1") != 0) {
    MESSAGE("tshark is not installed");
    return;
  }
  const TemporaryFile file;
  const std::vector<Bytes> frames = every_packet();
  PcapngWriter writer(file.path());
  writer.add_interface("n0");
  writer.add_interface("n1");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    writer.write(i % 2, 1000 * i + 1, frames[i], i == 3 ? "lost here" : "");
  }
  writer.close();
  const std::string text =
      file.run("tshark -r " + file.path() +
               " -T fields -E separator=, -e frame.number"
               " -e infiniband.bth.opcode -e infiniband.bth.psn -e _ws.malformed"
               " -e frame.interface_name -e frame.comment -e frame.time_epoch");
  std::istringstream lines(text);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    CAPTURE(line);
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 7);
    CHECK_FALSE(cells[1].empty());
    CHECK(cells[1] == cells[2]);  // the PSN equals the opcode
    CHECK(cells[3].empty());
    CHECK(cells[4] == (count % 2 == 0 ? "n0" : "n1"));
    CHECK(cells[5] == (count == 3 ? "lost here" : ""));
    std::ostringstream time;
    time << "0." << std::string(9 - std::to_string(1000 * count + 1).size(), '0')
         << 1000 * count + 1;
    CHECK(cells[6] == time.str());
    ++count;
  }
  CHECK(count == frames.size());
}

TEST_CASE("pcapng: a file that cannot be written gives an error of one line") {
  CHECK_THROWS_WITH_AS(PcapngWriter("/nowhere/run.pcapng"),
                       "cannot write /nowhere/run.pcapng: No such file or directory",
                       std::runtime_error);
}

TEST_CASE("pcapng: a full disk is an error, at the latest when closing") {
  if (access("/dev/full", W_OK) != 0) return;
  auto fill = [] {
    PcapngWriter writer("/dev/full");
    writer.add_interface("n0");
    for (int i = 0; i < 10; ++i) writer.write(0, 0, Bytes(100, 0));
    writer.close();
  };
  CHECK_THROWS_WITH_AS(fill(), "cannot write /dev/full: No space left on device",
                       std::runtime_error);
  CHECK(access("/dev/full", W_OK) == 0);
}

TEST_CASE("pcapng: writing after close is rejected") {
  const TemporaryFile file;
  PcapngWriter writer(file.path());
  writer.close();
  writer.close();
  CHECK_THROWS_AS(writer.add_interface("n0"), std::runtime_error);
}

// SPDX-License-Identifier: Apache-2.0
// Tests that lock-step compares what its page states, and finds a wrong byte.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/packet/capture.hpp"
#include "testbench/lockstep/repeat.hpp"
#include "testbench/nic/nic.hpp"
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;

namespace {

Config in_lockstep() {
  Config config;
  config.width = 64;
  config.lockstep = true;
  return config;
}

}  // namespace

TEST_CASE("lockstep: requests, responses, completions and memory of every operation are compared") {
  Pair pair(in_lockstep());
  pair.run([](Endpoint& self, Endpoint& peer) {
    for (unsigned i = 0; i < 4; ++i) peer.qp().receive({i, {peer.region.sge(8192, 4096)}});
    for (const Opcode opcode :
         {Opcode::kWrite, Opcode::kSend, Opcode::kRead, Opcode::kWriteImm, Opcode::kFetchAdd}) {
      const std::uint32_t bytes = opcode == Opcode::kFetchAdd ? 8 : 3000;
      self.qp().send(request(opcode, self, 0, bytes, peer, 4096));
      CHECK(self.sent().ok());
    }
  });
  const Shadow::Counts counts = pair.world.lockstep();
  CHECK(counts.requests == 3 + 3 + 1 + 3 + 1);
  CHECK(counts.responses >= 3 + 3 + 1);
  CHECK(counts.completions == 5 + 2);
  CHECK(counts.writes >= 3 + 3 + 3 + 3 + 2);
  CHECK(counts.left_out == 0);
}

namespace {

/// Runs until lock-step finds a difference; returns the report.
std::string divergence(const Config& config, const Pair::Program& on_0, const Pair::Program& on_1) {
  Pair pair(config);  // outside the block: it must not be destroyed while the exception unwinds
  try {
    pair.run(on_0, on_1);
  } catch (const Violation& violation) {
    return violation.what();
  }
  return "no divergence";
}

std::uint64_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
  return value;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder for the files that a divergence leaves.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    path = mkdtemp(name.data());
    // A repetition writes to the same files as the first run.
    setenv("ROCI_LOCKSTEP_DIR", path.c_str(), lockstep::retrace() ? 0 : 1);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// The report names seed and files; the files have the frames of the link and, if this build can
/// write them, the waveforms up to the divergence.
void check_evidence(const std::string& text, const Folder& folder, std::uint64_t seed) {
  if (lockstep::retrace()) return;  // this is the repetition
  const std::string name = "lockstep-" + std::to_string(seed);
  CHECK(text.find("seed " + std::to_string(seed)) != std::string::npos);
  CHECK(text.find(name + ".pcapng") != std::string::npos);
  CHECK_FALSE(packet::read_capture((folder.path / (name + ".pcapng")).string()).empty());
  if (!has_nic(64, true)) {
    CHECK(text.find("ROCI_LOCKSTEP_TRACE=0:") != std::string::npos);
    return;
  }
  CHECK(text.find("waveforms in " + (folder.path / name).string()) != std::string::npos);
  CHECK(text.find("another divergence") == std::string::npos);
  for (const std::string node : {"n0", "n1"}) {
    const std::string fst = content(folder.path / (name + "." + node + ".fst"));
    REQUIRE(fst.size() > 1000);
    // Header of the format: block type 0, its length, first and last time.
    CHECK(fst[0] == 0);
    CHECK(big_endian(fst, 1) == 329);
    const std::uint64_t first = big_endian(fst, 9), last = big_endian(fst, 17);
    const std::uint64_t diverged = std::strtoull(text.c_str() + text.find("at ") + 3, nullptr, 10);
    CHECK(first < last);
    CHECK(last <= diverged + 2 * kClockNs);
    // The other adapter may have been idle.
    if (text.find("lock-step: " + node) != std::string::npos) {
      CHECK(last + 2 * kClockNs >= diverged);
    }
  }
}

}  // namespace

TEST_CASE("lockstep: a byte that changed before its ACK ends the run, with a full report") {
  Folder folder;
  Config config = in_lockstep();
  config.seed = 77;
  const std::string text = divergence(
      config,
      [](Endpoint& self, Endpoint& peer) {
        std::memset(self.data(), 0x11, 2000);
        self.qp().send(request(Opcode::kWrite, self, 0, 2000, peer, 4096));
        self.sent();
      },
      [](Endpoint& self, Endpoint&) {
        // The last byte is in memory; its ACK waits for the response of memory.
        const std::uint8_t* last = self.data(4096 + 1999);
        self.node.device().wait([&] { return *last == 0x11; }, driver::Device::kForever);
        *self.data(4096 + 1500) = 0x22;
      });
  CAPTURE(text);
  CHECK(text.find("lock-step: n1") != std::string::npos);
  CHECK(text.find("is not in memory") != std::string::npos);
  CHECK(text.find("gets RcWriteLast") != std::string::npos);
  check_evidence(text, folder, config.seed);
}

TEST_CASE("lockstep: a request that is not the model's ends the run before it arrives") {
  Folder folder;
  Config config = in_lockstep();
  config.seed = 78;
  config.memory_ns = 2000;
  const std::string text = divergence(
      config,
      [](Endpoint& self, Endpoint& peer) {
        std::memset(self.data(), 0x11, 200);
        self.qp().send(request(Opcode::kWrite, self, 0, 200, peer, 4096));
        // The model has read its payload at the doorbell; the RTL reads the entry first.
        self.node.sleep(3000);
        *self.data(100) = 0x22;
        self.sent();
      },
      [](Endpoint&, Endpoint&) {});
  CAPTURE(text);
  CHECK(text.find("lock-step: n0") != std::string::npos);
  CHECK(text.find("differs from the model's of that PSN") != std::string::npos);
  CHECK(text.find("sends RcWriteOnly") != std::string::npos);
  check_evidence(text, folder, config.seed);
}

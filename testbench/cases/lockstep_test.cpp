// Lock-step compares what it says it compares, and finds a byte that is not what it should be.
#include "testbench/cases/pair.hpp"

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

TEST_CASE("lockstep: requests, answers, completions and memory of every operation are compared") {
  Pair pair(in_lockstep());
  pair.run([](Side& self, Side& peer) {
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

TEST_CASE("lockstep: a byte that changed before its ACK ends the run, with the PSN and the seed") {
  Pair pair(in_lockstep());
  std::string text;
  try {
    pair.run(
        [](Side& self, Side& peer) {
          std::memset(self.data(), 0x11, 2000);
          self.qp().send(request(Opcode::kWrite, self, 0, 2000, peer, 4096));
          self.sent();
        },
        [](Side& self, Side&) {
          // The last byte has landed; its ACK waits for the answer of memory.
          const std::uint8_t* last = self.data(4096 + 1999);
          self.node.device().wait([&] { return *last == 0x11; }, driver::Device::kForever);
          *self.data(4096 + 1500) = 0x22;
        });
  } catch (const Violation& violation) {
    text = violation.what();
  }
  CAPTURE(text);
  CHECK(text.find("lock-step: n1") != std::string::npos);
  CHECK(text.find("is not in memory") != std::string::npos);
  CHECK(text.find("gets RcWriteLast") != std::string::npos);
  CHECK(text.find("seed 1") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
// A link whose frames nothing looks at does with them what one with an observer does.
#include <doctest/doctest.h>

#include <random>

#include "model/packet/builder.hpp"
#include "testbench/link/link_direction.hpp"

using namespace roci;
using namespace roci::testbench;

namespace {

struct Observer : FrameTap {
  void frame(const FrameEvent&) override { ++seen; }
  unsigned seen = 0;
};

/// Lets two later frames overtake some.
struct Overtaking : FrameScript {
  void decide(unsigned, std::uint64_t, const packet::Parsed& parsed,
              ScriptEffect& effect) override {
    if (!parsed.has_bth || parsed.bth().psn() % 8 != 0) return;
    effect.after = 2;
    effect.text = "overtaken";
  }
  using FrameScript::set_active;
};

/// The same frames to a link with an observer and to one without; faults come and go on both.
struct Both {
  explicit Both(std::uint64_t seed)
      : random(seed), observed(config_of(seed)), plain(config_of(seed)) {
    observed.add_tap(&observer);
  }
  LinkConfig config_of(std::uint64_t seed) {
    LinkConfig config;
    config.seed = seed;
    config.script = &script;
    config.delay_ns = 40;
    return config;
  }
  template <typename Act>
  void each(Act act) {
    act(observed);
    act(plain);
  }
  void send() {
    packet::Bytes frame(20 + random() % 40);  // no RoCE, and padded
    for (auto& byte : frame) byte = static_cast<std::uint8_t>(random());
    if (random() % 4 != 0) {
      const packet::Bytes payload(4 * (random() % 300), static_cast<std::uint8_t>(random()));
      frame = packet::Builder()
                  .ethernet(1, 2)
                  .gids(packet::gid_from_ipv4(1), packet::gid_from_ipv4(2))
                  .bth(packet::kRcSendOnly, 7, transport::Psn(psn++))
                  .payload({payload.data(), payload.size()})
                  .build();
    }
    const bool injected = random() % 2 == 0;
    each([&](LinkDirection& link) {
      if (injected) {
        link.inject(now_ns, frame);
      } else {
        link.send(now_ns, frame);
      }
    });
  }
  void receive() {
    REQUIRE(observed.next_frame_ns() == plain.next_frame_ns());
    packet::Bytes first, second;
    while (observed.receive(now_ns, first)) {
      REQUIRE(plain.receive(now_ns, second));
      CHECK(first == second);
      ++arrived;
    }
    REQUIRE_FALSE(plain.receive(now_ns, second));
    CHECK(observed.ready_ns(now_ns) == plain.ready_ns(now_ns));
  }

  std::mt19937_64 random;
  Overtaking script;
  Observer observer;
  LinkDirection observed, plain;
  std::uint64_t now_ns = 0;
  std::uint32_t psn = 0;
  unsigned arrived = 0;
};

}  // namespace

TEST_CASE("link: without an observer frames arrive as with one, while faults come and go") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Both links(seed);
    unsigned sent = 0;
    for (unsigned step = 0; step < 2000; ++step) {
      const bool faulty = step / 250 % 4 == 1;
      links.script.set_active(step / 250 % 4 == 3);
      links.each([&](LinkDirection& link) {
        link.faults().all_frames = true;
        link.faults().loss = link.faults().corrupt = link.faults().duplicate =
            link.faults().reorder = faulty ? 0.05 : 0;
      });
      if (links.random() % 3 == 0 && links.plain.ready(links.now_ns)) {
        links.send();
        ++sent;
      }
      links.receive();
      links.now_ns += links.random() % 60;
    }
    links.now_ns += 1'000'000;
    links.receive();
    CHECK(links.observer.seen == sent);
    CHECK(links.arrived > sent / 2);
    const auto &observed = links.observed.counts(), &plain = links.plain.counts();
    CHECK(observed.frames == plain.frames);
    CHECK(observed.bytes == plain.bytes);
    CHECK(observed.injected == plain.injected);
    CHECK(observed.injected_bytes == plain.injected_bytes);
    CHECK(observed.delivered == plain.delivered);
    CHECK(observed.delivered_bytes == plain.delivered_bytes);
    CHECK(observed.dropped == plain.dropped);
  }
}

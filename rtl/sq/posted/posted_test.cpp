// SPDX-License-Identifier: Apache-2.0
// Work requests that come with their doorbell: what a grant finds, and what it does not.
#include <Vroci_posted.h>
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <random>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kWords = 32, kBlockWords = 16;
using Blocks = std::array<std::uint32_t, kWords>;

class Rig {
 public:
  Dut<Vroci_posted> dut;

  Rig() {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::row_write::table_id, layout::Table::kQpState);
    port::put(dut->row_write_i, layout::qp_state::state, layout::QpState::kReset);
    dut->rst_ni = 0;
    tick();
    dut->rst_ni = 1;
  }
  void tick() {
    dut.tick();
    dut->word_valid_i = dut->bell_valid_i = dut->look_i = 0;
    dut->unused_i = dut->read_i = dut->row_write_valid_i = 0;
  }
  void word(unsigned qpn, unsigned place, std::uint32_t data) {
    port::put(dut->word_i, layout::post_word::qpn, qpn);
    port::put(dut->word_i, layout::post_word::place, place);
    port::put(dut->word_i, layout::post_word::data, data);
    dut->word_valid_i = 1;
  }
  void bell(unsigned qpn, unsigned index) {
    port::put(dut->bell_i, layout::doorbell::qpn, qpn);
    port::put(dut->bell_i, layout::doorbell::index, index & 0xFFFF);
    dut->bell_valid_i = 1;
  }
  void look(unsigned qpn, unsigned index, unsigned count = 1) {
    port::put(dut->grant_i, layout::grant::qpn, qpn);
    port::put(dut->grant_i, layout::grant::wqe_index, index & 0xFFFF);
    port::put(dut->grant_i, layout::grant::count, count);
    dut->look_i = 1;
  }
  void reset_row(unsigned qpn) {
    port::put(dut->row_write_i, layout::row_write::index, qpn);
    dut->row_write_valid_i = 1;
  }
  /// Words from `first` on up to `end`, each `seed` more than its place.
  void words(unsigned qpn, unsigned first, unsigned end, std::uint32_t seed) {
    for (unsigned i = first; i < end; ++i) {
      word(qpn, i, seed + i);
      tick();
    }
  }
  void post(unsigned qpn, unsigned index, unsigned words_of_it, std::uint32_t seed) {
    words(qpn, 0, words_of_it, seed);
    bell(qpn, index + 1);
    tick();
  }
  /// Whether a grant finds it, one clock later.
  bool taken(unsigned qpn, unsigned index, unsigned count = 1) {
    look(qpn, index, count);
    tick();
    return dut->taken_o;
  }
  std::uint32_t at(unsigned place) { return port::get(dut->blocks_o, 32 * place, 32); }
  void read() {
    dut->read_i = 1;
    tick();
  }
};

}  // namespace

TEST_CASE("posted: a grant of the work request alone takes it, once") {
  for (const unsigned count : {kBlockWords, kWords}) {
    Rig r;
    r.post(3, 77, count, 0x1000);
    REQUIRE(r.taken(3, 77));
    CHECK(r.dut->two_o == (count == kWords));
    for (unsigned i = 0; i < count; ++i) CHECK(r.at(i) == 0x1000 + i);
    r.read();
    CHECK_FALSE(r.taken(3, 77));
  }
}

TEST_CASE("posted: the index of a doorbell wraps") {
  Rig r;
  r.post(3, 0xFFFF, kWords, 5);
  CHECK(r.taken(3, 0xFFFF));
}

TEST_CASE("posted: another work request, more of them, or another queue pair do not take it") {
  Rig r;
  r.post(3, 7, kWords, 1);
  CHECK_FALSE(r.taken(3, 6));  // and it is discarded
  CHECK_FALSE(r.taken(3, 7));
  r.post(3, 7, kWords, 1);
  CHECK_FALSE(r.taken(3, 7, 2));
  CHECK_FALSE(r.taken(3, 7));
  r.post(3, 7, kWords, 1);
  CHECK_FALSE(r.taken(4, 7));  // a grant of another queue pair leaves it
  CHECK(r.taken(3, 7));
}

TEST_CASE("posted: only words in order, as many as one or two blocks have, are a work request") {
  Rig r;
  for (const unsigned count : {1u, 15u, 17u, 31u}) {
    r.post(3, 7, count, 1);
    CHECK_FALSE(r.taken(3, 7));
  }
  r.words(3, 0, 5, 1);
  r.words(3, 6, kBlockWords, 1);  // word 5 is missing
  r.bell(3, 8);
  r.tick();
  CHECK_FALSE(r.taken(3, 7));
  r.words(3, 0, 9, 1);
  r.post(3, 7, kBlockWords, 40);  // from the beginning
  REQUIRE(r.taken(3, 7));
  for (unsigned i = 0; i < kBlockWords; ++i) CHECK(r.at(i) == 40 + i);
}

TEST_CASE(
    "posted: a doorbell without words, or with those of another queue pair, hands over nothing") {
  Rig r;
  r.bell(3, 8);
  r.tick();
  CHECK_FALSE(r.taken(3, 7));
  r.words(3, 0, 20, 1);
  r.words(4, 0, kBlockWords, 100);  // takes the place
  r.words(3, 20, kWords, 1);        // not taken any more
  r.bell(3, 8);
  r.tick();
  CHECK_FALSE(r.taken(3, 7));
  r.bell(4, 1);
  r.tick();
  REQUIRE(r.taken(4, 0));
  for (unsigned i = 0; i < kBlockWords; ++i) CHECK(r.at(i) == 100 + i);
}

TEST_CASE("posted: a first word discards a work request that waits for its grant") {
  Rig r;
  r.post(3, 7, kWords, 1);
  r.words(4, 0, 1, 9);
  CHECK_FALSE(r.taken(3, 7));
  r.post(3, 7, kWords, 1);
  r.words(3, 0, 1, 9);
  CHECK_FALSE(r.taken(3, 7));
}

TEST_CASE("posted: RESET of the queue pair discards, words too") {
  Rig r;
  r.post(3, 7, kWords, 1);
  r.reset_row(4);
  r.tick();
  r.reset_row(3);
  r.tick();
  CHECK_FALSE(r.taken(3, 7));
  r.words(3, 0, kBlockWords, 1);
  r.reset_row(3);
  r.tick();
  r.bell(3, 8);
  r.tick();
  CHECK_FALSE(r.taken(3, 7));
}

TEST_CASE("posted: nothing changes what was taken until it is read, or not used") {
  for (const bool used : {true, false}) {
    Rig r;
    r.post(3, 7, kWords, 1);
    r.word(5, 0, 0xDEAD);  // in the very clock of the look
    REQUIRE(r.taken(3, 7));
    r.post(5, 1, kWords, 0xBAD0);
    for (unsigned i = 0; i < kWords; ++i) CHECK(r.at(i) == 1 + i);
    CHECK_FALSE(r.taken(5, 1));
    if (used) {
      r.read();
    } else {
      r.dut->unused_i = 1;
      r.tick();
    }
    CHECK_FALSE(r.taken(5, 1));
    r.post(5, 2, kWords, 0x500);
    REQUIRE(r.taken(5, 2));
    CHECK(r.at(31) == 0x500 + 31);
  }
}

TEST_CASE("posted: whatever comes, what a grant takes is what was written before its doorbell") {
  constexpr unsigned kSeed = 20261128, kQps = 4;
  MESSAGE("seed " << kSeed);
  std::mt19937 random(kSeed);
  Rig r;
  struct Writer {
    unsigned next = kWords, end = 0, index = 0;  // word to write, words of it
    Blocks words{};
    std::deque<std::pair<unsigned, Blocks>> rung;  // by index, not granted
    unsigned length = 0;
  };
  std::array<Writer, kQps> writers;
  unsigned found = 0, looks = 0, qpn = 0;
  bool held = false;
  for (unsigned clock = 0; clock < 200000; ++clock) {
    if (random() % 64 == 0) qpn = random() % kQps;  // often a writer comes to its doorbell
    Writer& w = writers[qpn];
    if (random() % 8 != 0) {
      if (w.next < w.end) {
        r.word(qpn, w.next, w.words[w.next]);
        ++w.next;
      } else if (w.rung.size() < 3) {
        if (w.end != 0) {  // the doorbell of what was written
          r.bell(qpn, ++w.index);
          w.rung.emplace_back(w.index - 1, w.words);
          w.length = w.end;
        }
        w.next = 0;
        w.end = random() % 5 == 0 ? 0 : (random() % 2 == 0 ? kBlockWords : kWords);
        for (auto& word : w.words) word = std::uint32_t(random());
      }
    }
    if (held && random() % 4 == 0) {
      r.dut->read_i = 1;
      held = false;
    }
    unsigned look = kQps, count = 0;
    if (!held && !r.dut->read_i && random() % 6 == 0) {
      look = random() % kQps;
      count = unsigned(writers[look].rung.size());
      // The doorbell of this clock comes after its grant.
      if (r.dut->bell_valid_i && look == qpn) --count;
      if (count != 0) r.look(look, writers[look].rung.front().first, count);
    }
    r.tick();
    if (look < kQps && count != 0) {
      ++looks;
      Writer& granted = writers[look];
      if (r.dut->taken_o) {
        ++found;
        held = true;
        REQUIRE(count == 1);
        const Blocks& wanted = granted.rung.front().second;
        const unsigned words = r.dut->two_o ? kWords : kBlockWords;
        for (unsigned i = 0; i < words; ++i) REQUIRE(r.at(i) == wanted[i]);
      }
      granted.rung.erase(granted.rung.begin(), granted.rung.begin() + count);
    } else {
      REQUIRE_FALSE(r.dut->taken_o);
    }
  }
  CHECK(looks > 4000);
  CHECK(found > 100);
}

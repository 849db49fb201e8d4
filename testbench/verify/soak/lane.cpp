// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/lane.hpp"

#include <algorithm>
#include <cstring>

#include "testbench/verify/soak/couple.hpp"
#include "testbench/verify/soak/pattern.hpp"

namespace roci::soak {
namespace {

using driver::Opcode;
using driver::Status;

constexpr std::uint64_t kBind = std::uint64_t{1} << 63;  // in an identifier: no message

constexpr Opcode kOpcodes[] = {Opcode::kSend,    Opcode::kSendImm,  Opcode::kSendInv,
                               Opcode::kWrite,   Opcode::kWriteImm, Opcode::kRead,
                               Opcode::kCmpSwap, Opcode::kFetchAdd};

std::size_t stride_of(const Plan& plan) { return (plan.max_bytes + 3 * 64 + 63) / 64 * 64; }
std::size_t area_of(const Plan& plan) { return (plan.max_bytes + 4096 + 63) / 64 * 64; }
unsigned slots_of(const Plan& plan) { return 2 * plan.depth + 1; }

}  // namespace

Lane::Lane(Scene& scene, Couple& couple, unsigned from)
    : scene_(scene),
      couple_(couple),
      from_(from),
      random_(mix(scene.plan.seed + 1000003 * (2 * couple.index() + from))),
      stride_(stride_of(scene.plan)),
      area_at_(slots_of(scene.plan) * stride_),
      counter_at_(area_at_ + area_of(scene.plan) + 64),
      local_(scene.stages[from]->pd, slots_of(scene.plan) * stride_, driver::access::kAll),
      target_(scene.stages[1 - from]->pd, counter_at_ + 128,
              driver::access::kAll | driver::access::kMwBind),
      mark_at_(slots_of(scene.plan)),
      mark_bytes_(slots_of(scene.plan)) {}

void Lane::fail(const std::string& text) {
  throw Broken(couple_.index(), "connection " + std::to_string(couple_.index()) + ", node " +
                                    std::to_string(from_) + " to " + std::to_string(1 - from_) +
                                    ": " + text);
}

void Lane::begin(std::uint64_t life_key) {
  life_key_ = mix(life_key + from_);
  fill(target_.data() + area_at_, area_of(scene_.plan), life_key_);
  flights_.clear();
  waiting_.clear();
  failed_lot_.clear();
  consuming_.clear();
  landing_.clear();
  late_.clear();
  free_.clear();
  for (unsigned i = 0; i < slots_of(scene_.plan); ++i) free_.push_back(i);
  sent_ = done_ = 0;
  receives_posted_ = receives_ended_ = 0;
  failed_ = receive_flushed_ = false;
  window_open_ = false;
  window_.reset();
  const bool type2 = chance(0.7);
  window_ = std::make_unique<driver::MemoryWindow>(
      scene_.stages[1 - from_]->pd,
      type2 ? driver::WindowType::kType2 : driver::WindowType::kType1);
  bind();
}

void Lane::bind() {
  driver::QueuePair& qp = couple_.qp(1 - from_);
  if (qp.send_room() == 0) return;  // another time
  const std::uint32_t key =
      window_->type() == driver::WindowType::kType2 ? window_->next_key() : window_->key();
  driver::SendRequest r = driver::MemoryWindow::bind(
      key, target_.key(), target_.address(), target_.size(),
      driver::access::kRemoteWrite | driver::access::kRemoteRead | driver::access::kRemoteAtomic);
  r.id = kBind;
  if (window_->type() == driver::WindowType::kType1) r.remote_key = window_->next_key();
  window_->set_key(r.remote_key);
  qp.send(r);
}

void Lane::bound(bool good) { window_open_ = good; }

void Lane::mark(std::size_t at, std::size_t bytes) {
  fill(target_.data() + at, bytes, ~std::uint64_t{from_}, at);
}

void Lane::check_mark(unsigned slot, const char* when) {
  const std::size_t wrong = first_wrong(target_.data() + mark_at_[slot], mark_bytes_[slot],
                                        ~std::uint64_t{from_}, mark_at_[slot]);
  if (wrong != mark_bytes_[slot]) {
    fail("I5: byte " + std::to_string(wrong) + " of a finished place was written again, seen " +
         when);
  }
}

void Lane::choose(Message& m) {
  const Plan& plan = scene_.plan;
  unsigned all = 0;
  for (unsigned w : plan.weights) all += w;
  std::uint64_t dice = below(all);
  unsigned kind = 0;
  while (dice >= plan.weights[kind]) dice -= plan.weights[kind++];
  m.kind = static_cast<Kind>(kind);
  const bool can_invalidate = window_open_ && window_->type() == driver::WindowType::kType2;
  if (m.kind == Kind::kSendInv && !can_invalidate) m.kind = Kind::kSend;
  if (m.bad_key && (m.consumes() || m.atomic())) m.kind = Kind::kWrite;
  const std::uint32_t p = 128u << couple_.options().path_mtu;
  const std::uint32_t sizes[] = {0, 1, 3, p - 1, p, p + 1, 5 * p + 7, 65536};
  m.bytes = m.atomic() ? 8 : std::min(sizes[below(8)], plan.max_bytes);
  if (m.bad_key && m.bytes == 0) m.bytes = 1;  // no key is looked at for nothing
}

void Lane::place(Message& m) {
  const std::size_t base = m.slot * stride_ + kEdge;
  const std::size_t shift = m.atomic() ? 0 : below(64);
  m.local = m.target = base + shift;
  m.key = mix(life_key_ + 2 * m.number + 1);
  m.imm = static_cast<std::uint32_t>(m.key);
  if (m.kind == Kind::kRead) {
    // Of the area, or of what a WRITE ahead of it puts down (I14).
    Flight back;
    for (const Flight& f : flights_) {
      if (f->writes() && f->bytes > 0 && f->bytes <= scene_.plan.max_bytes && !f->bad_key) back = f;
    }
    if (back && chance(0.3)) {
      m.back_of = back->number;
      ++back->users;
      m.bytes = back->bytes;
      m.key = back->key;
      m.target = back->target;
    } else {
      m.key_at = below(area_of(scene_.plan) - m.bytes + 1);
      m.key = life_key_;
      m.target = area_at_ + m.key_at;
    }
  } else if (m.atomic()) {
    m.target = counter_at_;
    m.common = m.kind == Kind::kFetchAdd && chance(0.3);
    m.add = 1 + below(1000);
    if (!m.common) {
      m.before = counter_;
      const bool miss = m.kind == Kind::kCmpSwap && chance(0.3);
      m.after = m.kind == Kind::kFetchAdd ? m.before + m.add
                : miss                    ? m.before
                                          : m.add << 32 | m.number;
      m.key = miss ? m.before + 1 : m.before;  // what CMP_SWAP compares with
      counter_ = m.after;
    }
  } else {
    fill(local_.data() + m.local, m.bytes, m.key);
  }
  if (m.kind == Kind::kRead || m.atomic()) {
    fill(local_.data() + m.local - kEdge, m.bytes + 2 * kEdge, ~m.key);
  }
  // Whatever the message is: its place at the target is marked, and its edges stay so.
  check_mark(m.slot, "when it was used again");
  mark_at_[m.slot] = base + shift - kEdge;
  mark_bytes_[m.slot] = (m.atomic() || m.kind == Kind::kRead ? 0 : m.bytes) + 2 * kEdge;
  mark(mark_at_[m.slot], mark_bytes_[m.slot]);
}

std::vector<driver::Sge> Lane::list(driver::MemoryRegion& region, std::size_t at,
                                    std::uint32_t bytes) {
  std::vector<driver::Sge> sges;
  const std::uint64_t pieces = 1 + below(4);
  for (std::uint64_t i = 1; i < pieces && bytes > 1; ++i) {
    const auto part = static_cast<std::uint32_t>(1 + below(bytes - 1));
    sges.push_back(region.sge(at, part));
    at += part;
    bytes -= part;
  }
  if (bytes > 0) sges.push_back(region.sge(at, bytes));
  return sges;
}

driver::SendRequest Lane::request(Message& m) {
  driver::SendRequest r;
  r.id = m.number;
  r.opcode = kOpcodes[static_cast<unsigned>(m.kind)];
  r.imm = m.kind == Kind::kSendInv ? window_->key() : m.imm;
  r.signaled = m.signaled;
  r.solicited = chance(0.3);
  // A READ whose answer was lost asks again, and its key must still be there.
  r.fence = m.kind == Kind::kSendInv || chance(0.1);
  const bool by_inline = !m.atomic() && m.kind != Kind::kRead && m.bytes > 0 &&
                         m.bytes <= couple_.qp(from_).max_inline() && chance(0.5);
  if (by_inline) {
    r.inline_data = local_.data() + m.local;
    r.inline_bytes = m.bytes;
  } else if (m.atomic()) {
    r.sges = {local_.sge(m.local, 8)};
  } else {
    r.sges = list(local_, m.local, m.bytes);
  }
  r.remote_address = target_.address() + m.target;
  r.remote_key = window_open_ && chance(0.5) ? window_->key() : target_.key();
  if (m.common) {
    driver::MemoryRegion& commons = scene_.stages[1 - from_]->commons;
    r.remote_address = commons.address();
    r.remote_key = commons.key();
  }
  if (m.bad_key) r.remote_key = target_.key() ^ 0x55;
  r.swap_add = m.kind == Kind::kCmpSwap ? m.after : m.add;
  if (m.kind == Kind::kCmpSwap && m.key != m.before) r.swap_add = ~m.before;  // must not be taken
  r.compare = m.key;
  return r;
}

void Lane::post(bool bad_key, bool last) {
  auto m = std::make_shared<Message>();
  m->number = next_number_++;
  m->bad_key = bad_key;
  m->slot = free_.back();
  free_.pop_back();
  choose(*m);
  place(*m);
  const unsigned limit = couple_.is_witness() ? 1u : scene_.plan.depth;
  m->signaled = flights_.size() + 1 >= limit || bad_key || last || m->atomic() ||
                !chance(scene_.plan.unsignaled);
  driver::SendRequest r = request(*m);

  Flow::Entry entry;
  entry.kind = m->kind;
  entry.bytes = m->bytes;
  entry.key = m->key;
  entry.offset = m->key_at;
  entry.known = !m->atomic();
  entry.posted_ns = scene_.world.now_ns();
  Flow& flow = scene_.ledger.flow(couple_.index(), from_);
  scene_.ledger.posted(flow, entry);
  scene_.ledger.note(couple_.index(), scene_.world.now_ns(),
                     "node " + std::to_string(from_) + " posts " + std::to_string(m->number) + " " +
                         name_of(m->kind) + " " + std::to_string(m->bytes) + " bytes" +
                         (bad_key ? ", wrong key" : ""));
  ++scene_.tally.posted;
  ++scene_.tally.kinds[static_cast<unsigned>(m->kind)];
  flights_.push_back(m);
  if (m->writes() && m->bytes > 0 && !bad_key) landing_.push_back(m);
  if (m->kind == Kind::kSendInv) window_open_ = false;
  if (m->consumes()) {
    consuming_.push_back(m);
    if (!scene_.stages[1 - from_]->pool) {
      const bool late =
          !late_.empty() || (!couple_.is_witness() && chance(scene_.plan.late_receive));
      if (late) {
        late_.push_back({scene_.world.now_ns() + below(scene_.plan.late_ns + 1), m});
        scene_.node(1 - from_).device().wake();
      } else {
        post_receive(m);
      }
    }
  }
  ++sent_;
  couple_.post(from_, [&] { couple_.qp(from_).send(r); });
}

void Lane::send(unsigned count, unsigned trigger) {
  driver::Device& device = scene_.node(from_).device();
  driver::CompletionQueue& cq = couple_.send_cq(from_);
  const bool bad_key = couple_.ending() == Ending::kBadKey && trigger != ~0u;
  const auto may_post = [&] {
    return sent_ < count && !scene_.finish && flights_.size() < scene_.plan.depth &&
           !free_.empty() && couple_.qp(from_).send_room() > 0;
  };
  while (!couple_.over()) {
    while (!couple_.over() && may_post()) post(bad_key && sent_ == trigger, sent_ + 1 == count);
    if ((sent_ == count || scene_.finish) && flights_.empty()) break;
    const bool finish = scene_.finish;
    device.wait(
        [&] { return cq.ready() || couple_.over() || scene_.finish != finish || may_post(); },
        driver::Device::kForever);
    while (const auto c = cq.poll()) take(*c);
    if (!bad_key && done_ >= trigger) couple_.stop();
  }
}

void Lane::drain() {
  driver::Device& device = scene_.node(from_).device();
  driver::CompletionQueue& cq = couple_.send_cq(from_);
  const auto waiting = [&] {
    return std::any_of(flights_.begin(), flights_.end(),
                       [](const Flight& f) { return f->signaled; });
  };
  while (!couple_.silent(from_)) {
    while (const auto c = cq.poll()) take(*c);
    if (!waiting()) break;
    device.wait([&] { return cq.ready() || couple_.silent(from_); }, driver::Device::kForever);
  }
}

void Lane::end() {
  // Nothing can be written any more: the queue pairs are gone. What failed may have been executed.
  flights_.insert(flights_.begin(), failed_lot_.begin(), failed_lot_.end());
  bool first = true;
  bool match = false;
  std::uint64_t now;
  std::memcpy(&now, target_.data() + counter_at_, 8);
  for (const Flight& f : flights_) {
    ++scene_.tally.in_doubt;
    if (f->common) scene_.tally.doubtful[1 - from_] += f->add;
    if (f->atomic() && !f->common) {
      match |= (first && now == f->before) || now == f->after;
      first = false;
    }
  }
  if (first ? now != counter_ : !match) {
    fail("I4: the counter holds " + std::to_string(now) + ", no number of atomics gives that");
  }
  counter_ = now;
  std::vector<bool> open(slots_of(scene_.plan));
  for (const Flight& f : waiting_) open[f->slot] = true;
  const auto doubtful = [&](const Flight& f) { open[f->slot] = true; };
  std::for_each(flights_.begin(), flights_.end(), doubtful);
  std::for_each(consuming_.begin(), consuming_.end(), doubtful);
  for (unsigned slot = 0; slot < slots_of(scene_.plan); ++slot) {
    if (mark_bytes_[slot] == 0) continue;
    if (!open[slot]) {
      check_mark(slot, "at the end of a life");
    } else {
      mark(mark_at_[slot], mark_bytes_[slot]);  // the next life must leave it so (I15)
    }
  }
}

}  // namespace roci::soak

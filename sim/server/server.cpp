// SPDX-License-Identifier: Apache-2.0
#include "sim/server/server.hpp"

#include <sched.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "driver/device/clock.hpp"

namespace roci::sim {

using driver::clock_ns;

namespace {

constexpr std::uint64_t kAcceptAgainNs = 100'000'000;
// After work the simulator stays awake for so long: a program that posts again at once does not
// have to wake it.
constexpr std::uint64_t kAwakeNs = 20'000;
// Packets of a transfer follow one another sooner.
constexpr std::uint64_t kNearNs = 1000;
constexpr unsigned kWakeForPayload = 64;  // looks while the simulation runs
constexpr std::uint32_t kFirstPasid = 0x1000, kPasids = 1u << 20;

int signal_descriptor() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

Server::Server(Fabric& fabric, ClientMemory& memory, const ExternalPorts& external_ports,
               unsigned width, faults::Scripts& scripts, const TimeOptions& time,
               Descriptor listener, nlohmann::json about,
               std::function<void(const std::string&)> log)
    : fabric_(fabric),
      memory_(memory),
      external_ports_(external_ports),
      pace_(external_ports.pace(), external_ports.clock()),
      listener_(std::move(listener)),
      signals_(signal_descriptor()),
      about_(std::move(about)),
      log_(std::move(log)),
      time_(time, fabric.now_ns(), look_at_ns),
      cm_(fabric, time_, external_ports),
      faults_(fabric, scripts,
              {[this](unsigned adapter, bool up) { set_link(adapter, up); },
               [this](unsigned adapter) { kill(adapter); },
               [this](auto... write) { memory_.write_held(write...); },
               [this](unsigned adapter, const driver::Event& event) { on_event(adapter, event); }}),
      counters_(fabric, time_),
      context_{fabric,
               memory,
               external_ports,
               cm_,
               faults_,
               time_,
               width,
               [this] { return new_pasid(); },
               [this](std::shared_ptr<Client> client, driver::protocol::Header request) {
                 status(std::move(client), request);
               },
               [this] { fabric_.stop(); },
               [this](std::uint32_t adapter, bool up) { return set_link(adapter, up); },
               log_},
      next_pasid_(kFirstPasid) {
  bool wired = false;
  for (unsigned i = 0; i < fabric_.adapters(); ++i) {
    fabric_.adapter(i).set_on_event(
        [this](unsigned adapter, const driver::Event& event) { on_event(adapter, event); });
    const auto& line = fabric_.lines()[i];
    if (line == nullptr) continue;
    wired = true;
    live_ |= line->live();
  }
  if (!time_.on() && !wired) near_ns = kNearNs;
  if (time_.on()) memory_.set_on_write([this](pid_t pid) { time_.wrote(pid); });
}

void Server::run() { fabric_.run(*this); }

void Server::look(std::uint64_t now_ns) {
  if (time_.on()) return look_simulated(now_ns);
  worked_ = true;
  // Payload alone wakes nobody at once: mostly its completion follows.
  if (++looks_ % kWakeForPayload == 0) memory_.wake_waiting();
  serve(now_ns, clock_ns());
  cm_.flush(now_ns);
}

/// Returns whether the adapters received doorbells. `real_ns` is read once for all that needs it:
/// this runs between any two packets.
bool Server::serve(std::uint64_t now_ns, std::uint64_t real_ns) {
  const bool any = take_doorbells(now_ns);
  if (message_waits_ || real_ns - polled_at_ns_ >= kPollNs) {
    constexpr timespec kNoTime{0, 0};
    poll_sockets(&kNoTime);
  }
  counters_.refresh(real_ns);
  cm_.expire(real_ns);
  return any;
}

std::uint64_t Server::rest(std::uint64_t now_ns, std::uint64_t until_ns) {
  if (time_.on()) return rest_simulated(now_ns, until_ns);
  const std::uint64_t gap = until_ns - now_ns;
  // `until_ns` does not include the messages that are handled here.
  const bool served = serve(now_ns, clock_ns());
  if (cm_.flush(now_ns) || served || fabric_.has_work()) return now_ns;
  const std::uint64_t peer = live_ ? pace_.peer_ns() : 0;
  if (live_) pace_.settle(now_ns, peer);
  const bool ever = until_ns != testbench::kNever;
  if (ever && (live_ ? until_ns <= pace_.limit(peer) : gap <= SimulatedTime::kJumpNs))
    return until_ns;

  const std::uint64_t start = clock_ns();
  memory_.wake_waiting();
  frame_waits_ = false;
  const bool awake = std::exchange(worked_, false) && rings_within(std::min(gap, kAwakeNs));
  if (!awake) sleep(true);
  // The bell of a process that rang before it saw `asleep` is checked here.
  if (!awake && !rung()) {
    std::uint64_t most = !ever ? testbench::kNever : live_ ? pace_.real_ns_to(until_ns, peer) : gap;
    if (start < accept_from_ns_) most = std::min(most, kAcceptAgainNs);
    const std::uint64_t at = std::min(cm_.deadline(), counters_.deadline());
    if (at != testbench::kNever) {
      most = std::min(most, at > start ? at - start : 0);
    }
    for (const auto& line : fabric_.lines()) {
      if (line && line->needs_asking())
        most = std::min(most, testbench::ports::PortBridge::kAskingNs);
    }
    poll_for(most);
  }
  if (!awake) sleep(false);
  const std::uint64_t end = clock_ns();
  std::uint64_t reached = end - start >= gap ? until_ns : now_ns + (end - start);
  if (live_) {
    // A received frame is forwarded at once: it may have waited for this process for a while.
    const std::uint64_t limit = frame_waits_ || !ever ? now_ns : pace_.limit(pace_.peer_ns());
    reached = std::min(until_ns, std::max(now_ns, limit));
  }
  take_doorbells(reached);
  cm_.expire(end);
  cm_.flush(reached);
  return reached;
}

bool Server::rung() const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->rung(); });
}

/// Waits without sleeping, but yields to a process that may be about to ring; whether one rang.
bool Server::rings_within(std::uint64_t ns) const {
  const std::uint64_t start = clock_ns();
  while (!rung()) {
    if (clock_ns() - start >= ns) return false;
    sched_yield();
  }
  return true;
}

void Server::sleep(bool asleep) {
  for (const auto& client : clients_) client->sleep(asleep);
  time_.sleep(asleep);
}

void Server::poll_for(std::uint64_t real_ns) {
  const timespec timeout = driver::timespec_of(real_ns);
  poll_sockets(real_ns == testbench::kNever ? nullptr : &timeout);
}

bool Server::take_doorbells(std::uint64_t now_ns) {
  bool any = false;
  for (const auto& client : clients_) {
    client->publish(now_ns);
    if (!client->rung() && !client->has_posts()) continue;
    const Client::Taken taken = client->take(now_ns);
    any |= taken.doorbells;
    message_waits_ |= taken.message;
  }
  return any;
}

void Server::poll_sockets(const timespec* timeout) {
  clients_.erase(std::remove_if(clients_.begin(), clients_.end(),
                                [](const auto& client) { return client->gone(); }),
                 clients_.end());
  message_waits_ = false;
  polled_at_ns_ = clock_ns();
  const bool accepting = polled_at_ns_ >= accept_from_ns_;
  polled_.clear();
  polled_.push_back({signals_.get(), POLLIN, 0});
  polled_.push_back({accepting ? listener_.get() : -1, POLLIN, 0});
  const std::vector<std::shared_ptr<Client>> clients = clients_;
  for (const auto& client : clients) {
    const short events = client->wants_messages() ? POLLIN : 0;
    polled_.push_back({client->socket(), events, 0});
    polled_.push_back({client->pidfd(), POLLIN, 0});
  }
  const std::size_t managers = polled_.size();
  for (const auto& client : clients) polled_.push_back({client->cm_events(), 0, 0});
  const std::size_t wires = polled_.size();
  for (const auto& line : fabric_.lines()) {
    if (!line) continue;
    for (const int fd : line->descriptors()) polled_.push_back({fd, POLLIN, 0});
  }
  const std::size_t channels = polled_.size();
  for (const auto& client : clients) {
    for (const int fd : client->full_channels()) polled_.push_back({fd, POLLOUT, 0});
  }
  if (ppoll(polled_.data(), polled_.size(), timeout, nullptr) <= 0) return;

  if ((polled_[0].revents & POLLIN) != 0) fabric_.stop();
  if (polled_[1].revents != 0) accept_one();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const short message = polled_[2 + 2 * i].revents;
    const short process = polled_[3 + 2 * i].revents;
    if ((message & POLLIN) != 0) clients[i]->receive();
    // Messages sent before the end were read above; their replies are not read.
    if ((process & POLLIN) != 0 || (message & (POLLHUP | POLLERR)) != 0) clients[i]->end();
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if ((polled_[managers + i].revents & (POLLHUP | POLLERR)) != 0) clients[i]->end();
  }
  frame_waits_ = std::any_of(polled_.begin() + static_cast<std::ptrdiff_t>(wires),
                             polled_.begin() + static_cast<std::ptrdiff_t>(channels),
                             [](const pollfd& wire) { return wire.revents != 0; });
  if (polled_.size() > channels) {
    for (const auto& client : clients) client->retry_events();
  }
}

void Server::accept_one() {
  Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      accept_from_ns_ = clock_ns() + kAcceptAgainNs;
    }
    return;
  }
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 ||
      peer.uid != getuid() || clients_.size() >= kMostClients) {
    return;
  }
  clients_.push_back(std::make_shared<Client>(std::move(socket), context_));
}

void Server::on_event(unsigned adapter, const driver::Event& event) {
  if (faults_.keeps(adapter, event)) return;
  for (const auto& client : clients_) {
    if (client->takes(adapter, event)) return client->deliver(event);
  }
}

std::uint32_t Server::new_pasid() {
  for (std::uint32_t i = kFirstPasid; i < kPasids; ++i) {
    const std::uint32_t pasid = next_pasid_;
    next_pasid_ = next_pasid_ + 1 == kPasids ? kFirstPasid : next_pasid_ + 1;
    if (!memory_.holds(pasid)) return pasid;
  }
  return 0;
}

bool Server::set_link(std::uint32_t adapter, bool up) {
  if (adapter >= fabric_.adapters()) return false;
  if (faults_.killed(adapter) || fabric_.middle().linked(adapter) == up) return true;
  fabric_.middle().set_link(adapter, up);
  if (!up) counters_.count_link_down(adapter);
  if (on_link_) on_link_(adapter, up);
  for (const auto& client : clients_) {
    if (client->adapter() == adapter) client->report_port(up);
  }
  return true;
}

/// The adapter does nothing any more, and its processes are notified.
void Server::kill(unsigned adapter) {
  fabric_.middle().set_link(adapter, false);
  for (const auto& client : clients_) {
    if (client->adapter() != adapter || client->pasid() == 0 || client->ended()) continue;
    memory_.retire(client->pasid());
    client->report_fatal();
  }
  cm_.remove(adapter);
}

}  // namespace roci::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/server/fault_control.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

using driver::protocol::FaultRequest;
using driver::protocol::kMostScriptBytes;

/// The text of a memfd. Other files are stopped, as reading them could block. Throws UserError.
std::string text_of(const Descriptor& file) {
  struct stat found {};
  if (!file || fcntl(file.get(), F_GET_SEALS) < 0 || fstat(file.get(), &found) != 0 ||
      found.st_size < 0 || static_cast<std::size_t>(found.st_size) > kMostScriptBytes) {
    throw UserError("the script must be a memfd of at most 1 MiB", 2);
  }
  std::string text(static_cast<std::size_t>(found.st_size), '\0');
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

}  // namespace

Descriptor file_of(const std::string& text) {
  Descriptor file(memfd_create("roci-reply", MFD_CLOEXEC));
  if (file && write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    file.reset();
  }
  return file;
}

FaultControl::FaultControl(Fabric& fabric, faults::Scripts& scripts, Actions actions)
    : fabric_(fabric), scripts_(scripts), actions_(std::move(actions)) {
  scripts_.attach(*this, fabric_.now_ns());
}

void FaultControl::set_on_memory(std::function<void(bool)> call) {
  on_memory_ = std::move(call);
  on_memory_(scripts_.watches_memory());
}

nlohmann::json FaultControl::request(const driver::protocol::Faults& message,
                                     const Descriptor& script) {
  nlohmann::json reply = nlohmann::json::object();
  try {
    switch (static_cast<FaultRequest>(message.request)) {
      case FaultRequest::kList:
        break;
      case FaultRequest::kAdd:
        reply["added"] = scripts_.add(
            text_of(script),
            std::string(message.source, strnlen(message.source, sizeof message.source)));
        break;
      case FaultRequest::kClear:
        if (!scripts_.clear(message.number)) {
          reply["error"] = "no fault " + std::to_string(message.number);
        }
        break;
      default:
        reply["error"] = "no such request";
    }
  } catch (const UserError& error) {
    reply["error"] = error.what();
  }
  if (on_memory_) on_memory_(scripts_.watches_memory());
  reply["faults"] = scripts_.list();
  return reply;
}

unsigned FaultControl::owner(packet::Mac mac) const { return fabric_.middle().owner(mac); }

void FaultControl::send_nak(unsigned sender, std::uint64_t at_ns, packet::Bytes frame,
                            std::string text, std::function<bool(bool)> ready) {
  const unsigned adapters = fabric_.adapters();
  if (sender >= adapters && !fabric_.middle().has_external_port(sender - adapters)) return;
  try_to_send(at_ns, {sender, std::move(frame), std::move(text), std::move(ready)});
}

void FaultControl::try_to_send(std::uint64_t at_ns, Waiting nak) {
  constexpr std::uint64_t kAgainNs = 1000;
  constexpr unsigned kMostTries = 10'000;
  fabric_.middle().at(at_ns, [this, at_ns, nak = std::move(nak)]() mutable {
    if (nak.ready(++nak.tries == kMostTries)) {
      fabric_.middle().entry(nak.sender).inject_as(at_ns, nak.frame, nak.text);
    } else {
      try_to_send(at_ns + kAgainNs, std::move(nak));
    }
  });
}

void FaultControl::unplug(unsigned adapter, std::uint64_t until_ns) {
  actions_.set_link(adapter, false);
  at(until_ns, [this, adapter] { actions_.set_link(adapter, true); });
}

void FaultControl::kill(unsigned adapter) {
  if (killed_.insert(adapter).second) actions_.kill(adapter);
}

void FaultControl::write(std::uint32_t pasid, std::uint64_t address, const packet::Bytes& bytes) {
  actions_.write(pasid, address, bytes);
}

void FaultControl::report_completions(unsigned adapter, std::uint32_t queue) {
  actions_.report(adapter, {driver::EventKind::kCompletion, queue});
}

void FaultControl::at(std::uint64_t at_ns, std::function<void()> call) {
  fabric_.middle().at(at_ns, std::move(call));
}

}  // namespace roci::sim

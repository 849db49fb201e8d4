// SPDX-License-Identifier: Apache-2.0
#include "sim/server/faults_of.hpp"

#include <fmt/format.h>

#include "driver/device/passing.hpp"
#include "driver/device/protocol.hpp"
#include "sim/report/files.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/fault_control.hpp"
#include "sim/server/status.hpp"

namespace roci::sim {
namespace {

using driver::protocol::FaultRequest;

nlohmann::json exchange_faults(const Descriptor& socket, FaultRequest request, unsigned number,
                               const std::string& source, const Descriptor& script) {
  driver::protocol::Faults message{};
  message.header = {static_cast<std::uint32_t>(driver::protocol::Kind::kFaults), 1};
  message.request = static_cast<std::uint32_t>(request);
  message.number = number;
  source.copy(message.source, sizeof message.source - 1);
  const Descriptor file(exchange(socket.get(), &message, sizeof message, script.get()));
  nlohmann::json reply = json_of(file);
  if (reply.contains("error")) throw UserError(reply["error"].get<std::string>(), 2);
  return reply;
}

}  // namespace

nlohmann::json faults_of(const Instance& instance) {
  return faults_of(Descriptor(instance.connect()));
}

nlohmann::json faults_of(const Descriptor& socket) {
  return exchange_faults(socket, FaultRequest::kList, 0, "", Descriptor())["faults"];
}

nlohmann::json add_faults(const Instance& instance, const std::string& script,
                          const std::string& source) {
  return exchange_faults(Descriptor(instance.connect()), FaultRequest::kAdd, 0, source,
                         file_of(script));
}

void clear_faults(const Instance& instance, unsigned number) {
  exchange_faults(Descriptor(instance.connect()), FaultRequest::kClear, number, "", Descriptor());
}

std::string fault_text(const nlohmann::json& fault) {
  const auto name = fault["name"].get<std::string>();
  return fmt::format("fault {}{} ({}:{}, {})", fault["number"].get<unsigned>(),
                     name.empty() ? "" : " '" + name + "'", fault["source"].get<std::string>(),
                     fault["line"].get<unsigned>(), fault["action"].get<std::string>());
}

void print_silent_faults(const nlohmann::json& faults) {
  for (const auto& fault : faults) {
    if (fault["fired"] == 0) fmt::print("{} never fired\n", fault_text(fault));
  }
}

}  // namespace roci::sim

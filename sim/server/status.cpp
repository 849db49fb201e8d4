// SPDX-License-Identifier: Apache-2.0
#include "sim/server/status.hpp"

#include <fmt/format.h>

#include <string>

#include "driver/device/protocol.hpp"
#include "sim/report/files.hpp"
#include "sim/server/descriptor.hpp"

namespace roci::sim {

nlohmann::json status_of(const Instance& instance, bool queue_pairs) {
  using driver::protocol::Kind;
  const Descriptor socket(instance.connect());
  const Kind kind = queue_pairs ? Kind::kQueuePairs : Kind::kStatus;
  return json_of(Descriptor(exchange(socket.get(), static_cast<unsigned>(kind))));
}

nlohmann::json json_of(const Descriptor& file) {
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  off_t at = 0;
  while (file && (got = pread(file.get(), buffer, sizeof buffer, at)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
  nlohmann::json all = nlohmann::json::parse(text, nullptr, false);
  if (all.is_discarded()) throw UserError("the simulator does not send its status");
  return all;
}

std::vector<unsigned> adapters_of(const nlohmann::json& status, const std::string& name) {
  const nlohmann::json& adapters = status["nodes"];
  std::vector<unsigned> found;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    const auto node = adapters[i]["node"].get<std::string>();
    if (name == node || name == node + "/" + adapters[i]["adapter"].get<std::string>()) {
      found.push_back(static_cast<unsigned>(i));
    }
  }
  if (!found.empty()) return found;
  const auto last = adapters.back()["name"].get<std::string>();
  throw UserError(fmt::format("no node '{}'; '{}' has {}", name, status["name"].get<std::string>(),
                              adapters.size() == 1 ? "n0" : "n0 to " + last));
}

}  // namespace roci::sim

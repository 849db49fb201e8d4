// SPDX-License-Identifier: Apache-2.0
#include "sim/server/status.hpp"

#include <fmt/format.h>

#include <string>

#include "driver/device/protocol.hpp"
#include "sim/report/files.hpp"
#include "sim/server/descriptor.hpp"

namespace roci::sim {

nlohmann::json status_of(const Instance& instance) {
  const Descriptor socket(instance.connect());
  const Descriptor file(
      exchange(socket.get(), static_cast<unsigned>(driver::protocol::Kind::kStatus)));
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

unsigned index_of(const nlohmann::json& status, const std::string& node) {
  const nlohmann::json& nodes = status["nodes"];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]["name"] == node) return static_cast<unsigned>(i);
  }
  throw UserError(
      fmt::format("no node '{}'; '{}' has {}", node, status["name"].get<std::string>(),
                  nodes.size() == 1 ? "n0" : fmt::format("n0 to n{}", nodes.size() - 1)));
}

}  // namespace roci::sim

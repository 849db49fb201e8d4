// SPDX-License-Identifier: Apache-2.0
// roci fault: faults under the programs of a simulator in the background.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/server/faults_of.hpp"

namespace roci::sim {
namespace {

struct FaultOptions {
  std::string name = "default";
  std::string action;
  std::vector<std::string> words;
  bool json = false;
};

/// A table of TOML from words such as "action=drop", each in a line of its own.
std::string script_of(const std::vector<std::string>& words) {
  std::string text = "[[fault]] ";
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw UserError(fmt::format("'{}' is neither the only file nor FIELD=VALUE", word), 2);
    }
    const std::string value = word.substr(sign + 1);
    const bool number = !value.empty() && value.find_first_not_of("-0123456789") == value.npos;
    if (value.find_first_of("\"\\\n") != value.npos) {
      throw UserError(fmt::format("'{}' is not a value; write a file", value), 2);
    }
    const bool plain = number || value == "true" || value == "false";
    text += fmt::format("\n{} = {}", word.substr(0, sign), plain ? value : '"' + value + '"');
  }
  return text;
}

int add(const FaultOptions& options) {
  const Instance instance(options.name);
  const bool file = options.words.size() == 1 && options.words[0].find('=') == std::string::npos;
  nlohmann::json reply;
  if (file) {
    const std::vector<std::uint8_t> bytes = read_file(options.words[0]);
    reply = add_faults(instance, {bytes.begin(), bytes.end()}, options.words[0]);
  } else {
    reply = add_faults(instance, script_of(options.words), "arguments");
  }
  for (const auto& number : reply["added"]) fmt::print("fault {}\n", number.get<unsigned>());
  return 0;
}

int list(const FaultOptions& options) {
  const nlohmann::json faults = faults_of(Instance(options.name));
  if (options.json) {
    fmt::print("{}\n", faults.dump(2));
    return 0;
  }
  for (const auto& fault : faults) {
    fmt::print("{}: matched {}, fired {}\n", fault_text(fault),
               fault["matched"].get<std::uint64_t>(), fault["fired"].get<std::uint64_t>());
    for (const auto& entry : fault["log"]) {
      const auto time = entry["time_ns"].get<std::uint64_t>();
      const auto text = entry["text"].get<std::string>();
      if (entry.contains("psn")) {
        fmt::print("  {} ns: {} to {}, {} PSN {:#x} to queue pair {}: {}\n", time,
                   entry["from"].get<std::string>(), entry["to"].get<std::string>(),
                   entry["opcode"].get<std::string>(), entry["psn"].get<unsigned>(),
                   entry["dest_qp"].get<unsigned>(), text);
      } else {
        fmt::print("  {} ns: {}\n", time, text);
      }
    }
  }
  return 0;
}

int clear(const FaultOptions& options) {
  unsigned number = 0;
  if (!options.words.empty()) {
    const std::string& word = options.words[0];
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || stop != end || number == 0 || options.words.size() > 1) {
      throw UserError("clear takes the number of one fault, or nothing", 2);
    }
  }
  clear_faults(Instance(options.name), number);
  return 0;
}

int run(const FaultOptions& options) {
  if (options.action == "add") {
    if (options.words.empty()) throw UserError("add takes a file or FIELD=VALUE ...", 2);
    return add(options);
  }
  if (options.action == "clear") return clear(options);
  if (!options.words.empty()) throw UserError("list takes no words", 2);
  return list(options);
}

}  // namespace

void add_fault(Command program, Action& action) {
  auto options = std::make_shared<FaultOptions>();
  const Command command =
      program.add_command("fault",
                          "add, list or clear faults under the programs of a simulator in the "
                          "background");
  add_instance_name(command, options->name);
  command.add_option("ACTION", options->action, "add, list or clear")
      .required()
      .one_of({"add", "list", "clear"});
  command.add_option("WORDS", options->words,
                     "of add: a file (TOML), or one fault as FIELD=VALUE ...; of clear: the number "
                     "of a fault, default all");
  command.add_flag("--json", options->json, "print the list as JSON");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim

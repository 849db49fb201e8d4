// SPDX-License-Identifier: Apache-2.0
// roci interop: tests a node against Soft-RoCE, by testbench/verify/interop/run.py.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

int run(const std::vector<std::string>& words) {
  if (!std::filesystem::exists(ROCI_INTEROP)) {
    throw UserError("'roci interop' works in the source tree only: no " ROCI_INTEROP);
  }
  std::vector<std::string> line = {
      ROCI_PYTHON, ROCI_INTEROP,
      "--roci",    std::filesystem::read_symlink("/proc/self/exe").string(),
      "--cache",   ROCI_INTEROP_CACHE};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  pointers.reserve(line.size() + 1);
  for (std::string& word : line) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  throw UserError(fmt::format("cannot run {}: {}", ROCI_PYTHON, std::strerror(errno)));
}

}  // namespace

void add_interop(Command program, Action& action) {
  struct Options {
    std::vector<std::string> names;
    bool list = false, quick = false;
    std::string out, report, width;
  };
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("interop", "run our node against Linux Soft-RoCE in a QEMU guest");
  command.add_option("SCENARIO", options->names, "name or pattern such as 'read_*'; none: all");
  command.add_flag("--list", options->list, "names of all scenarios");
  command.add_flag("--quick", options->quick, "the short set");
  command.add_option("--out", options->out, "folder for captures and logs [roci-interop]")
      .type_name("DIR");
  command.add_option("--width", options->width, "data path of our engine: 64 or 512 bits")
      .one_of({"64", "512"})
      .type_name("BITS");
  command.add_option("--report", options->report, "page to write the results into")
      .type_name("FILE");
  command.callback([options, &action] {
    action = [options] {
      std::vector<std::string> words;
      if (options->list) words.emplace_back("--list");
      if (options->quick) words.emplace_back("--quick");
      if (!options->out.empty()) words.insert(words.end(), {"--out", options->out});
      if (!options->width.empty()) words.insert(words.end(), {"--width", options->width});
      if (!options->report.empty()) words.insert(words.end(), {"--report", options->report});
      words.insert(words.end(), options->names.begin(), options->names.end());
      return run(words);
    };
  });
}

}  // namespace roci::sim

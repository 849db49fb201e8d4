// SPDX-License-Identifier: Apache-2.0
// roci conform and roci soak: the program roci-verify has these commands.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

int run(const std::string& command, const std::vector<std::string>& words) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "roci-verify";
  std::vector<std::string> line = {program, command};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : line) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  if (errno == ENOENT) {
    throw UserError(
        fmt::format("'roci {}' needs {}, which is not there: build it in the source tree with "
                    "'cmake --build build --target roci-verify'",
                    command, program));
  }
  throw UserError(fmt::format("cannot run {}: {}", program, std::strerror(errno)));
}

}  // namespace

void add_verify(Command program, Action& action) {
  for (const auto& [name, text] : {std::pair{"conform", kConformText}, {"soak", kSoakText}}) {
    const Command command = program.add_command(name, text);
    // The words go to the other program, --help too.
    command.take_all_words();
    command.callback([command, &action] {
      action = [command] { return run(command.name(), command.words()); };
    });
  }
}

}  // namespace roci::sim

// SPDX-License-Identifier: Apache-2.0
#include "testbench/lockstep/repeat.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace roci::testbench::lockstep {
namespace {

constexpr const char* kVariable = "ROCI_LOCKSTEP_TRACE";  // WORLD:FROM_NS:PATH

struct Present {
  std::vector<std::string> arguments;
  unsigned worlds = 0;
};
Present& present() {
  static Present now;
  return now;
}

std::string value_of(const Retrace& r) {
  return std::to_string(r.world) + ":" + std::to_string(r.from_ns) + ":" + r.path;
}

std::string executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length < 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace

void begin(std::vector<std::string> arguments) { present() = {std::move(arguments), 0}; }

unsigned next_world() { return present().worlds++; }

const std::optional<Retrace>& retrace() {
  static const std::optional<Retrace> kGiven = []() -> std::optional<Retrace> {
    const char* text = std::getenv(kVariable);
    if (text == nullptr) return {};
    Retrace r;
    char* end = nullptr;
    r.world = static_cast<unsigned>(std::strtoul(text, &end, 10));
    if (*end == ':') r.from_ns = std::strtoull(end + 1, &end, 10);
    if (*end != ':' || end[1] == '\0') {
      throw std::invalid_argument(std::string(kVariable) + " is not WORLD:FROM_NS:PATH");
    }
    r.path = end + 1;
    return r;
  }();
  return kGiven;
}

std::string command(const Retrace& retrace) {
  std::string text = std::string(kVariable) + "=" + value_of(retrace);
  if (present().arguments.empty()) return text + " and the same command";
  text += " " + executable();
  for (const std::string& argument : present().arguments) text += " '" + argument + "'";
  return text;
}

std::string repeat(const Retrace& retrace, const std::string& text) {
  if (present().arguments.empty()) return "for waveforms: " + command(retrace);
  const std::string program = executable();
  const std::string report_path = retrace.path + ".again";
  unlink(report_path.c_str());

  std::vector<std::string> words = present().arguments;
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string variable = std::string(kVariable) + "=" + value_of(retrace);
  std::vector<char*> environment;
  for (char** at = environ; *at != nullptr; ++at) environment.push_back(*at);
  environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return "no waveforms: " + program + ": " + std::strerror(failed);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::ifstream file(report_path);
  std::stringstream report;
  report << file.rdbuf();
  unlink(report_path.c_str());
  if (!file) return "no waveforms: the repeated run did not diverge";
  const std::string names = "waveforms in " + retrace.path + ".n*.fst";
  if (report.str() != text) return names + ", of a run with another divergence: " + report.str();
  return names;
}

void repeated(const std::string& text) { std::ofstream(retrace()->path + ".again") << text; }

}  // namespace roci::testbench::lockstep

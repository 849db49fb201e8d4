// SPDX-License-Identifier: Apache-2.0
// The command line, by CLI11, whose headers only command_line.cpp includes: they take the compiler
// seconds for each file.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace roci::sim {

/// An option or a positional argument. What says more about it returns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// Name of the value in the help.
  Option type_name(const std::string& name) const;
  /// The help shows the value that the target has now.
  Option show_default() const;
  Option required() const;
  /// The value is one of these.
  Option one_of(const std::vector<std::string>& words) const;
  Option one_of(std::initializer_list<const char*> words) const;
  Option one_of(std::initializer_list<int> numbers) const;
  /// The value lies between these; for int, unsigned, std::size_t and double.
  template <typename Number>
  Option range(Number least, Number most) const;
  /// A word holds several values, with this character between them.
  Option delimiter(char character) const;
  /// The option may come several times, with a value each time.
  Option repeated() const;
  /// It is an error without the other option, or beside it.
  Option needs(Option other) const;
  Option excludes(Option other) const;

  /// Whether the command line has it.
  bool given() const;

 private:
  CLI::Option* option_;
};

/// A command, or the program. A copy stands for the same one.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_command(const std::string& name, const std::string& text) const;
  /// The target keeps its value when the option is not given. For the types that command_line.cpp
  /// lists.
  template <typename Value>
  Option add_option(const std::string& name, Value& target, const std::string& text) const;
  Option add_flag(const std::string& name, bool& target, const std::string& text) const;
  /// `parse` receives the value; when it throws std::invalid_argument, the error names the option.
  Option add_parsed(const std::string& name, std::function<void(const std::string&)> parse,
                    const std::string& text) const;
  Option option(const std::string& name) const;
  void set_version(const std::string& text) const;
  /// All words after the command are left as they are, --help too.
  void take_all_words() const;
  std::vector<std::string> words() const;
  std::string name() const;
  /// `parsed` runs when the command line has this command.
  void callback(std::function<void()> parsed) const;

 private:
  CLI::App* app_;
};

/// The command line of a program that is called `roci` in its messages.
class CommandLine {
 public:
  explicit CommandLine(const std::string& text);
  ~CommandLine();

  Command program() const { return Command(*app_); }
  /// Parses the words. Returns the exit status when help or version was asked for and printed.
  /// Throws UserError.
  std::optional<int> parse(int argc, char** argv) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace roci::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

/// The error text for a whole number that no option can hold; empty: any other text.
std::string range_error(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  const char* digits = text.c_str() + (negative ? 1 : 0);
  if (*digits == 0 || std::strspn(digits, "0123456789") != std::strlen(digits)) return {};
  errno = 0;
  std::strtoull(digits, nullptr, 10);
  return negative || errno == ERANGE ? fmt::format("{} is out of range", text) : std::string();
}

/// Makes the options of all commands reject whole numbers below 0 or above 2^64 - 1. CLI11 alone
/// wraps them around for an option that holds an unsigned number.
void reject_numbers_that_wrap(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      if (!option->get_positional() && option->get_items_expected_max() != 0) {
        option->check(range_error);
      }
    }
  }
}

}  // namespace

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

// A check without description: CLI11 would add it to the name of the value in the help.
Option Option::one_of(const std::vector<std::string>& words) const {
  option_->check(CLI::IsMember(words).description(""));
  return *this;
}

Option Option::one_of(std::initializer_list<const char*> words) const {
  return one_of(std::vector<std::string>(words.begin(), words.end()));
}

Option Option::one_of(std::initializer_list<int> numbers) const {
  option_->check(CLI::IsMember(numbers).description(""));
  return *this;
}

template <typename Number>
Option Option::range(Number least, Number most) const {
  option_->check(CLI::Range(least, most).description(""));
  return *this;
}

template Option Option::range(int, int) const;
template Option Option::range(unsigned, unsigned) const;
template Option Option::range(std::size_t, std::size_t) const;
template Option Option::range(double, double) const;

Option Option::delimiter(char character) const {
  option_->delimiter(character);
  return *this;
}

Option Option::repeated() const {
  option_->expected(1)->take_all();
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const { return option_->count() != 0; }

Command Command::add_command(const std::string& name, const std::string& text) const {
  return Command(*app_->add_subcommand(name, text));
}

template <typename Value>
Option Command::add_option(const std::string& name, Value& target, const std::string& text) const {
  return Option(app_->add_option(name, target, text));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, unsigned&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint8_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint32_t>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<unsigned>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&,
                                    const std::string&) const;

Option Command::add_flag(const std::string& name, bool& target, const std::string& text) const {
  return Option(app_->add_flag(name, target, text));
}

Option Command::add_parsed(const std::string& name, std::function<void(const std::string&)> parse,
                           const std::string& text) const {
  return Option(app_->add_option_function<std::string>(
      name,
      [name, parse = std::move(parse)](const std::string& value) {
        try {
          parse(value);
        } catch (const std::invalid_argument& error) {
          throw CLI::ValidationError(name, error.what());
        }
      },
      text));
}

Option Command::option(const std::string& name) const { return Option(app_->get_option(name)); }

void Command::set_version(const std::string& text) const {
  app_->set_version_flag("--version", text);
}

void Command::take_all_words() const { app_->prefix_command()->set_help_flag(); }

std::vector<std::string> Command::words() const { return app_->remaining(); }

std::string Command::name() const { return app_->get_name(); }

void Command::callback(std::function<void()> parsed) const { app_->callback(std::move(parsed)); }

CommandLine::CommandLine(const std::string& text) : app_(std::make_unique<CLI::App>(text)) {
  app_->name("roci");
  app_->require_subcommand(1);
  app_->footer(
      "'roci COMMAND --help' prints the options of a command. 'roci test' runs the tests.\n"
      "'roci board' builds the bitstream of a board.");
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, char** argv) const {
  const auto is_first_word = [&](const CLI::App* command) {
    return argc > 1 && command->check_name(argv[1]);
  };
  if (argc > 1 && argv[1][0] != '-' && app_->get_subcommands(is_first_word).empty()) {
    throw UserError(fmt::format("no command '{}'; see 'roci --help'", argv[1]), 2);
  }
  reject_numbers_that_wrap(*app_);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app_->exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app_->exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app_->exit(version);
  } catch (const CLI::ParseError& error) {
    const std::string text = error.what();
    throw UserError(fmt::format("{}; see --help", text.substr(0, text.find('\n'))), 2);
  }
  return std::nullopt;
}

}  // namespace roci::sim

// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/registry.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace roci::conform {
namespace {

/// Function-local, so that it is constructed before the first test file registers.
std::vector<Test>& registered() {
  static std::vector<Test> all;
  return all;
}

std::string_view group_of(std::string_view id) { return id.substr(0, id.find('-')); }

/// Returns the position of a statement in the table; the end for an unknown one.
std::size_t position_of(std::string_view id) {
  const auto& all = statements();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == id; });
  return static_cast<std::size_t>(found - all.begin());
}

const char* title_of(std::string_view group) {
  if (group == "WIRE") return "Frames and the first checks on them";
  if (group == "RQ") return "Requester";
  if (group == "RSP") return "Responder";
  if (group == "QP") return "Queue pair states";
  if (group == "CQ") return "Completions and events";
  if (group == "UC") return "Unreliable connections";
  if (group == "UD") return "Datagrams";
  if (group == "CC") return "Congestion";
  if (group == "CM") return "Connection manager";
  if (group == "MR") return "Keys, regions and windows";
  return "Completion statuses";
}

}  // namespace

Registrar::Registrar(const char* ids, const char* title, void (*body)(Fixture&),
                     const Needs& needs) {
  Test test;
  std::istringstream words(ids);
  for (std::string id; words >> id;) test.ids.push_back(id);
  test.title = title;
  test.body = body;
  test.needs = needs;
  registered().push_back(std::move(test));
}

bool Test::cites(std::string_view pattern) const {
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::string& id) { return matches(pattern, id); });
}

std::vector<Test> tests() {
  std::vector<Test> all = registered();
  std::stable_sort(all.begin(), all.end(), [](const Test& a, const Test& b) {
    const std::size_t at_a = position_of(a.ids.at(0)), at_b = position_of(b.ids.at(0));
    return at_a != at_b ? at_a < at_b : a.title < b.title;
  });
  return all;
}

const Statement* find_statement(std::string_view id) {
  const std::size_t position = position_of(id);
  return position == statements().size() ? nullptr : &statements()[position];
}

bool matches(std::string_view pattern, std::string_view id) {
  if (pattern.find_first_of("*?") == std::string_view::npos) {
    return pattern == id || pattern == group_of(id);
  }
  // The last star may match fewer characters.
  std::size_t p = 0, i = 0, star = std::string_view::npos, taken = 0;
  while (i < id.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = i;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == id[i])) {
      ++p;
      ++i;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string document() {
  std::ostringstream out;
  out << "# Conformance\n\n"
         "What the adapter must do, and the tests that show it. Written from "
         "`testbench/verify/conform` "
         "by\n"
         "`roci conform --docs`; `roci conform` runs the tests. P0: without it no connection "
         "works,\n"
         "P1: needed, P2: wanted. *long*: only with `--long`, which also takes the counts that "
         "the\n"
         "statements ask for where they cost minutes.\n";
  const std::vector<Test> all = tests();
  std::string_view group;
  for (const Statement& s : statements()) {
    if (group_of(s.id) != group) {
      group = group_of(s.id);
      out << "\n## " << group << ": " << title_of(group)
          << "\n\n| id | P | statement | tests |\n|---|---|---|---|\n";
    }
    out << "| " << s.id << " | " << s.priority << " | " << s.text << " | ";
    const char* between = "";
    for (const Test& test : all) {
      if (!test.cites(s.id)) continue;
      out << between << test.title << (test.needs.time ? " (*long*)" : "");
      between = "; ";
    }
    if (s.source != nullptr) out << between << "`" << s.source << "`";
    if (s.waived != nullptr) out << between << "*" << s.waived << "*";
    out << " |\n";
  }
  return out.str();
}

std::vector<std::string> check_coverage() {
  std::vector<std::string> wrong;
  std::set<std::string> seen;
  for (const Statement& s : statements()) {
    if (!seen.insert(s.id).second) wrong.push_back(std::string(s.id) + " occurs twice");
  }
  const std::vector<Test> all = tests();
  if (all.empty()) wrong.emplace_back("no tests");
  std::set<std::string> titles;
  for (const Test& test : all) {
    if (!titles.insert(test.title).second) wrong.push_back("two tests are called " + test.title);
    for (const std::string& id : test.ids) {
      if (find_statement(id) == nullptr) wrong.push_back(test.title + ": no statement " + id);
    }
  }
  for (const Statement& s : statements()) {
    const bool tested = std::any_of(all.begin(), all.end(),
                                    [&](const Test& t) { return !t.needs.time && t.cites(s.id); });
    if (!tested && s.waived == nullptr && s.source == nullptr && s.priority < 2) {
      wrong.push_back(std::string(s.id) + " has no test");
    }
  }
  return wrong;
}

}  // namespace roci::conform

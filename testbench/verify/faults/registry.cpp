// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/registry.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "testbench/verify/conform/registry.hpp"
#include "testbench/verify/faults/apart.hpp"

namespace roci::testbench::faults {
namespace {

/// Function-local, so that it is constructed before the first test file registers.
std::vector<Entry>& registered() {
  static std::vector<Entry> all;
  return all;
}

const char* section_of(std::string_view id) {
  if (id == "F-01") return "On the link";
  if (id == "F-50") return "A hostile or defective peer";
  if (id == "F-80") return "The host's side";
  return nullptr;
}

bool plays(const Entry& entry, std::string_view id) {
  return std::find(entry.ids.begin(), entry.ids.end(), id) != entry.ids.end();
}

bool is_conform_test(std::string_view title) {
  const auto all = conform::tests();
  return std::any_of(all.begin(), all.end(), [&](const auto& t) { return t.title == title; });
}

}  // namespace

Registrar::Registrar(const char* ids, const char* title, const char* seen) {
  Entry entry{{}, title, seen};
  std::istringstream words(ids);
  for (std::string id; words >> id;) entry.ids.push_back(id);
  registered().push_back(std::move(entry));
}

const std::vector<Entry>& entries() { return registered(); }

std::string document() {
  std::ostringstream out;
  out << "# Fault schedules\n\n"
         "What may go wrong on the link, in the peer and at the host, and the tests that run it. "
         "Written from\n"
         "`testbench/verify/faults` by `faults_case --docs`; CTest `faults.docs_current` holds it. "
         "Each "
         "test "
         "runs on the RTL\n"
         "(64 bits in lock-step with the reference adapter; 512 under the label `soak`) and on the "
         "reference\n"
         "adapter, under all invariants "
         "([testbench/verify/faults](../testbench/verify/faults/README.md)). *conform* "
         "marks tests\n"
         "of `roci conform`.\n";
  std::vector<Entry> all = entries();
  std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return a.ids.at(0) != b.ids.at(0) ? a.ids.at(0) < b.ids.at(0)
                                      : std::string_view(a.title) < std::string_view(b.title);
  });
  for (const Schedule& s : schedules()) {
    if (const char* section = section_of(s.id)) {
      out << "\n## " << section << "\n\n| id | schedule | tests | expected |\n|---|---|---|---|\n";
    }
    out << "| " << s.id << " | " << s.text << " | ";
    std::ostringstream seen;
    const char* between = "";
    for (const Entry& entry : all) {
      if (!plays(entry, s.id)) continue;
      out << between << entry.title;
      seen << between << entry.seen;
      between = "; ";
    }
    for (const char* title : s.conform) {
      out << between << "*conform* " << title;
      between = "; ";
    }
    if (s.waived != nullptr) out << between << "*" << s.waived << "*";
    out << " | " << seen.str() << " |\n";
  }
  out << "\n## Not in lock-step\n\n| test | why |\n|---|---|\n";
  for (const Apart& a : apart()) out << "| " << a.title << " | " << a.why << " |\n";
  return out.str();
}

std::vector<std::string> check_coverage() {
  std::vector<std::string> wrong;
  std::set<std::string> seen, titles;
  for (const Schedule& s : schedules()) {
    if (!seen.insert(s.id).second) wrong.push_back(std::string(s.id) + " occurs twice");
    const bool played = std::any_of(entries().begin(), entries().end(),
                                    [&](const Entry& entry) { return plays(entry, s.id); });
    if (!played && s.conform.empty() && s.waived == nullptr) {
      wrong.push_back(std::string(s.id) + " has no test");
    }
    for (const char* title : s.conform) {
      if (!is_conform_test(title)) {
        wrong.push_back(std::string(s.id) + ": conform has no test \"" + title + "\"");
      }
    }
  }
  for (const Apart& a : apart()) {
    const bool known = std::any_of(entries().begin(), entries().end(), [&](const Entry& entry) {
      return std::string_view(entry.title) == a.title;
    });
    if (!known) wrong.push_back(std::string("not in lock-step, but unknown: ") + a.title);
  }
  for (const Entry& entry : entries()) {
    if (!titles.insert(entry.title).second) {
      wrong.push_back("two tests are called " + std::string(entry.title));
    }
    for (const std::string& id : entry.ids) {
      if (seen.count(id) == 0) wrong.push_back(std::string(entry.title) + ": no schedule " + id);
    }
  }
  return wrong;
}

}  // namespace roci::testbench::faults

// SPDX-License-Identifier: Apache-2.0
// The report as one HTML page that needs nothing else.
#include <algorithm>

#include "model/packet/dissect.hpp"
#include "sim/conform/report.hpp"
#include "sim/conform/xml.hpp"

namespace roci::sim {
namespace {

using conform::Exchanged;
using conform::Outcome;
using conform::Statement;
using pugi::xml_node;

/// The most bytes of a frame that are shown in hexadecimal.
constexpr std::size_t kHexBytes = 256;

constexpr const char* kStyle =
    "body{font:15px/1.45 sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}"
    "h2{margin-top:2em;border-bottom:1px solid #bbb}table{border-collapse:collapse}"
    "td,th{text-align:left;vertical-align:top;padding:.15em .8em .15em 0}"
    "pre,code,.packet summary{font:12.5px/1.4 monospace;white-space:pre-wrap}"
    "details{margin:.15em 0}.packet{margin-left:1.5em}.packet table{margin:.3em 0 .6em 2em}"
    ".noted{background:#fde8e4}.word{display:inline-block;min-width:9em;font-weight:bold}"
    ".pass{color:#1a7431}.fail{color:#b3261e}.untestable{color:#6b5b00}.untested{color:#777}"
    ".sides{width:100%;table-layout:fixed;margin:.4em 0}.sides td{background:#f4f4f4;padding:.5em}";

const char* class_of(const std::string& word) {
  if (word == verdict::kPass) return "pass";
  if (word == verdict::kFail) return "fail";
  return word == verdict::kUntested ? "untested" : "untestable";
}

xml_node add_of_class(xml_node to, const char* name, const char* kind,
                      const std::string& text = {}) {
  const xml_node node = add(to, name, text);
  set(node, "class", kind);
  return node;
}

void add_word(xml_node to, const std::string& word) {
  const xml_node node = add(to, "span", word == verdict::kUntested ? "not run" : word);
  set(node, "class", fmt::format("word {}", class_of(word)));
}

void add_row(xml_node table, const std::string& name, const std::string& value) {
  const xml_node row = add(table, "tr");
  add(row, "th", name);
  add(row, "td", value.empty() ? "unknown" : value);
}

std::string id_of(std::size_t test) { return fmt::format("test-{}", test + 1); }

std::string hex_of(const packet::Bytes& bytes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(bytes.size(), kHexBytes); ++i) {
    if (i % 16 == 0) text += fmt::format("{}{:04x} ", i == 0 ? "" : "\n", i);
    text += fmt::format(" {:02x}", bytes[i]);
  }
  if (bytes.size() > kHexBytes) text += fmt::format("\n{} bytes more", bytes.size() - kHexBytes);
  return text;
}

/// A frame as a line that opens to its headers and bytes.
void add_packet(xml_node to, const Outcome& outcome, std::size_t frame) {
  const Exchanged& one = outcome.frames[frame];
  const xml_node packet = add_of_class(to, "details", one.note.empty() ? "packet" : "packet noted");
  add(packet, "summary", line_of(outcome, frame));
  if (!one.note.empty()) add(packet, "p", one.note);
  const xml_node table = add(packet, "table");
  for (const packet::DissectedHeader& header : packet::dissect(one.bytes)) {
    std::string fields;
    for (const packet::DissectedField& field : header.fields) {
      fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", field.name, field.value);
    }
    add_row(table, std::string(header.name), fields);
  }
  add(packet, "pre", hex_of(one.bytes));
}

void add_sides(xml_node to, const Outcome& outcome) {
  const xml_node table = add_of_class(to, "table", "sides");
  const xml_node head = add(table, "tr"), row = add(table, "tr");
  add(head, "th", "expected");
  add(head, "th", "seen");
  add(row, "td", outcome.expected);
  add(row, "td", outcome.seen.empty() ? "nothing" : outcome.seen);
}

void add_test(xml_node to, const ConformReport& report, std::size_t number) {
  const Outcome& outcome = report.outcomes[number];
  const xml_node details = add(to, "details");
  set(details, "id", id_of(number));
  if (!outcome.passed) set(details, "open", "open");
  const xml_node summary = add(details, "summary");
  add_word(summary, word_of(outcome));
  add(summary, "span",
      fmt::format("{}{}, {:.2f} s", name_of(*outcome.test),
                  report.known(outcome) ? " (known deviation)" : "", outcome.seconds));
  if (!outcome.untestable.empty()) add(details, "p", "not testable here: " + outcome.untestable);
  if (!outcome.passed) add_sides(details, outcome);
  const std::size_t all = outcome.frames.size(), shown = shown_of(outcome);
  if (outcome.omitted != 0) add(details, "p", fmt::format("{} frames before", outcome.omitted));
  if (outcome.passed && shown != 0) {
    std::string lines;
    for (std::size_t i = 0; i < shown; ++i) lines += line_of(outcome, i) + "\n";
    add(details, "pre", lines);
  } else {
    for (std::size_t i = 0; i < shown; ++i) add_packet(details, outcome, i);
  }
  if (shown != all) add(details, "p", fmt::format("{} frames after", all - shown));
  if (all == 0) add(details, "p", "no frames");
}

void add_statement(xml_node to, const ConformReport& report, const Statement& statement) {
  const Verdict verdict = verdict_of(statement, report.outcomes);
  const xml_node details = add(to, "details");
  set(details, "id", statement.id);
  const xml_node summary = add(details, "summary");
  add_word(summary, verdict.word);
  add(summary, "span", fmt::format("{} {}", statement.id, statement.text));
  if (!verdict.why.empty() && verdict.word != verdict::kFail) {
    add(details, "p", fmt::format("{}: {}", verdict.word, verdict.why));
  }
  if (verdict.all == 0) add(details, "p", "no test of it ran");
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const Outcome& outcome = report.outcomes[i];
    if (!outcome.test->cites(statement.id)) continue;
    const xml_node line = add(details, "p");
    add_word(line, word_of(outcome));
    set(add(line, "a", outcome.test->title), "href", "#" + id_of(i));
    if (!outcome.passed) add_sides(details, outcome);
  }
}

void add_head(xml_node body, const ConformReport& report) {
  add(body, "h1", "Conformance of " + report.subject());
  const xml_node table = add(body, "table");
  add_row(table, "adapter, firmware, kernel", report.subject());
  add_row(table, "suite", "roci " + report.suite);
  add_row(table, "seed", std::to_string(report.adapter.seed));
  std::map<std::string, std::size_t> count;
  for (const Statement* s : report.statements) ++count[verdict_of(*s, report.outcomes).word];
  for (const auto& [word, number] : count) {
    add_row(table, "statements: " + (word == verdict::kUntested ? "not run" : word),
            std::to_string(number));
  }
  add_row(table, "tests run", fmt::format("{} of {}", report.outcomes.size(), report.tests));
  add_row(table, "tests failed", std::to_string(report.failed()));
  if (!report.baseline.empty()) {
    add_row(table, "known from " + report.baseline,
            std::to_string(report.failed() - report.fresh()));
  }
  if (!report.lost.empty()) add_row(table, "ended early", report.lost);
}

}  // namespace

void write_html(OutputFile& file, const ConformReport& report) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  const xml_node page = add(document, "html"), head = add(page, "head");
  set(page, "lang", "en");
  set(add(head, "meta"), "charset", "utf-8");
  add(head, "title", "Conformance of " + report.subject());
  add(head, "style", kStyle);
  const xml_node body = add(page, "body");
  add_head(body, report);
  std::string group;
  for (const Statement* s : report.statements) {
    if (group_of(s->id) != group) add(body, "h2", "Statements " + (group = group_of(s->id)));
    add_statement(body, report, *s);
  }
  add(body, "h2", "Tests");
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) add_test(body, report, i);
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  file.write(text.str());
  file.commit();
}

}  // namespace roci::sim

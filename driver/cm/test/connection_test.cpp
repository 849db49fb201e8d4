// SPDX-License-Identifier: Apache-2.0
// The state machine against the figures of IBTA volume 1, 12.9: all events in all states. What a
// table does not list must be rejected, and change nothing.
#include "driver/cm/connection/connection.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "driver/cm/test/sides.hpp"

using namespace roci::cm;
using namespace roci::cm::sides;

namespace {

/// "REP sent", and what the step sends and reports: "REP; request".
struct Row {
  const char* event;
  const char* state;
  const char* actions;
};
using Rows = std::vector<Row>;

constexpr const char* kEvents[] = {
    "connect", "accept",  "ready",      "reject", "delay",     "alive", "disconnect",  "abandon",
    "REQ",     "MRA REQ", "MRA REP",    "REJ",    "REJ stale", "REP",   "strange REP", "other REP",
    "RTU",     "DREQ",    "other DREQ", "DREP",   "LAP",       "again", "timeout"};

std::string upper(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
  return text;
}

std::string text_of(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions) {
    if (!text.empty()) text += "; ";
    if (const Send* send = std::get_if<Send>(&action)) {
      text += upper(name_of(send->mad.message));
      if (const Rej* rej = std::get_if<Rej>(&send->mad.message)) {
        text += " " + std::to_string(static_cast<unsigned>(rej->reason));
      }
    } else {
      text += to_string(std::get<Report>(action).news);
    }
  }
  return text;
}

bool same(const Connection& a, const Connection& b) {
  return a.state == b.state && a.remote_id == b.remote_id && a.remote_qpn == b.remote_qpn &&
         a.deadline == b.deadline && a.retries_left == b.retries_left &&
         a.sent.has_value() == b.sent.has_value() && a.transaction_id == b.transaction_id;
}

/// "again" is the deadline with retries left, "timeout" that without.
Step step_of(Connection connection, const std::string& event) {
  if (event != "again" && event != "timeout") return advance(connection, event_of(event), 1);
  if (connection.deadline == kNever) return {connection, {}, false};
  if (event == "timeout") connection.retries_left = 0;
  return advance(connection, Expired{}, connection.deadline);
}

void check(const char* name, const Connection& connection, const Rows& rows) {
  INFO(name);
  std::map<std::string, Row> expected;
  for (const Row& row : rows) expected.insert({row.event, row});
  CHECK(expected.size() == rows.size());
  for (const char* event : kEvents) {
    INFO(event);
    const Step step = step_of(connection, event);
    const auto row = expected.find(event);
    CHECK(step.accepted == (row != expected.end()));
    if (row != expected.end()) {
      CHECK(std::string(to_string(step.next.state)) == row->second.state);
      CHECK(text_of(step.actions) == row->second.actions);
    } else {
      CHECK(same(step.next, connection));
      CHECK(step.actions.empty());
    }
  }
}

const Rows kTimeWaitRows = {{"abandon", "TimeWait", ""},
                            {"DREQ", "TimeWait", "DREP"},
                            {"again", "Closed", "TimeWait over"},
                            {"timeout", "Closed", "TimeWait over"}};

/// Rows of an established connection; the active side responds to a REP with its RTU.
Rows established(bool active) {
  Rows rows = {{"alive", "Established", ""},          {"disconnect", "DREQ sent", "DREQ"},
               {"abandon", "DREQ sent", "DREQ"},      {"REJ", "TimeWait", "rejected"},
               {"REJ stale", "TimeWait", "rejected"}, {"DREQ", "DREQ received", "disconnecting"},
               {"LAP", "Established", "APR"}};
  if (active) rows.push_back({"REP", "Established", "RTU"});
  return rows;
}

}  // namespace

TEST_CASE("the active side (figure 12-10)") {
  check("Idle", fresh(), {{"connect", "REQ sent", "REQ"}, {"abandon", "Closed", ""}});
  const Rows waiting = {{"abandon", "Closed", "REJ 4"},
                        {"MRA REQ", "REP wait", ""},
                        {"REJ", "Closed", "rejected"},
                        {"REJ stale", "TimeWait", "rejected"},
                        {"REP", "REP received", "reply"},
                        {"other REP", "REP received", "reply"},
                        {"strange REP", "REP received", "reply"},
                        {"again", "REQ sent", "REQ"},
                        {"timeout", "Closed", "unreachable; REJ 4"}};
  check("REQ sent", active({"connect"}), waiting);
  check("REP wait", active({"connect", "MRA REQ"}), waiting);
  const Rows replied = {{"ready", "Established", "RTU"},    {"reject", "TimeWait", "REJ 28"},
                        {"delay", "MRA (REP) sent", "MRA"}, {"abandon", "TimeWait", "REJ 28"},
                        {"REJ", "TimeWait", "rejected"},    {"REJ stale", "TimeWait", "rejected"},
                        {"REP", "MRA (REP) sent", "MRA"}};
  check("REP received", active({"connect", "REP"}), replied);
  check("MRA (REP) sent", active({"connect", "REP", "delay"}), replied);
  check("Established", active({"connect", "REP", "ready"}), established(true));
}

TEST_CASE("the passive side (figure 12-11)") {
  const Rows requested = {{"accept", "REP sent", "REP"},      {"reject", "Closed", "REJ 28"},
                          {"delay", "MRA (REQ) sent", "MRA"}, {"abandon", "Closed", "REJ 28"},
                          {"REQ", "MRA (REQ) sent", "MRA"},   {"REJ", "Closed", "rejected"},
                          {"REJ stale", "Closed", "rejected"}};
  check("REQ received", passive({}), requested);
  check("MRA (REQ) sent", passive({"delay"}), requested);
  const Rows replied = {{"alive", "Established", "established"},
                        {"abandon", "TimeWait", "REJ 28"},
                        {"MRA REP", "RTU wait", ""},
                        {"REJ", "TimeWait", "rejected"},
                        {"REJ stale", "TimeWait", "rejected"},
                        {"RTU", "Established", "established"},
                        {"DREQ", "DREQ received", "disconnecting"},
                        {"again", "REP sent", "REP"},
                        {"timeout", "TimeWait", "unreachable; REJ 4"}};
  Rows sent = replied;
  sent.push_back({"REQ", "REP sent", "REP"});
  check("REP sent", passive({"accept"}), sent);
  check("RTU wait", passive({"accept", "MRA REP"}), replied);
  check("Established", passive({"accept", "RTU"}), established(false));
}

TEST_CASE("release (figure 12-12)") {
  const Rows sent = {{"abandon", "DREQ sent", ""},
                     {"REJ", "TimeWait", "disconnected"},
                     {"REJ stale", "TimeWait", "disconnected"},
                     {"DREQ", "TimeWait", "disconnected; DREP"},
                     {"DREP", "TimeWait", "disconnected"},
                     {"again", "DREQ sent", "DREQ"},
                     {"timeout", "TimeWait", "disconnected"}};
  const Rows received = {{"disconnect", "TimeWait", "DREP"},
                         {"abandon", "TimeWait", "DREP"},
                         {"DREQ", "DREQ received", ""}};
  check("DREQ sent, active", active({"connect", "REP", "ready", "disconnect"}), sent);
  check("DREQ sent, passive", passive({"accept", "RTU", "disconnect"}), sent);
  check("DREQ received, active", active({"connect", "REP", "ready", "DREQ"}), received);
  check("DREQ received, passive", passive({"accept", "RTU", "DREQ"}), received);
  check("TimeWait after DREP received", active({"connect", "REP", "ready", "disconnect", "DREP"}),
        kTimeWaitRows);
  check("TimeWait after DREP sent", passive({"accept", "RTU", "DREQ", "disconnect"}),
        kTimeWaitRows);
  check("Closed", passive({"reject"}), {{"abandon", "Closed", ""}});
}

TEST_CASE("every state is reached by the tables above") {
  std::set<State> seen = {State::kIdle};
  for (const Connection& one :
       {active({"connect"}), active({"connect", "MRA REQ"}), active({"connect", "REP"}),
        active({"connect", "REP", "delay"}), passive({}), passive({"delay"}), passive({"accept"}),
        passive({"accept", "MRA REP"}), passive({"accept", "RTU"}),
        passive({"accept", "RTU", "disconnect"}), passive({"accept", "RTU", "DREQ"}),
        passive({"accept", "abandon"}), passive({"reject"})}) {
    seen.insert(one.state);
  }
  CHECK(seen.size() == kStates);
}

TEST_CASE("times: the active side waits for the peer's, the passive side for that of the REQ") {
  const Time path = 4096ull << kAckTimeout;
  CHECK(active({"connect"}).deadline == (4096ull << kActiveTimeout) + path);
  CHECK(passive({"accept"}).deadline == (4096ull << kPassiveTimeout) + path);
  CHECK(active({"connect", "MRA REQ"}).deadline == (4096ull << kServiceTimeout) + path);
  CHECK(passive({"accept", "MRA REP"}).deadline == (4096ull << kServiceTimeout) + path);
  CHECK(passive({"accept", "abandon"}).deadline == path);
  CHECK(passive({}).deadline == kNever);
  CHECK(passive({"accept", "RTU"}).deadline == kNever);
}

TEST_CASE("a message is sent as often as the REQ allows, and not before its deadline") {
  for (Connection one : {active({"connect"}), passive({"accept"}),
                         active({"connect", "REP", "ready", "disconnect"})}) {
    unsigned sent = 1;
    const State before = one.state;
    while (one.state == before) {
      CHECK(!advance(one, Expired{}, one.deadline - 1).accepted);
      const Step step = advance(one, Expired{}, one.deadline);
      REQUIRE(step.accepted);
      one = step.next;
      if (one.state == before) ++sent;
    }
    CHECK(sent == kRetries + 1);
  }
}

TEST_CASE("messages carry the IDs, the queue pair and the transaction of the connection") {
  const auto message = [](const Step& step) { return std::get<Send>(step.actions.back()).mad; };
  const Step accepted = advance(passive({}), event_of("accept"), 0);
  const Rep rep = std::get<Rep>(message(accepted).message);
  CHECK(rep.local_id == kOurId);
  CHECK(rep.remote_id == kTheirId);
  CHECK(message(accepted).transaction_id == kTransaction);
  const Step left = advance(active({"connect", "REP", "ready"}), Disconnect{}, 0);
  const Dreq dreq = std::get<Dreq>(message(left).message);
  CHECK(dreq.local_id == kOurId);
  CHECK(dreq.remote_id == kTheirId);
  CHECK(dreq.remote_qpn == kTheirQpn);
  const Step gone = advance(active({"connect"}), Abandon{}, 0);
  const Rej rej = std::get<Rej>(message(gone).message);
  CHECK(rej.local_id == kOurId);
  CHECK(rej.info_length == 8);
  CHECK(rej.info[7] == kOurGuid);
  const Mad other{kTransaction + 1, 0, Dreq{kTheirId, kOurId, kOurQpn, {}}};
  const Connection asked = advance(passive({"accept", "RTU"}), Received{other}, 0).next;
  CHECK(message(advance(asked, Disconnect{}, 0)).transaction_id == kTransaction + 1);
}

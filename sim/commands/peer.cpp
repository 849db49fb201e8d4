// roci peer: one node on a real wire, against another implementation.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/peer/attach.hpp"
#include "sim/peer/side.hpp"
#include "sim/report/digest.hpp"
#include "sim/report/progress.hpp"
#include "sim/scenarios/session.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kLookNs = 2'000'000;  // of simulated time between looks at the link
constexpr unsigned kMeetSeconds = 120;

struct PeerOptions {
  WorldOptions world;
  WireOptions wire;
  PeerPlan plan;
  std::string listen, connect;
  bool progress = false, idle = false;
  std::string file, out;
};

volatile std::sig_atomic_t interrupted = 0;

/// The node is there, and nothing else, until SIGINT or SIGTERM.
void idle_until_interrupted(testbench::Node& node) {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
  while (interrupted == 0) node.sleep(kLookNs);
}

/// Both sides learn how long the file is.
void agree_on_file(PeerPlan& plan, TextLink& link, const std::vector<std::uint8_t>& bytes) {
  constexpr const char* kFormat = "file %zu of %u";
  std::size_t size = bytes.size();
  std::uint32_t most = plan.sizes[0];
  if (plan.requester) {
    link.tell(fmt::format("file {} of {}", size, most));
    plan.file = &bytes;
  } else if (std::sscanf(link.hear().c_str(), kFormat, &size, &most) != 2) {
    throw std::runtime_error("the other side sends no file");
  }
  plan.cut(size, most);
}

const std::map<std::string, driver::Opcode> kOperations = {
    {"send", driver::Opcode::kSend},   {"send_imm", driver::Opcode::kSendImm},
    {"write", driver::Opcode::kWrite}, {"write_imm", driver::Opcode::kWriteImm},
    {"read", driver::Opcode::kRead},   {"fadd", driver::Opcode::kFetchAdd},
    {"cas", driver::Opcode::kCmpSwap}};
const std::map<std::string, PeerFault> kFaults = {{"none", PeerFault::kNone},
                                                  {"bad_rkey", PeerFault::kBadRkey},
                                                  {"out_of_bounds", PeerFault::kOutOfBounds},
                                                  {"no_permission", PeerFault::kNoPermission},
                                                  {"no_receive", PeerFault::kNoReceive},
                                                  {"late_receive", PeerFault::kLateReceive},
                                                  {"killed", PeerFault::kKilled}};

int run(const PeerOptions& options) {
  if (options.idle + !options.listen.empty() + !options.connect.empty() != 1) {
    throw UserError("one of --listen, --connect and --idle is needed", 2);
  }
  if (options.plan.carries_file &&
      (options.plan.requester != options.out.empty() || options.plan.atomic() ||
       options.plan.op == driver::Opcode::kRead || options.plan.queue_pairs != 1 ||
       options.plan.sizes[0] == 0)) {
    throw UserError(
        "a file goes from a requester with --file to a responder with --out, by send or "
        "write on one queue pair",
        2);
  }
  std::vector<std::uint8_t> bytes;
  std::unique_ptr<OutputFile> arrived;
  if (!options.file.empty()) bytes = read_file(options.file);
  if (!options.out.empty()) arrived = std::make_unique<OutputFile>(options.out);
  const Attachment attachment(options.wire);
  testbench::Config config = config_of(options.world);
  attachment.apply(config);
  config.ipv6 = options.plan.ipv6;
  Recorder recorder(options.world.pcap);
  testbench::World world(config);
  world.add_tap(&recorder);
  Progress progress("peer");
  std::uint64_t timeouts = 0;
  std::string failure;
  world.run({{0, [&](testbench::Node& node) {
                // A failure is told after the capture is safe.
                try {
                  if (options.idle) return idle_until_interrupted(node);
                  const auto idle = [&node] { node.sleep(kLookNs); };
                  TextLink link = !options.listen.empty()
                                      ? TextLink::listen(options.listen, kMeetSeconds, idle)
                                      : TextLink::connect(options.connect, kMeetSeconds, idle);
                  PeerPlan plan = options.plan;
                  if (plan.carries_file) agree_on_file(plan, link, bytes);
                  PeerSide side(
                      node.context(), node.gid(), 0, plan, link,
                      [&](const driver::Gid& gid) { return attachment.resolve(node, gid); },
                      [&](unsigned done, unsigned all) {
                        progress.show(done, all, node.now_ns());
                        if (options.progress) {
                          fmt::print("done {} of {}\n", done, all);
                          std::fflush(stdout);
                        }
                      });
                  side.run();
                  timeouts = side.timeouts();
                  if (arrived) bytes = side.received();
                } catch (const std::exception& error) {
                  failure = error.what();
                }
              }}});
  recorder.commit();
  const WireCounts& sent = recorder.counts(0);
  const WireCounts& came = recorder.counts(1);
  const testbench::Channel::Counts& out = world.channel(0).counts();
  const testbench::Channel::Counts& in = world.channel(1).counts();
  fmt::print(
      "packets: {} sent, {} came; repeated {} and {}; {} timeouts here\n"
      "faults:  lost {} and {}, duplicated {} and {}, delayed {} and {}\n"
      "NAKs:    sequence {} and {}, RNR {} and {}, other {} and {}\n"
      "time:    {:.1f} ms simulated, {} clocks evaluated in {:.2f} s of processor time\n",
      sent.frames, came.frames, sent.repeated, came.repeated, timeouts, out.dropped, in.dropped,
      out.duplicated, in.duplicated, out.delayed, in.delayed, sent.sequence_naks,
      came.sequence_naks, sent.rnr_naks, came.rnr_naks, sent.other_naks, came.other_naks,
      static_cast<double>(world.now_ns()) / 1e6, world.speed().clocks, world.speed().seconds);
  if (!failure.empty()) throw UserError(failure);
  if (options.plan.carries_file) {
    fmt::print("sha256:  {} of {} bytes\n", sha256(bytes), bytes.size());
  }
  if (arrived) {
    arrived->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    arrived->commit();
  }
  return 0;
}

template <typename Value>
void add_choice(CLI::App& app, const std::string& name, const std::map<std::string, Value>& among,
                Value& target, const std::string& text) {
  app.add_option_function<std::string>(
         name, [&among, &target](const std::string& word) { target = among.at(word); }, text)
      ->check(CLI::IsMember(&among).description(""))
      ->type_name("NAME");
}

template <typename Value>
void add_number(CLI::App& app, const std::string& name, Value& target, double least, double most,
                const std::string& text) {
  app.add_option(name, target, text)
      ->check(CLI::Range(least, most).description(""))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_peer(CLI::App& app, Action& action) {
  auto options = std::make_shared<PeerOptions>();
  CLI::App* command = app.add_subcommand("peer", "run one node on a real wire against a peer");
  PeerPlan& plan = options->plan;
  add_wire_options(*command, options->wire);
  command->get_option("--wire")->required();
  command->add_option("--listen", options->listen, "wait for the peer at this TCP port")
      ->type_name("[HOST:]PORT");
  command->add_option("--connect", options->connect, "meet the peer there")->type_name("HOST:PORT");
  command
      ->add_option_function<std::string>(
          "--role", [&plan](const std::string& role) { plan.requester = role == "requester"; },
          "requester or responder [requester]")
      ->check(CLI::IsMember({"requester", "responder"}).description(""))
      ->type_name("NAME");
  add_choice(*command, "--op", kOperations, plan.op,
             "send, send_imm, write, write_imm, read, fadd or cas [write]");
  command->add_option("--sizes", plan.sizes, "bytes of the messages, one after the other")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N,N,...")
      ->capture_default_str();
  add_number(*command, "--count", plan.count, 1, 100000, "messages of each size, per queue pair");
  add_number(*command, "--depth", plan.depth, 1, 1024, "messages outstanding on a queue pair");
  add_number(*command, "--qps", plan.queue_pairs, 1, 64, "queue pairs");
  add_number(*command, "--psn", plan.psn, 0, 0xFFFFFF, "first PSN of this side");
  add_number(*command, "--retry", plan.retry, 0, 7, "retry count");
  add_number(*command, "--rnr-retry", plan.rnr_retry, 0, 7, "RNR retry count, 7: no end");
  add_number(*command, "--rnr-timer", plan.rnr_timer, 0, 31, "code of the RNR timer");
  command
      ->add_option_function<unsigned>(
          "--family", [&plan](unsigned family) { plan.ipv6 = family == 6; }, "4 or 6 [4]")
      ->check(CLI::IsMember({4, 6}).description(""))
      ->type_name("N");
  add_choice(*command, "--fault", kFaults, plan.fault,
             "none, bad_rkey, out_of_bounds, no_permission, no_receive, late_receive or killed");
  add_number(*command, "--expect", plan.expect, 0, 21, "status of the first bad completion");
  command->add_option("--file", options->file, "requester: carry this file, in messages of --sizes")
      ->type_name("FILE");
  command->add_option("--out", options->out, "responder: write the file that came")
      ->type_name("FILE");
  command->add_flag("--idle", options->idle, "no run: the node is there until interrupted");
  command->add_flag("--progress", options->progress, "a line for each message");
  options->world.timeout = plan.timeout;
  add_world_options(*command, options->world);
  command->callback([options, &action] {
    options->plan.mtu = options->world.mtu;
    options->plan.carries_file = !options->file.empty() || !options->out.empty();
    options->plan.timeout = static_cast<std::uint8_t>(options->world.timeout);
    action = [options] { return run(*options); };
  });
}

}  // namespace roci::sim

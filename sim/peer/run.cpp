// SPDX-License-Identifier: Apache-2.0
#include "sim/peer/run.hpp"

#include <fmt/format.h>

#include <csignal>
#include <memory>

#include "sim/peer/side.hpp"
#include "sim/report/digest.hpp"
#include "sim/report/progress.hpp"
#include "sim/report/timeline.hpp"
#include "sim/scenarios/transfer.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kLookNs = 2'000'000;  // simulated time between polls of the text link
constexpr unsigned kMeetSeconds = 120;

volatile std::sig_atomic_t interrupted = 0;

/// Runs the node without traffic of its own until SIGINT or SIGTERM.
void idle_until_interrupted(testbench::Node& node) {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
  while (interrupted == 0) node.sleep(kLookNs);
}

/// Exchanges the length of the file.
void agree_on_file(PeerPlan& plan, TextConnection& link, const std::vector<std::uint8_t>& bytes) {
  constexpr const char* kFormat = "file %zu of %u";
  std::size_t size = bytes.size();
  std::uint32_t most = plan.sizes[0];
  if (plan.requester) {
    link.send_line(fmt::format("file {} of {}", size, most));
    plan.file = &bytes;
  } else if (std::sscanf(link.receive_line().c_str(), kFormat, &size, &most) != 2) {
    throw std::runtime_error("the other side sends no file");
  }
  plan.divide(size, most);
}

}  // namespace

void run_peer(const PeerOptions& options) {
  if (options.idle + !options.listen.empty() + !options.connect.empty() != 1) {
    throw UserError("one of --listen, --connect and --idle is needed", 2);
  }
  if (options.plan.carries_file &&
      (options.plan.requester != options.out.empty() || options.plan.atomic() ||
       options.plan.op == driver::Opcode::kRead || options.plan.queue_pairs != 1 ||
       options.plan.sizes[0] == 0)) {
    throw UserError(
        "a file needs a requester with --file and a responder with --out, --op send or "
        "write, and one queue pair",
        2);
  }
  std::vector<std::uint8_t> bytes;
  std::unique_ptr<OutputFile> arrived;
  if (!options.file.empty()) bytes = read_file(options.file);
  if (!options.out.empty()) arrived = std::make_unique<OutputFile>(options.out);
  const Attachment attachment(options.wire);
  WorldOptions adapter = options.world;
  const auto timeline = Timeline::open(adapter.timeline);
  adapter.tap = timeline.get();
  testbench::Config config = config_of(adapter);
  attachment.apply(config);
  config.ipv6 = options.plan.ipv6;
  Recorder recorder(options.world.pcap);
  testbench::World world(config);
  world.add_tap(&recorder);
  Progress progress("peer");
  std::uint64_t timeouts = 0;
  std::string failure;
  world.run({{0, [&](testbench::Node& node) {
                // The capture is closed before a failure is reported.
                try {
                  if (options.idle) return idle_until_interrupted(node);
                  const auto idle = [&node] { node.sleep(kLookNs); };
                  TextConnection link =
                      !options.listen.empty()
                          ? TextConnection::listen(options.listen, kMeetSeconds, idle)
                          : TextConnection::connect(options.connect, kMeetSeconds, idle);
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
                      },
                      [&] { return recorder.counts(0).rnr_naks; });
                  side.run();
                  timeouts = side.timeouts();
                  if (arrived) bytes = side.received();
                } catch (const std::exception& error) {
                  failure = error.what();
                }
              }}});
  recorder.commit();
  if (timeline) timeline->commit();
  const WireCounts& sent = recorder.counts(0);
  const WireCounts& received = recorder.counts(1);
  const testbench::LinkDirection::Counts& out = world.link(0).counts();
  const testbench::LinkDirection::Counts& in = world.link(1).counts();
  fmt::print(
      "packets: {} sent, {} received; retransmitted {} and {}; {} timeouts here\n"
      "faults:  lost {} and {}, duplicated {} and {}, delayed {} and {}\n"
      "NAKs:    sequence {} and {}, RNR {} and {}, other {} and {}\n"
      "time:    {:.1f} ms simulated, {} clocks evaluated in {:.2f} s of processor time\n",
      sent.frames, received.frames, sent.retransmitted, received.retransmitted, timeouts,
      out.dropped, in.dropped, out.duplicated, in.duplicated, out.delayed, in.delayed,
      sent.sequence_naks, received.sequence_naks, sent.rnr_naks, received.rnr_naks, sent.other_naks,
      received.other_naks, static_cast<double>(world.now_ns()) / 1e6, world.speed().clocks,
      world.speed().seconds);
  if (!failure.empty()) throw UserError(failure);
  if (options.plan.carries_file) {
    fmt::print("sha256:  {} of {} bytes\n", sha256(bytes), bytes.size());
  }
  if (arrived) {
    arrived->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    arrived->commit();
  }
}

}  // namespace roci::sim

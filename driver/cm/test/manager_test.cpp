// SPDX-License-Identifier: Apache-2.0
// The table of connections: replies to datagrams that belong to none, stale connections, SIDR.
#include "driver/cm/connection/manager.hpp"

#include <doctest/doctest.h>

#include "driver/cm/test/sides.hpp"

using namespace roci::cm;
using namespace roci::cm::sides;

namespace {

constexpr std::uint64_t kUdpService = 0x0000000001111C06;

Gid address(std::uint8_t host) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, host};
}
const MadPath kPeer{0, 0, address(1), address(2)}, kStranger{0, 0, address(1), address(3)};

/// A manager, and a peer that is this test.
struct Bench {
  Manager manager{[] {
    ManagerConfig config;
    config.guid = kOurGuid;
    config.first_id = kOurId;
    return config;
  }()};
  Time now = 0;

  void receive(const Message& message, const MadPath& path = kPeer,
               std::uint64_t transaction = kTransaction) {
    const auto bytes = std::get<MadBytes>(encode({transaction, 0, message}));
    manager.receive(path, bytes.data(), bytes.size(), now);
  }
  /// The only message that was sent since the last call.
  template <typename M>
  M sent(const MadPath& path = kPeer) {
    const auto outgoing = manager.take_outgoing();
    REQUIRE(outgoing.size() == 1);
    CHECK(outgoing[0].path.remote == path.remote);
    const auto decoded = decode(outgoing[0].bytes.data(), outgoing[0].bytes.size());
    REQUIRE(std::holds_alternative<M>(std::get<Mad>(decoded).message));
    return std::get<M>(std::get<Mad>(decoded).message);
  }
  bool silent() { return manager.take_outgoing().empty(); }
  Delivery news() {
    auto deliveries = manager.take_deliveries();
    REQUIRE(deliveries.size() == 1);
    return deliveries[0];
  }
  Req request(std::uint32_t id = kTheirId, std::uint32_t qpn = kTheirQpn) const {
    Req req = req_of(id, qpn, kTheirGuid);
    req.primary.local_gid = address(2);
    req.primary.remote_gid = address(1);
    return req;
  }
  /// A passive connection that is established.
  std::uint32_t established(std::uint32_t id = kTheirId, std::uint32_t qpn = kTheirQpn) {
    manager.listen(kService);
    receive(request(id, qpn));
    const std::uint32_t ours = news().id;
    CHECK(manager.post(ours, Accept{rep_of(0, 0, kOurQpn, kOurGuid), 0}, now));
    receive(Rtu{id, ours, {}});
    CHECK(news().news == News::kEstablished);
    manager.take_outgoing();
    return ours;
  }
};

}  // namespace

TEST_CASE("a REQ that no program can have is rejected with the reason") {
  Bench bench;
  const auto reason_of = [&](const Req& req) {
    bench.receive(req);
    CHECK(bench.manager.size() == 0);
    const Rej rej = bench.sent<Rej>();
    CHECK(rej.remote_id == kTheirId);
    CHECK(rej.about == About::kReq);
    return rej.reason;
  };
  CHECK(reason_of(bench.request()) == Reason::kInvalidService);
  bench.manager.listen(kService);
  Req req = bench.request();
  req.transport = Transport::kRd;
  CHECK(reason_of(req) == Reason::kInvalidTransport);
  req = bench.request();
  req.mtu = 6;
  CHECK(reason_of(req) == Reason::kInvalidMtu);
  req.mtu = 0;
  CHECK(reason_of(req) == Reason::kInvalidMtu);
  req = bench.request();
  req.primary.remote_gid = address(7);
  CHECK(reason_of(req) == Reason::kInvalidGid);
  bench.manager.stop_listening(kService);
  CHECK(reason_of(bench.request()) == Reason::kInvalidService);
  CHECK(bench.manager.counts().rejected == 6);
  CHECK(bench.manager.take_deliveries().empty());
}

TEST_CASE("a table that is full rejects requests, and makes none") {
  ManagerConfig config;
  config.most_connections = 1;
  Manager manager(config);
  manager.listen(kService);
  Bench bench;
  CHECK(manager.connect(kPeer, {bench.request(), 0}, 0) != 0);
  CHECK(manager.connect(kPeer, {bench.request(), 0}, 0) == 0);
  manager.take_outgoing();
  const auto bytes = std::get<MadBytes>(encode({kTransaction, 0, bench.request()}));
  manager.receive(kPeer, bytes.data(), bytes.size(), 0);
  const auto outgoing = manager.take_outgoing();
  REQUIRE(outgoing.size() == 1);
  const auto decoded = std::get<Mad>(decode(outgoing[0].bytes.data(), kMadBytes));
  CHECK(std::get<Rej>(decoded.message).reason == Reason::kNoResources);
}

TEST_CASE("values that cannot be sent make no connection and change none") {
  Bench bench;
  Req req = bench.request();
  req.qpn = 1;
  CHECK(bench.manager.connect(kPeer, {req, 0}, 0) == 0);
  CHECK(bench.manager.size() == 0);
  bench.manager.listen(kService);
  bench.receive(bench.request());
  const std::uint32_t id = bench.news().id;
  CHECK(!bench.manager.post(id, Accept{rep_of(0, 0, 0, kOurGuid), 0}, 0));
  CHECK(bench.manager.find(id)->state == State::kReqReceived);
  CHECK(bench.silent());
}

TEST_CASE("datagrams for connections that are not here") {
  Bench bench;
  bench.receive(Dreq{5, 6, kOurQpn, {}});
  const Drep drep = bench.sent<Drep>();  // the peer may stop
  CHECK(drep.local_id == 6);
  CHECK(drep.remote_id == 5);
  bench.receive(rep_of(5, 6, kTheirQpn, kTheirGuid));
  const Rej rej = bench.sent<Rej>();
  CHECK(rej.reason == Reason::kInvalidId);
  CHECK(rej.about == About::kRep);
  CHECK(rej.local_id == 6);
  CHECK(rej.remote_id == 5);
  bench.receive(Rtu{5, 6, {}});
  bench.receive(Drep{5, 6, {}});
  bench.receive(Mra{5, 6, About::kReq, 31, {}});
  bench.receive(Rej{5, 6, About::kReq, 0, Reason::kTimeout, {}, {}});
  bench.receive(Apr{5, 6, 0, ApStatus::kLoaded, {}, {}});
  CHECK(bench.silent());
  CHECK(bench.manager.counts().unknown == 7);
  const std::uint8_t byte = 1;
  bench.manager.receive(kPeer, &byte, 1, 0);
  CHECK(bench.manager.counts().malformed == 1);
}

TEST_CASE("messages of another address or with another ID are of no connection") {
  Bench bench;
  const std::uint32_t id = bench.established();
  bench.receive(Dreq{kTheirId, id, kOurQpn, {}}, kStranger);
  bench.sent<Drep>(kStranger);
  bench.receive(Dreq{kTheirId + 1, id, kOurQpn, {}});
  bench.sent<Drep>();
  bench.receive(Rej{kTheirId, id, About::kRep, 0, Reason::kConsumer, {}, {}}, kStranger);
  bench.receive(bench.request(), kStranger);  // a request of its own, whatever its GUID
  CHECK(bench.news().news == News::kRequest);
  CHECK(bench.manager.find(id)->state == State::kEstablished);
}

TEST_CASE("a REQ once more is no second request") {
  Bench bench;
  bench.manager.listen(kService);
  bench.receive(bench.request());
  const std::uint32_t id = bench.news().id;
  bench.receive(bench.request());
  CHECK(bench.sent<Mra>().about == About::kReq);
  CHECK(bench.manager.post(id, Accept{rep_of(0, 0, kOurQpn, kOurGuid), 0}, 0));
  const Rep first = bench.sent<Rep>();
  bench.receive(bench.request());
  CHECK(bench.sent<Rep>().local_id == first.local_id);
  CHECK(bench.manager.take_deliveries().empty());
  CHECK(bench.manager.size() == 1);
}

TEST_CASE("a queue pair of the peer that is still connected here is stale") {
  Bench bench;
  const std::uint32_t id = bench.established();
  bench.receive(bench.request(kTheirId + 7), kPeer, kTransaction + 1);
  const auto outgoing = bench.manager.take_outgoing();
  REQUIRE(outgoing.size() == 2);  // DREQ to end the old connection, REJ for the new one
  const auto second = std::get<Mad>(decode(outgoing[1].bytes.data(), kMadBytes)).message;
  CHECK(std::get<Rej>(second).reason == Reason::kStale);
  CHECK(bench.manager.find(id)->state == State::kDreqSent);
  bench.receive(Drep{kTheirId, id, {}});
  CHECK(bench.news().news == News::kDisconnected);
  bench.receive(bench.request(kTheirId + 7), kPeer, kTransaction + 1);
  CHECK(bench.sent<Rej>().reason == Reason::kStale);  // TIMEWAIT holds it
  bench.now = bench.manager.deadline();
  bench.manager.expire(bench.now);
  CHECK(bench.news().news == News::kTimeWaitOver);
  bench.receive(bench.request(kTheirId + 7), kPeer, kTransaction + 1);
  CHECK(bench.news().news == News::kRequest);
}

TEST_CASE("the same ID and queue pair in another transaction is no repeated REQ") {
  Bench bench;
  bench.manager.listen(kService);
  bench.receive(bench.request());
  bench.receive(bench.request(), kPeer, kTransaction + 1);
  CHECK(bench.sent<Rej>().reason == Reason::kStale);
}

TEST_CASE("a peer that starts again with the same ID is stale as well") {
  Bench bench;
  bench.established();
  bench.receive(bench.request(kTheirId, kTheirQpn + 1), kPeer, kTransaction + 1);
  const auto outgoing = bench.manager.take_outgoing();
  REQUIRE(outgoing.size() == 2);  // as above
  const auto second = std::get<Mad>(decode(outgoing[1].bytes.data(), kMadBytes)).message;
  CHECK(std::get<Rej>(second).reason == Reason::kStale);
}

TEST_CASE("a REQ is withdrawn by the GUID and ID of its sender") {
  Bench bench;
  bench.manager.listen(kService);
  bench.receive(bench.request());
  bench.news();
  Rej rej{kTheirId, 0, About::kReq, 8, Reason::kTimeout, {}, {}};
  rej.info[7] = kTheirGuid;
  bench.receive(rej, kStranger);
  CHECK(bench.manager.size() == 1);
  bench.receive(rej);
  CHECK(bench.news().news == News::kRejected);
  CHECK(bench.manager.size() == 0);
}

TEST_CASE("a program that is gone: its connection ends without it") {
  Bench bench;
  const std::uint32_t id = bench.established();
  bench.manager.release(id, 0);
  CHECK(bench.sent<Dreq>().remote_qpn == kTheirQpn);
  while (bench.manager.size() != 0) bench.manager.expire(bench.now = bench.manager.deadline());
  CHECK(bench.manager.take_deliveries().empty());
  CHECK(bench.manager.take_outgoing().size() == kRetries);
}

TEST_CASE("SIDR, the side that asks") {
  Bench bench;
  SidrReq request;
  request.service_id = kUdpService;
  const std::uint32_t id = bench.manager.resolve(kPeer, request, 0);
  CHECK(bench.sent<SidrReq>().request_id == id);
  bench.manager.expire(bench.now = bench.manager.deadline());
  CHECK(bench.sent<SidrReq>().request_id == id);
  SidrRep reply;
  reply.request_id = id;
  reply.service_id = kUdpService;
  reply.qpn = 77;
  bench.receive(reply, kStranger);
  CHECK(bench.manager.counts().unknown == 1);
  bench.receive(reply);
  const Delivery news = bench.news();
  CHECK(news.sidr);
  CHECK(std::get<SidrRep>(news.mad->message).qpn == 77);
  CHECK(bench.manager.size() == 0);

  CHECK(bench.manager.resolve(kPeer, request, bench.now) != 0);
  while (bench.manager.size() != 0) bench.manager.expire(bench.now = bench.manager.deadline());
  CHECK(bench.manager.take_outgoing().size() == 16);
  CHECK(bench.news().news == News::kUnreachable);
}

TEST_CASE("SIDR, the side that responds") {
  Bench bench;
  SidrReq request;
  request.request_id = 9;
  request.service_id = kUdpService;
  bench.receive(request);
  CHECK(bench.sent<SidrRep>().status == SidrStatus::kNotSupported);
  bench.manager.listen(kUdpService);
  bench.receive(request);
  const std::uint32_t id = bench.news().id;
  bench.receive(request);
  CHECK(bench.silent());
  SidrRep reply;
  reply.qpn = 77;
  CHECK(bench.manager.respond(id, {reply, 0}, 0));
  CHECK(bench.sent<SidrRep>().request_id == 9);
  bench.receive(request);
  CHECK(bench.sent<SidrRep>().qpn == 77);
  CHECK(bench.manager.take_deliveries().empty());
  bench.manager.expire(bench.manager.deadline());
  CHECK(bench.manager.size() == 0);
}

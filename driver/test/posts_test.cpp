// SPDX-License-Identifier: Apache-2.0
// Work requests that go to the adapter with their doorbell: which ones, and what is written.
#include <doctest/doctest.h>

#include "driver/test/bench.hpp"

using namespace roci;
using namespace roci::driver;
using test::Bench;
using test::FakeDevice;

namespace {

SendRequest inlined(const std::vector<std::uint8_t>& data) {
  SendRequest request;
  request.inline_data = data.data();
  request.inline_bytes = static_cast<std::uint32_t>(data.size());
  return request;
}

}  // namespace

TEST_CASE("posts: a work request posted alone is written as it stands in the queue, then rung") {
  const std::vector<std::uint8_t> data(64, 0xA5);
  for (const unsigned most : {0u, 64u}) {
    QpOptions options;
    options.posts = true;
    options.max_inline = most;
    Bench b(options);
    const std::size_t bytes = most == 0 ? 64 : 128;
    for (unsigned i = 0; i < 3; ++i) {
      b.qp.send(most == 0 ? SendRequest() : inlined(data));
      REQUIRE(b.device.posted.size() == i + 1);
      const auto& [offset, words] = b.device.posted.back();
      CHECK(offset == layout::post_offset(b.qp.number()));
      REQUIRE(words.size() == bytes);
      CHECK(std::memcmp(words.data(), b.qp.send_memory().host + bytes * i, bytes) == 0);
      CHECK(b.device.registers[layout::sq_doorbell_offset(b.qp.number())] == i + 1);
    }
  }
}

TEST_CASE("posts: lists of work requests, long entries, and queue pairs without the option") {
  const std::vector<std::uint8_t> data(64, 0xA5);
  const SendRequest two[] = {inlined(data), inlined(data)};
  QpOptions options;
  options.posts = true;
  Bench lists(options);
  CHECK(lists.qp.post_send(two, 2).posted == 2);
  CHECK(lists.device.posted.empty());
  options.max_inline = 65;  // four blocks
  Bench wide(options);
  wide.qp.send(inlined(data));
  CHECK(wide.device.posted.empty());
  Bench plain;
  plain.qp.send(inlined(data));
  CHECK(plain.device.posted.empty());
  CHECK(plain.device.registers[layout::sq_doorbell_offset(plain.qp.number())] == 1);
}

TEST_CASE("posts: an adapter or a device without them gets doorbells") {
  const std::vector<std::uint8_t> data(8, 1);
  QpOptions options;
  options.posts = true;
  for (const bool device_lacks : {true, false}) {
    FakeDevice device;
    device.has_posts = !device_lacks;
    if (!device_lacks) device.absent = 1u << layout::number(Option::kPosts);
    Context context(device);
    ProtectionDomain pd(context);
    CompletionQueue cq(context, 4);
    QueuePair qp(pd, cq, cq, options);
    qp.connect({1, 2, {}}, 3);
    qp.send(inlined(data));
    CHECK(device.posted.empty());
    CHECK(device.registers[layout::sq_doorbell_offset(qp.number())] == 1);
  }
}

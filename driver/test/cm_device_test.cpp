// SPDX-License-Identifier: Apache-2.0
// Descriptors of /dev/infiniband/rdma_cm, against a simulator that this test plays.
#include "driver/verbs/cm_device.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <rdma/rdma_user_cm.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <future>
#include <string>

#include "driver/device/passing.hpp"
#include "driver/device/protocol.hpp"

namespace cm = roci::verbs::cm;
namespace protocol = roci::driver::protocol;

namespace {

/// The simulator's side of one channel.
class Simulator {
 public:
  Simulator() {
    char name[] = "/tmp/roci-cm-XXXXXX";
    folder_ = mkdtemp(name);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (folder_ + "/socket").c_str());
    listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    REQUIRE(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener_, 1) == 0);
    setenv("ROCI_SOCKET", address.sun_path, 1);
    setenv("ROCI_NODE", "n0", 1);
  }
  ~Simulator() {
    for (const int fd : {events_, control_, listener_}) close(fd);
    std::filesystem::remove_all(folder_);
    unsetenv("ROCI_SOCKET");
    unsetenv("ROCI_NODE");
  }

  /// Opens a channel; its descriptor.
  int open_channel() {
    std::future<int> opened =
        std::async(std::launch::async, [] { return cm::open_device(O_CLOEXEC); });
    control_ = accept(listener_, nullptr, nullptr);
    const timeval limit{20, 0};  // a command that never comes fails the test
    REQUIRE(setsockopt(control_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    protocol::OpenCm open{};
    REQUIRE(roci::driver::receive_message(control_, &open, sizeof open, events_) == sizeof open);
    reply(open.header, 0);
    return opened.get();
  }
  void announce_event() { REQUIRE(send(events_, "", 1, MSG_NOSIGNAL) == 1); }
  /// The next command, whose header a reply repeats.
  protocol::Header next_command() {
    protocol::CmCommand command{};
    REQUIRE(recv(control_, &command, sizeof command, 0) == sizeof command);
    return command.header;
  }
  void reply(const protocol::Header& header, std::uint32_t error) {
    protocol::CmReply done{};
    done.header = header;
    done.error = error;
    REQUIRE(send(control_, &done, sizeof done, MSG_NOSIGNAL) == sizeof done);
  }

 private:
  std::string folder_;
  int listener_ = -1, control_ = -1, events_ = -1;
};

/// Asks for an event: the bytes of the command, or a negative errno.
ssize_t get_event(int fd) {
  rdma_ucm_cmd_hdr get{};
  get.cmd = RDMA_USER_CM_CMD_GET_EVENT;
  const ssize_t bytes = cm::write_command(fd, &get, sizeof get);
  return bytes < 0 ? -errno : bytes;
}

}  // namespace

// The kernel removes the events of an identifier with it, while a thread may be waiting for
// one; that thread waits on, also after another one has closed the descriptor.
TEST_CASE("a thread that waits for an event outlives a close of the descriptor") {
  Simulator simulator;
  const int fd = simulator.open_channel();
  REQUIRE(fd >= 0);
  std::future<ssize_t> written = std::async(std::launch::async, get_event, fd);
  simulator.announce_event();
  const protocol::Header first = simulator.next_command();
  REQUIRE(close(fd) == 0);
  simulator.reply(first, EAGAIN);  // its identifier is gone
  simulator.announce_event();
  simulator.reply(simulator.next_command(), 0);
  CHECK(written.get() == sizeof(rdma_ucm_cmd_hdr));
}

TEST_CASE("a command on a descriptor that is closed is rejected") {
  Simulator simulator;
  const int fd = simulator.open_channel();
  REQUIRE(close(fd) == 0);
  CHECK(get_event(fd) == -EBADF);
}

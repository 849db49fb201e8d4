// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs/cm_device.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_user_cm.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "driver/device/passing.hpp"
#include "driver/device/protocol.hpp"

namespace roci::verbs::cm {
namespace {

namespace protocol = driver::protocol;

constexpr unsigned kMajor = 10, kMinor = 58;  // a miscellaneous device

/// One command at a time, by all processes that have a channel since a fork: in memory that they
/// share. A process that dies within a command leaves the lock to the next.
struct Turn {
  pthread_mutex_t mutex;
  std::uint32_t tag = 0;  ///< last command

  /// nullptr: no memory.
  static Turn* make() {
    void* memory =
        mmap(nullptr, sizeof(Turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    Turn* turn = new (memory) Turn;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&turn->mutex, &kind);
    pthread_mutexattr_destroy(&kind);
    return turn;
  }
  void lock() {
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  }
  void unlock() { pthread_mutex_unlock(&mutex); }
};

struct Channel {
  int control = -1;      ///< to the simulator
  std::uint32_t id = 0;  ///< there
  Turn* turn = Turn::make();

  ~Channel() {
    if (control >= 0) ::close(control);
    if (turn != nullptr) munmap(turn, sizeof *turn);
  }
};

/// By the inode of the socket that programs see. Never destroyed: programs write while they exit.
struct Channels {
  std::mutex mutex;
  std::map<ino_t, std::shared_ptr<Channel>> by_inode;
};
Channels& channels() {
  static Channels& all = *new Channels;
  return all;
}
std::atomic<std::size_t> channel_count{0};

/// Inode of a socket; 0: not a socket. Not through fstat(), which is ours.
ino_t socket_inode(int fd) {
  struct stat found {};
  if (syscall(SYS_fstat, fd, &found) != 0 || !S_ISSOCK(found.st_mode)) return 0;
  return found.st_ino;
}

std::shared_ptr<Channel> channel_of(int fd) {
  if (channel_count.load(std::memory_order_relaxed) == 0) return nullptr;
  const int before = errno;
  const ino_t inode = socket_inode(fd);
  errno = before;
  if (inode == 0) return nullptr;
  const std::lock_guard<std::mutex> lock(channels().mutex);
  const auto found = channels().by_inode.find(inode);
  return found == channels().by_inode.end() ? nullptr : found->second;
}

/// Forgets channels that the simulator has ended, after their last descriptor was closed.
void forget_ended(std::map<ino_t, std::shared_ptr<Channel>>& all) {
  for (auto one = all.begin(); one != all.end();) {
    pollfd control{one->second->control, POLLIN, 0};
    const bool ended = poll(&control, 1, 0) > 0 && (control.revents & (POLLHUP | POLLERR)) != 0;
    one = ended ? all.erase(one) : std::next(one);
  }
}

int connect_to_simulator() {
  const char* path = std::getenv("ROCI_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) {
    errno = ENODEV;
    return -1;
  }
  std::strcpy(address.sun_path, path);
  const int control = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (control < 0) return -1;
  if (connect(control, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(control);
    errno = ENODEV;
    return -1;
  }
  return control;
}

/// Sends a message and receives its reply; an errno. A reply with another tag is for a process that
/// died before it came.
int exchange(Channel& channel, const void* message, std::size_t bytes, int fd, std::uint32_t tag,
             protocol::CmReply& reply) {
  if (driver::send_message(channel.control, message, bytes, fd, MSG_NOSIGNAL) < 0) return EIO;
  ssize_t got = -1;
  do {
    got = recv(channel.control, &reply, sizeof reply, 0);
  } while ((got < 0 && errno == EINTR) ||
           (got == static_cast<ssize_t>(sizeof reply) && reply.header.tag != tag));
  return got == static_cast<ssize_t>(sizeof reply) ? static_cast<int>(reply.error) : EIO;
}

/// Keeps a file open while a thread waits for it, as the kernel does for a thread in a system call:
/// another thread that closes `fd` meanwhile (rping does, at its end) must not wake this one.
class KeptOpen {
 public:
  explicit KeptOpen(int fd) : original_(fd), copy_(fcntl(fd, F_DUPFD_CLOEXEC, 0)) {}
  ~KeptOpen() {
    if (copy_ >= 0) ::close(copy_);
  }
  KeptOpen(const KeptOpen&) = delete;
  KeptOpen& operator=(const KeptOpen&) = delete;

  /// The copy; `fd` itself where the process has no descriptor left.
  int fd() const { return copy_ >= 0 ? copy_ : original_; }

 private:
  int original_, copy_;
};

/// Waits for the byte of an event as the descriptor is set; an errno.
int await_event(const KeptOpen& file) {
  char byte;
  const ssize_t got = recv(file.fd(), &byte, 1, 0);
  if (got == 1) return 0;
  return got == 0 ? EIO : errno;
}

/// Sends a command, and copies the reply to where the program wants it; an errno.
int run(Channel& channel, const void* bytes, std::size_t size) {
  protocol::CmCommand command{};
  if (size > sizeof command.body) return EINVAL;
  std::memcpy(command.body, bytes, size);
  command.bytes = static_cast<std::uint32_t>(size);
  rdma_ucm_cmd_hdr header{};
  std::memcpy(&header, bytes, sizeof header);
  const auto* payload = static_cast<const std::uint8_t*>(bytes) + sizeof header;
  if (header.cmd == RDMA_USER_CM_CMD_SET_OPTION &&
      size >= sizeof header + sizeof(rdma_ucm_set_option)) {
    rdma_ucm_set_option option{};
    std::memcpy(&option, payload, sizeof option);
    if (option.optlen > sizeof command.option) return EINVAL;
    std::memcpy(command.option, reinterpret_cast<const void*>(option.optval), option.optlen);
    command.option_bytes = option.optlen;
  }
  if (header.cmd == RDMA_USER_CM_CMD_MIGRATE_ID &&
      size >= sizeof header + sizeof(rdma_ucm_migrate_id)) {
    rdma_ucm_migrate_id migrate{};
    std::memcpy(&migrate, payload, sizeof migrate);
    const auto other = channel_of(static_cast<int>(migrate.fd));
    if (other == nullptr) return EINVAL;
    command.other = other->id;
  }
  const std::lock_guard<Turn> lock(*channel.turn);
  const std::uint32_t tag = ++channel.turn->tag;
  command.header = {static_cast<std::uint32_t>(protocol::Kind::kCmCommand), tag};
  protocol::CmReply reply{};
  const int error = exchange(channel, &command, sizeof command, -1, tag, reply);
  if (error == 0 && reply.address != 0) {
    const std::size_t most = std::min<std::size_t>(reply.bytes, sizeof reply.body);
    std::memcpy(reinterpret_cast<void*>(reply.address), reply.body, most);
  }
  return error;
}

/// GET_EVENT: waits, then fetches what came; an errno.
int get_event(int fd, Channel& channel, const void* bytes, std::size_t size) {
  const KeptOpen file(fd);
  int error = 0;
  do {
    error = await_event(file);
    if (error != 0) return error;
    error = run(channel, bytes, size);
    // The event went with the identifier that it belonged to: wait for the next.
  } while (error == EAGAIN);
  return error;
}

}  // namespace

bool is_device(const char* path) {
  return path != nullptr && std::strcmp(path, "/dev/infiniband/rdma_cm") == 0 &&
         std::getenv("ROCI_SOCKET") != nullptr;
}

int open_device(int flags) {
  const char* node = std::getenv("ROCI_NODE");
  protocol::OpenCm open{};
  if (node == nullptr || std::strlen(node) >= sizeof open.node) {
    errno = ENODEV;
    return -1;
  }
  auto channel = std::make_shared<Channel>();
  if (channel->turn == nullptr) {
    errno = ENOMEM;
    return -1;
  }
  channel->control = connect_to_simulator();
  if (channel->control < 0) return -1;
  int ends[2];
  const int type = SOCK_SEQPACKET | ((flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0) |
                   ((flags & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0);
  if (socketpair(AF_UNIX, type, 0, ends) != 0) return -1;
  open.header = {static_cast<std::uint32_t>(protocol::Kind::kOpenCm), 0};
  open.magic = protocol::kMagic;
  open.version = protocol::kVersion;
  std::strcpy(open.node, node);
  protocol::CmReply reply{};
  const int error = exchange(*channel, &open, sizeof open, ends[1], 0, reply);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    errno = error;
    return -1;
  }
  channel->id = static_cast<std::uint32_t>(reply.address);
  Channels& all = channels();
  const std::lock_guard<std::mutex> lock(all.mutex);
  forget_ended(all.by_inode);
  all.by_inode[socket_inode(ends[0])] = channel;
  channel_count.store(all.by_inode.size(), std::memory_order_relaxed);
  return ends[0];
}

bool is_open(int fd) { return channel_of(fd) != nullptr; }

ssize_t write_command(int fd, const void* bytes, std::size_t size) {
  const auto channel = channel_of(fd);
  rdma_ucm_cmd_hdr header{};
  int error = channel == nullptr ? EBADF : size < sizeof header ? EINVAL : 0;
  if (error == 0) {
    std::memcpy(&header, bytes, sizeof header);
    error = header.cmd == RDMA_USER_CM_CMD_GET_EVENT ? get_event(fd, *channel, bytes, size)
                                                     : run(*channel, bytes, size);
  }
  if (error == 0) return static_cast<ssize_t>(size);
  errno = error;
  return -1;
}

void describe(mode_t& mode, dev_t& device) {
  mode = S_IFCHR | 0666;
  device = makedev(kMajor, kMinor);
}

}  // namespace roci::verbs::cm

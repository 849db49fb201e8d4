// SPDX-License-Identifier: Apache-2.0
// The protocol between a process and a running simulator: messages on a socket of kind
// SOCK_SEQPACKET (one message is one packet, of exactly its size) and a page of doorbells that both
// map. The rules are in sim/server/README.md. Both ends run on one machine, so numbers are in its
// byte order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "driver/device/post.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver::protocol {

inline constexpr std::uint32_t kVersion = 5;
inline constexpr std::uint32_t kMagic = 0x49434F52;  ///< "ROCI"

enum class Kind : std::uint32_t {
  kHello = 1,          ///< Hello; first, once; reply Welcome with the doorbell page
  kCommand = 2,        ///< Command; reply CommandReply
  kWake = 3,           ///< Header alone; no reply
  kAddChannel = 4,     ///< AddChannel with a socket; reply Done
  kRemoveChannel = 5,  ///< RemoveChannel; reply Done
  kRoute = 6,          ///< Route; reply Done
  kStatus = 7,         ///< Header alone, Hello not needed; reply Done with a file of JSON
  kRepeat = 9,         ///< Repeat; reply Done
  kShutdown = 8,       ///< Header alone, Hello not needed; reply Done, then the simulator ends
  kSetLink = 10,       ///< SetLink, Hello not needed; reply Done
  kOpenCm = 11,        ///< OpenCm with a socket, instead of Hello; reply CmReply
  kCmCommand = 12,     ///< CmCommand, after OpenCm; reply CmReply
  kFaults = 13,        ///< Faults, Hello not needed; reply Done with a file of JSON
  kQueuePairs = 14,    ///< as kStatus; the JSON has each queue pair of each adapter too
  kJoinTime = 15,      ///< JoinTime, instead of Hello; reply Done with a TimePage
  kShare = 16,         ///< Share; reply Done with a file
  kEndSharing = 17,    ///< EndSharing; reply Done
};

/// Starts every message; a reply has kind and tag of its request.
struct Header {
  std::uint32_t kind;
  std::uint32_t tag;
};

struct Hello {
  Header header;
  std::uint32_t magic;
  std::uint32_t version;
  char node[16];        ///< "n0" or "n0/roci1"; zero-terminated
  std::uint64_t probe;  ///< address of two words of the process; the simulator reads the first and
                        /// < writes its complement to the second, which shows that DMA works
};

enum class Rejection : std::uint32_t {
  kNone = 0,
  kVersion = 1,   ///< other version of this protocol
  kNoNode = 2,    ///< no node of that name
  kFull = 3,      ///< too many processes
  kNoAccess = 4,  ///< no access to the memory of the process: `error` is the errno
  kBad = 5,       ///< a request that breaks the rules
  kNotYours = 6,  ///< an object that the process does not own
};

struct Welcome {
  Header header;
  std::uint32_t
      rejection;        ///< Rejection; if not kNone, only `error` and `text` count, no page comes
  std::uint32_t error;  ///< errno
  char text[160];       ///< the reason as a line of text
  std::uint32_t pasid;  ///< address space of this process
  std::uint32_t node;   ///< index of the adapter
  std::uint32_t nodes;  ///< adapters of all nodes
  std::uint32_t width;  ///< bits of the engine; 0: untimed model
  std::uint64_t mac;    ///< MAC address of the adapter's port, as a number
  std::uint64_t page_size;  ///< bytes of the doorbell page
};

constexpr std::size_t kBodyBytes = layout::kCommandBodyBytes;

struct Command {
  Header header;
  std::uint32_t opcode;  ///< AdminOp
  std::uint32_t reserved;
  std::uint8_t body[kBodyBytes];
};

struct CommandReply {
  Header header;
  std::uint32_t status;  ///< AdminStatus
  std::uint32_t detail;
  std::uint8_t body[kBodyBytes];
};

/// Format of an event in a channel.
enum class Format : std::uint32_t {
  kCompletion = 1,  ///< 8 bytes: the cookie (ib_uverbs_comp_event_desc)
  kAsync = 2,       ///< 16 bytes: cookie, 32 bits code, 32 bits 0 (ib_uverbs_async_event_desc)
  kPlain = 3,       ///< 8 bytes: 32 bits kind, 32 bits number; receives the events without a route
};

/// The socket comes with the message: AF_UNIX, SOCK_SEQPACKET or SOCK_DGRAM. The process reads the
/// other end. `id` is the process's choice.
struct AddChannel {
  Header header;
  std::uint32_t id;
  std::uint32_t format;
  std::uint32_t codes[16];  ///< kAsync: code of each event kind of model/spec, and of those of
                            /// < the port, or kNotReported
};
inline constexpr std::uint32_t kNotReported = ~std::uint32_t{0};

/// Entries of AddChannel::codes after the event kinds of model/spec: the cable belongs to the
/// simulator, not to the adapter. These events need no route; their cookie is the port number, 1.
inline constexpr std::size_t kPortActive = 14, kPortError = 15;
/// Likewise for a device that a fault kills; the cookie is 0.
inline constexpr std::size_t kDeviceFatal = 13;

struct RemoveChannel {
  Header header;
  std::uint32_t id;
};

enum class Object : std::uint32_t { kQueuePair = 1, kCompletionQueue = 2, kSharedReceiveQueue = 3 };

/// What the number of an event names; each kind of object is numbered apart.
constexpr Object object_of(layout::EventKind kind) {
  switch (kind) {
    case layout::EventKind::kCompletion:
    case layout::EventKind::kCqError:
      return Object::kCompletionQueue;
    case layout::EventKind::kSrqLimit:
    case layout::EventKind::kSrqError:
      return Object::kSharedReceiveQueue;
    default:
      return Object::kQueuePair;
  }
}

/// Events of an object go to a channel with `cookie`: to one of kCompletion those that an armed
/// completion queue raises, to one of kAsync the others. Replaces an earlier route of that format.
struct Route {
  Header header;
  std::uint32_t object;  ///< Object
  std::uint32_t number;
  std::uint32_t channel;
  std::uint32_t reserved;
  std::uint64_t cookie;
};

/// Writes an event back to a channel. A process that destroys an object reads its channel until it
/// is empty, drops the events of that object, and has the other events written back.
struct Repeat {
  Header header;
  std::uint32_t channel;
  std::uint32_t code;  ///< kAsync: code of the event; else 0
  std::uint64_t cookie;
};

/// Sets the link of an adapter up or down; while it is down, no frame passes.
struct SetLink {
  Header header;
  std::uint32_t adapter;  ///< index
  std::uint32_t up;       ///< 0: down
};

enum class FaultRequest : std::uint32_t {
  kList = 0,
  kAdd = 1,    ///< the script comes as a memfd of at most kMostScriptBytes
  kClear = 2,  ///< fault `number`, or all with 0
};
inline constexpr std::size_t kMostScriptBytes = 1 << 20;

/// The reply's file has an object: "faults" is the list afterwards; after kAdd "added" has the
/// numbers; after a request that changed nothing "error" says why.
struct Faults {
  Header header;
  std::uint32_t request;  ///< FaultRequest
  std::uint32_t number;
  char source[256];  ///< name of the script in messages; zero-terminated
};

/// Requests memory for the process's rings that the simulator accesses without system calls. The
/// process maps the file at `address`. Rejected with kFull when the simulator has no more of it:
/// the process then takes memory of its own.
struct Share {
  Header header;
  std::uint64_t address;  ///< multiple of kShareUnit
  std::uint64_t bytes;    ///< likewise, not 0
};
inline constexpr std::uint64_t kShareUnit = 4096;

/// Ends the simulator's mapping of what Share made at `address`.
struct EndSharing {
  Header header;
  std::uint64_t address;
};

/// Opens the device of the connection manager of a node. The socket, AF_UNIX and SOCK_SEQPACKET,
/// receives one byte for each event that waits; when the process closes its other end, the channel
/// ends with all its identifiers.
struct OpenCm {
  Header header;
  std::uint32_t magic;
  std::uint32_t version;
  char node[16];  ///< "n0"; zero-terminated
};

/// Joins a process to simulated time (time_page.hpp). Rejected with kBad when the simulator has
/// real time. The process leaves when it closes the connection.
struct JoinTime {
  Header header;
  std::uint32_t magic;
  std::uint32_t version;
};

/// A command of <rdma/rdma_user_cm.h> as the program writes it.
struct CmCommand {
  Header header;
  std::uint32_t other;         ///< channel that MIGRATE_ID names; 0: none
  std::uint32_t bytes;         ///< length of `body`
  std::uint32_t option_bytes;  ///< length of `option`
  std::uint8_t option[64];     ///< what SET_OPTION points to
  std::uint8_t body[512];
};

struct CmReply {
  Header header;
  std::uint32_t error;    ///< errno; 0: done
  std::uint32_t bytes;    ///< length of `body`
  std::uint64_t address;  ///< where the program wants them; to OpenCm: number of the channel
  std::uint8_t body[512];
};

struct Done {
  Header header;
  std::uint32_t rejection;  ///< Rejection
  std::uint32_t error;      ///< errno
};

/// Largest message of each direction.
inline constexpr std::size_t kMostBytes = 768;
static_assert(sizeof(Hello) <= kMostBytes && sizeof(Welcome) <= kMostBytes &&
              sizeof(Command) <= kMostBytes && sizeof(AddChannel) <= kMostBytes &&
              sizeof(CmCommand) <= kMostBytes && sizeof(Faults) <= kMostBytes &&
              sizeof(CmReply) <= kMostBytes);

/// Queue pairs, completion queues and SRQs that have a doorbell.
inline constexpr std::uint32_t kNumbers = 2048;

/// One kind of doorbell: a word for each number, and which were rung.
struct Doorbells {
  std::atomic<std::uint64_t> rung[kNumbers / 64];
  std::atomic<std::uint32_t> word[kNumbers];
};

/// The page, in memory that process and simulator map. The process writes a word, sets its bit in
/// `rung`, sets `bell`, and when `asleep` was 1 changes it to 0 and sends kWake. The simulator
/// fetches the kinds from the last to the first, of each the bits and then the words, and applies
/// the words from the first to the last, so that a doorbell is never applied after one of another
/// kind that was rung later, except for arms, which are applied last.
struct alignas(64) Page {
  std::atomic<std::uint32_t> bell;                 ///< process to simulator: bits of Bell
  std::atomic<std::uint32_t> asleep;               ///< 1: the simulator needs kWake
  alignas(64) std::atomic<std::uint32_t> written;  ///< counts times that DMA wrote; a futex
  std::atomic<std::uint32_t> waiting;              ///< threads that wait on `written`
  std::atomic<std::uint64_t> now_ns;               ///< simulated time
  alignas(64) Doorbells consumer;                  ///< completion queues: consumer index
  Doorbells shared_receive;                        ///< producer index
  Doorbells receive;                               ///< producer index
  Doorbells send;                                  ///< 15:0 producer index, 31 kWithPost
  Doorbells arm;  ///< completion queues: 15:0 consumer index, 31 solicited only
  Post posts[kNumbers];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Bits of Page::bell.
inline constexpr std::uint32_t kBellDoorbell = 1;
inline constexpr std::uint32_t kBellMessage = 2;  ///< a message was sent

/// Bit of an arm word that the process sets and the simulator clears when it fetches the word.
inline constexpr std::uint32_t kArmPending = 1u << 30;
using layout::doorbell_word::kArmSolicited;

}  // namespace roci::driver::protocol

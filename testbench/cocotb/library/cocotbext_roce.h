/* SPDX-License-Identifier: Apache-2.0
 * The C interface of libcocotbext_roce: RoCE frames, a peer, a judge of frames, and the tests of
 * conformance, for a bench in whatever language. cocotbext.roce is the one for Python.
 *
 * Rules of all functions:
 * - roce_abi is called first: a library of another version has other structs.
 * - Frames are Ethernet frames without preamble, FCS and padding. Numbers are in the byte order of
 *   the host, addresses (GIDs) in that of the wire; an IPv4 address is ::ffff:a.b.c.d.
 * - A text that is returned belongs to the library and is valid until the next call in the thread.
 *   Texts without another description are JSON.
 * - No function blocks but roce_conform, and no exception leaves the library: what goes wrong is in
 *   the result, and roce_error() says it in one line.
 * - Objects are independent of each other; one object is for one thread at a time.
 */
#ifndef COCOTBEXT_ROCE_H
#define COCOTBEXT_ROCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROCE_ABI 1
#define ROCE_API __attribute__((visibility("default")))

/* Version of this interface: ROCE_ABI of the header that the library was built with. */
ROCE_API uint32_t roce_abi(void);
/* Version of the project. */
ROCE_API const char* roce_version(void);
/* Why the last call in this thread failed. */
ROCE_API const char* roce_error(void);

/* Frames ---------------------------------------------------------------------------------------*/

enum { ROCE_IPV4 = 4, ROCE_IPV6 = 6, ROCE_GRH = 1 /* RoCE v1 */ };
enum { ROCE_NO_VLAN = 0xFFFF };
/* Bits of roce_packet.flags. */
enum { ROCE_SOLICITED = 1, ROCE_ACK_REQ = 2, ROCE_MIG_REQ = 4, ROCE_FECN = 8, ROCE_BECN = 16 };

/* Fields of a frame. Those of extension headers that the opcode does not have are not used by
 * roce_build, and 0 after roce_parse. */
struct roce_packet {
  uint64_t dst_mac, src_mac;
  uint8_t src_gid[16], dst_gid[16];
  uint32_t network; /* ROCE_IPV4, ROCE_IPV6 or ROCE_GRH */
  uint32_t vlan;    /* 12 bits, or ROCE_NO_VLAN */
  uint32_t traffic_class, hop_limit, flow_label, identification, src_port;
  uint32_t opcode, dest_qp, psn, pkey, flags;
  uint64_t va; /* RETH, AtomicETH */
  uint32_t rkey, dma_length;
  uint64_t swap_add, compare, original;
  uint32_t syndrome, msn;
  uint32_t immediate, invalidated; /* ImmDt, IETH */
  uint32_t qkey, src_qp;
  /* From roce_parse alone: */
  uint32_t payload_at, payload_bytes; /* in the frame, without pad */
  uint32_t pad, icrc, icrc_expected;
};

/* Builds a frame: lengths, pad, IPv4 checksum and ICRC are computed. `size` is sizeof *packet.
 * Returns its bytes; 0: the opcode is unknown, or `room` is too small. */
ROCE_API size_t roce_build(const struct roce_packet* packet, size_t size, const uint8_t* payload,
                           size_t payload_bytes, uint8_t* frame, size_t room);
/* Takes a frame apart. NULL: a receiver accepts it; else the first rule that it breaks, in words.
 * Of what is not RoCE, or ends too early, `packet` has no field. */
ROCE_API const char* roce_parse(const uint8_t* frame, size_t bytes, struct roce_packet* packet,
                                size_t size);
/* Makes IPv4 checksum and ICRC right again after a change of other bytes. 0: the frame has no BTH.
 */
ROCE_API int roce_seal(uint8_t* frame, size_t bytes);
/* A frame in one line. */
ROCE_API const char* roce_describe(const uint8_t* frame, size_t bytes);
/* The rules that a sender broke with this frame, a line each with the statement. */
ROCE_API const char* roce_lint(const uint8_t* frame, size_t bytes);
/* Name of an opcode, such as "RcWriteOnly"; NULL: there is none. */
ROCE_API const char* roce_opcode_name(uint32_t opcode);

/* Peer -----------------------------------------------------------------------------------------*/

/* An adapter, requester and responder: the model of model/nic with driver and firmware. */
struct roce_peer;

struct roce_peer_options {
  uint64_t mac;
  uint8_t gid[16];
  uint8_t second_gid[16]; /* zero: none */
  uint64_t next_hop;      /* MAC address of every destination */
  uint64_t memory_bytes;  /* for regions and queues */
  uint32_t port_mtu;      /* bytes in an Ethernet frame */
};

/* NULL: no memory, or an option out of range. */
ROCE_API struct roce_peer* roce_peer_open(const struct roce_peer_options* options, size_t size);
ROCE_API void roce_peer_close(struct roce_peer* peer);
/* Lets its time pass, in ns; it never decreases. */
ROCE_API void roce_peer_time(struct roce_peer* peer, uint64_t now_ns);
/* Time of its next timer, possibly too early; all ones: none runs. */
ROCE_API uint64_t roce_peer_deadline(const struct roce_peer* peer);
/* A frame from the wire. */
ROCE_API void roce_peer_receive(struct roce_peer* peer, const uint8_t* frame, size_t bytes);
/* Takes the next frame that leaves. Returns its bytes; 0: none, until an input or the deadline. */
ROCE_API size_t roce_peer_send(struct roce_peer* peer, uint8_t* frame, size_t room);

/* What programs do by verbs: requests of testbench/verify/conform/agent/protocol.h, with its
 * structs as words. `reply` is valid until the next request. The result is 0 or an errno. */
struct roce_reply {
  const uint64_t* words;
  size_t count;
  const uint8_t* bytes;
  size_t byte_count;
};
ROCE_API int roce_peer_request(struct roce_peer* peer, uint32_t operation, const uint64_t* words,
                               size_t count, const uint8_t* bytes, size_t byte_count,
                               struct roce_reply* reply);
/* First byte of the memory that kAgentHello states. */
ROCE_API uint8_t* roce_peer_memory(struct roce_peer* peer);

/* Judge ----------------------------------------------------------------------------------------*/

/* Holds all frames of a link, in both directions, to the rules of testbench/verify/judge. */
struct roce_judge;

/* `connected_once`: no two connections are between the same queue pairs. */
ROCE_API struct roce_judge* roce_judge_open(int connected_once);
ROCE_API void roce_judge_close(struct roce_judge* judge);
ROCE_API void roce_judge_take(struct roce_judge* judge, uint64_t time_ns, const uint8_t* frame,
                              size_t bytes);
/* {"findings": [{"frame", "statement", "text", "packet"}], "notes": [{"frame", "text"}],
 * "frames", "requests", "responses", "streams", "paired"}. */
ROCE_API const char* roce_judge_report(const struct roce_judge* judge);

/* Conformance ----------------------------------------------------------------------------------*/

/* An adapter under test, in the bench that calls. The functions get `self`. */
struct roce_target {
  void* self;
  /* Does what a request of protocol.h says; 0 or an errno. `reply` points to what is valid until
   * the next call. ENOSYS: the adapter, or the bench, cannot do it, and `reason`, a text, may say
   * so. */
  int (*request)(void* self, uint32_t operation, const uint64_t* words, size_t count,
                 const uint8_t* bytes, size_t byte_count, struct roce_reply* reply);
  /* A frame to the adapter. */
  void (*send)(void* self, const uint8_t* frame, size_t bytes);
  /* The next frame that it sent; 0: none. */
  size_t (*receive)(void* self, uint8_t* frame, size_t room);
  uint64_t (*now_ns)(void* self);
  /* Lets time pass until a frame comes, but not longer. */
  void (*wait_ns)(void* self, uint64_t ns);
  /* Memory for regions: its first byte. kAgentHello states its address for the adapter. */
  uint8_t* memory;
  uint64_t mac; /* the adapter has it; 0: by address resolution */
};

struct roce_run {
  const char* ids; /* patterns as of `roci conform --id`, apart by spaces; "": all */
  uint64_t seed;
  uint64_t patience_ns;                 /* a wait for something expected lasts this long at least */
  uint64_t quiet_ns;                    /* likewise for what must not come */
  uint64_t jitter_ns;                   /* error of the time between two frames */
  uint64_t look_ns;                     /* how often a wait asks the adapter for completions */
  uint64_t settle_ns;                   /* time that a post takes to reach the adapter */
  uint32_t least_timeout, calm_timeout; /* codes of the transport timer; 0: as the tests have it */
};

/* MAC address of the peers that the tests are. */
ROCE_API uint64_t roce_conform_peer_mac(void);
/* Runs the tests. `done` gets for each {"ids", "title", "verdict", "expected", "seen", "reason",
 * "frames": [{"ns", "from", "packet", "bytes", "note"}]}; when it returns 0, the run ends. Returns
 * 0 when all ran, 1 when the target was lost. */
ROCE_API int roce_conform(const struct roce_target* target, size_t target_size,
                          const struct roce_run* run, size_t run_size,
                          int (*done)(void* self, const char* outcome));
/* [{"id", "priority", "statement"}] of all statements, and [{"ids", "title"}] of all tests. */
ROCE_API const char* roce_conform_statements(void);
ROCE_API const char* roce_conform_tests(void);

#ifdef __cplusplus
}
#endif
#endif

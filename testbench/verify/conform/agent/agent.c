/* SPDX-License-Identifier: Apache-2.0
 * The agent of `roci conform --target`: does on an RDMA device what the conformance tests ask for.
 *
 *   cc -o agent agent.c -libverbs
 *   agent [ADDRESS:]PORT [DEVICE]     ADDRESS: where to listen [127.0.0.1], DEVICE: [the first]
 *
 * A program that reaches the port uses the device with the rights of this process; a request reads
 * and writes no memory of the process but what was made for the tests. A session has a process of
 * its own, so that its end destroys its objects.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "protocol.h"
/* After it, in this order: */
#include "agent_objects.h"
#include "agent_queues.h"
#include "agent_report.h"

typedef int (*request)(void);
static const request kRequests[kAgentOps] = {
    [kAgentHello] = hello,          [kAgentAllocPd] = alloc_pd,     [kAgentRegMr] = reg_mr,
    [kAgentReregMr] = rereg_mr,     [kAgentCreateCq] = create_cq,   [kAgentArmCq] = arm_cq,
    [kAgentCreateSrq] = create_srq, [kAgentModifySrq] = modify_srq, [kAgentCreateQp] = create_qp,
    [kAgentModifyQp] = modify_qp,   [kAgentQueryQp] = query_qp,     [kAgentCreateAh] = create_ah,
    [kAgentDestroy] = destroy,      [kAgentSend] = post_send,       [kAgentReceive] = post_receive,
    [kAgentWrite] = write_memory,   [kAgentPoll] = poll_all,        [kAgentAllocMw] = alloc_mw,
    [kAgentBind] = bind_mw,         [kAgentAttach] = attach,        [kAgentDetach] = detach,
    [kAgentResizeCq] = resize_cq,
};

static bool receive_all(int fd, void *to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = read(fd, (char *)to + done, bytes - done);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) done += (size_t)got;
  }
  return true;
}

static bool send_all(int fd, const void *from, size_t bytes, int flags) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = send(fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL | flags);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) done += (size_t)put;
  }
  return true;
}

/* Serves one connection until its other side closes it. */
static void serve(int fd, const char *device) {
  struct agent_head head;
  open_device(device);
  while (receive_all(fd, &head, sizeof head)) {
    if (head.magic != kAgentMagic || head.words > kAgentMostWords || head.bytes > kAgentMostBytes)
      die("the other side is not 'roci conform'");
    if (!receive_all(fd, in.words, head.words * sizeof *in.words) ||
        !receive_all(fd, in.data, head.bytes))
      break;
    in.count = head.words;
    in.bytes = head.bytes;
    out.count = out.bytes = 0;
    const request run = head.code < kAgentOps ? kRequests[head.code] : NULL;
    const int error = run ? run() : ENOSYS;
    if (error) out.count = out.bytes = 0;
    head.code = (uint16_t)error;
    head.words = out.count;
    head.bytes = out.bytes;
    if (!send_all(fd, &head, sizeof head, out.count || out.bytes ? MSG_MORE : 0) ||
        !send_all(fd, out.words, out.count * sizeof *out.words, out.bytes ? MSG_MORE : 0) ||
        !send_all(fd, out.data, out.bytes, 0))
      break;
  }
}

static int listen_at(char *where) {
  char *colon = strrchr(where, ':');
  const char *address = colon ? where : "127.0.0.1", *port = colon ? colon + 1 : where;
  if (colon) *colon = 0;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
  const int bad = getaddrinfo(address, port, &hints, &found);
  if (bad) die("%s port %s: %s", address, port, gai_strerror(bad));
  const int on = 1, fd = socket(found->ai_family, SOCK_STREAM, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, 4))
    die("cannot listen at %s port %s: %s", address, port, strerror(errno));
  freeaddrinfo(found);
  printf("agent: listening at %s port %s\n", address, port);
  return fd;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) die("usage: agent [ADDRESS:]PORT [DEVICE]");
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  const int server = listen_at(argv[1]), on = 1;
  for (;;) {
    const int fd = accept(server, NULL, NULL);
    if (fd < 0) continue;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const pid_t session = fork();
    if (session == 0) {
      close(server);
      serve(fd, argc == 3 ? argv[2] : NULL);
      _exit(0);
    }
    close(fd);
    int status = 0;
    if (session > 0) waitpid(session, &status, 0);
    if (WIFSIGNALED(status)) printf("agent: a session ended by signal %d\n", WTERMSIG(status));
  }
}

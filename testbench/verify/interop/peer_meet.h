// SPDX-License-Identifier: Apache-2.0
/* Lines of text between the two sides, over TCP. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer_plan.h"

static FILE *in, *out;

static void meet(void) {
  int fd = -1;
  struct sockaddr_in address = {.sin_family = AF_INET};
  if (plan.listen) {
    int on = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = htons((uint16_t)atoi(plan.listen));
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(server, (void *)&address, sizeof address) || listen(server, 1))
      die("cannot listen at %s: %s", plan.listen, strerror(errno));
    fd = accept(server, NULL, NULL);
  } else {
    char host[64];
    unsigned port;
    if (sscanf(plan.connect, "%63[^:]:%u", host, &port) != 2) die("--connect HOST:PORT");
    address.sin_port = htons((uint16_t)port);
    inet_pton(AF_INET, host, &address.sin_addr);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (void *)&address, sizeof address))
      die("cannot reach %s: %s", plan.connect, strerror(errno));
  }
  if (fd < 0) die("no connection: %s", strerror(errno));
  in = fdopen(fd, "r");
  out = fdopen(dup(fd), "w");
  if (!in || !out) die("no connection: %s", strerror(errno));
}
static void report(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(out, format, list);
  fflush(out);
  va_end(list);
}
static char *hear(void) {
  static char line[256];
  if (!fgets(line, sizeof line, in)) die("the other side closed the connection");
  return line;
}
/* Both sides have come as far as `word`. */
static void step(const char *word) {
  report("%s\n", word);
  const char *line = hear();
  if (strncmp(line, word, strlen(word))) die("the other side reports: %s", line);
}

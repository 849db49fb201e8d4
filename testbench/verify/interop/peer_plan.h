// SPDX-License-Identifier: Apache-2.0
/* The plan of a run, as the command line gives it, and what its messages are. */
#pragma once

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxQps = 64, kMaxSizes = 32, kGuard = 13, kLateMs = 300, kWord = 8 };

static struct {
  const char *listen, *connect, *op, *fault;
  bool requester, srq;
  unsigned sizes[kMaxSizes], num_sizes;
  unsigned count, depth, qps, mtu, family, psn, timeout, retry, rnr_retry, rnr_timer, expect;
} plan = {.op = "write",
          .fault = "none",
          .sizes = {4096},
          .num_sizes = 1,
          .count = 1,
          .depth = 8,
          .qps = 1,
          .mtu = 1024,
          .family = 4,
          .timeout = 18,
          .retry = 7,
          .rnr_retry = 7,
          .rnr_timer = 12};

static void die(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("peer: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  exit(1);
}

static bool op_is(const char *name) { return strcmp(plan.op, name) == 0; }
static bool fault_is(const char *name) { return strcmp(plan.fault, name) == 0; }
static bool atomic(void) { return op_is("fadd") || op_is("cas"); }
static bool receives(void) { return op_is("send") || op_is("send_imm") || op_is("write_imm"); }

/* ---- what the messages are ------------------------------------------------------------------ */

static unsigned messages(void) { return atomic() ? plan.count : plan.count * plan.num_sizes; }
static unsigned size_of(unsigned m) { return atomic() ? kWord : plan.sizes[m / plan.count]; }
static size_t offset_of(unsigned m) {
  size_t offset = 0;
  for (unsigned i = 0; i < m; ++i) offset += atomic() ? 0 : size_of(i) + kGuard;
  return offset;
}
static size_t span(void) { /* bytes of a queue pair; an atomic has one word */
  return atomic() ? kWord : offset_of(messages());
}
static unsigned largest(void) {
  unsigned most = 0;
  for (unsigned m = 0; m < messages(); ++m)
    if (size_of(m) > most) most = size_of(m);
  return most;
}
static uint8_t pattern(unsigned q, unsigned m, size_t i) {
  return (uint8_t)(i * 31 + (i >> 8) * 17 + (i >> 16) * 29 + m * 101 + q * 53 + 7);
}
static uint64_t fadd_before(uint64_t m) { return m * (m + 1) / 2; } /* message m adds m + 1 */
/* Each third CAS compares with what is not there. */
static bool cas_hits(unsigned m) { return m % 3 != 2; }
static uint64_t cas_before(unsigned m) {
  uint64_t value = 0;
  for (unsigned i = 0; i < m; ++i) value += cas_hits(i);
  return value;
}

/* ---- command line --------------------------------------------------------------------------- */

static void read_options(int argc, char **argv) {
  static const struct option known[] = {
      {"listen", 1, 0, 'l'}, {"connect", 1, 0, 'c'},   {"role", 1, 0, 'r'},
      {"op", 1, 0, 'o'},     {"sizes", 1, 0, 's'},     {"count", 1, 0, 'n'},
      {"depth", 1, 0, 'd'},  {"qps", 1, 0, 'q'},       {"mtu", 1, 0, 'm'},
      {"family", 1, 0, 'f'}, {"psn", 1, 0, 'p'},       {"timeout", 1, 0, 't'},
      {"retry", 1, 0, 'y'},  {"rnr-retry", 1, 0, 'Y'}, {"rnr-timer", 1, 0, 'T'},
      {"srq", 0, 0, 'S'},    {"fault", 1, 0, 'F'},     {"expect", 1, 0, 'e'},
      {0, 0, 0, 0}};
  int letter;
  while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
    const unsigned number = optarg ? (unsigned)strtoul(optarg, NULL, 0) : 0;
    switch (letter) {
      case 'l':
        plan.listen = optarg;
        break;
      case 'c':
        plan.connect = optarg;
        break;
      case 'r':
        plan.requester = strcmp(optarg, "requester") == 0;
        break;
      case 'o':
        plan.op = optarg;
        break;
      case 's':
        plan.num_sizes = 0;
        for (char *one = strtok(optarg, ","); one && plan.num_sizes < kMaxSizes;
             one = strtok(NULL, ","))
          plan.sizes[plan.num_sizes++] = (unsigned)strtoul(one, NULL, 0);
        break;
      case 'n':
        plan.count = number;
        break;
      case 'd':
        plan.depth = number;
        break;
      case 'q':
        plan.qps = number;
        break;
      case 'm':
        plan.mtu = number;
        break;
      case 'f':
        plan.family = number;
        break;
      case 'p':
        plan.psn = number & 0xFFFFFF;
        break;
      case 't':
        plan.timeout = number;
        break;
      case 'y':
        plan.retry = number;
        break;
      case 'Y':
        plan.rnr_retry = number;
        break;
      case 'T':
        plan.rnr_timer = number;
        break;
      case 'S':
        plan.srq = true;
        break;
      case 'F':
        plan.fault = optarg;
        break;
      case 'e':
        plan.expect = number;
        break;
      default:
        die("unknown option");
    }
  }
  if (!plan.listen == !plan.connect) die("one of --listen and --connect");
  if (plan.qps == 0 || plan.qps > kMaxQps || plan.count == 0 || plan.depth == 0)
    die("--qps, --count or --depth out of range");
}

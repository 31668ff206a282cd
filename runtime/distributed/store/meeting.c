/* meeting.c: the ranks of a world meet in a store: each publishes who it is, and hears who is missing, came twice, or expects another
 * world.
 *
 * A meeting has a number, since ranks may leave and meet again: how often this rank has come. Names in its PrefixStore:
 *   member/RANK   what the rank says of itself
 *   world         world size, version and rank of who came first
 *   count         how many came
 *   verdict       "ok", set by the last one, or the problem that somebody found: all wait for it */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "distributed/store/address.h"
#include "distributed/store/closings.h"
#include "distributed/store/kinds.h"
#include "platform/platform.h"

typedef struct meeting {
  tocha_context *cx;
  tocha_store *all;  /* of the ranks' visits: came/RANK, left/RANK */
  tocha_store *here; /* of this meeting */
  int rank, world_size;
  int64_t number;
} meeting;

enum { PROBLEM = 500 };

/* Nanoseconds. LOOK: between two looks for a rank that failed before it came. WORD: in which the launcher may say how a rank ended. */
static const int64_t LOOK = 100000000, WORD = 500000000;

static const char agreed[] = "ok";

/* --- members ------------------------------------------------------------------------------------------ */

static void write_member(const tocha_member *member, char text[PROBLEM]) {
  snprintf(text, PROBLEM, "%d\n%d\n%" PRId64 "\n%s\n%s\n%s\n%d\n", member->rank, member->world_size,
           member->process, member->host, member->address, member->version, member->serves);
}

/* Copies one line, and moves *at behind it. */
static void take_line(const char **at, char *to, size_t capacity) {
  size_t length = strcspn(*at, "\n");
  snprintf(to, capacity, "%.*s", (int)length, *at);
  *at += length + ((*at)[length] == '\n');
}

static void read_record(const char *text, tocha_member *member) {
  char number[24];
  take_line(&text, number, sizeof number), member->rank = atoi(number);
  take_line(&text, number, sizeof number), member->world_size = atoi(number);
  take_line(&text, number, sizeof number), member->process = strtoll(number, NULL, 10);
  take_line(&text, member->host, sizeof member->host);
  take_line(&text, member->address, sizeof member->address);
  take_line(&text, member->version, sizeof member->version);
  take_line(&text, number, sizeof number), member->serves = atoi(number) != 0;
}

static const char *name_of(const char *what, int rank, char name[32]) {
  snprintf(name, 32, "%s/%d", what, rank);
  return name;
}

bool read_member(tocha_store *joined, int rank, int64_t deadline, tocha_member *member,
                 tocha_store_failure *failure) {
  char name[32];
  void *text;
  size_t size;
  if (!store_get(joined, name_of("member", rank, name), deadline, &text, &size, failure))
    return false;
  *member = (tocha_member){0};
  read_record(text, member);
  free(text);
  return true;
}

/* Writes "rank 1 (host a, process 7)". */
static void describe(tocha_store *where, int rank, char text[120]) {
  tocha_member member;
  tocha_store_failure failure;
  int64_t soon = platform_nanoseconds() + 1000000000;
  if (read_member(where, rank, soon, &member, &failure))
    snprintf(text, 120, "rank %d (host %.60s, process %" PRId64 ")", rank, member.host,
             member.process);
  else
    snprintf(text, 120, "rank %d", rank);
}

/* --- the verdict -------------------------------------------------------------------------------------- */

static void set_verdict(tocha_store *where, const char *verdict, const char *text) {
  store_text name = {verdict, strlen(verdict)}, values[2] = {{"", 0}, {text, strlen(text)}};
  store_call call = {.operation = STORE_COMPARE_SET, .count = 1, .names = &name, .values = values};
  store_patience patience = {.deadline = platform_nanoseconds() + 5000000000};
  tocha_store_failure failure;
  store_run(where, &call, &patience, &failure); /* who cannot be told finds out by its timeout */
  free(call.answer.texts.bytes);
}

/* Tells all who wait in a meeting of a problem, unless there is a verdict. */
static void spoil(tocha_store *where, const char *problem) {
  set_verdict(where, "verdict", problem);
}

/* Raises a problem, whose first line is the error and the rest the hint. */
static bool raise(meeting *m, const char *problem) {
  size_t first = strcspn(problem, "\n");
  tocha_fail(m->cx, TOCHA_STORE_ERROR, "%.*s", (int)first, problem);
  if (problem[first]) tocha_hint(m->cx, "%s", problem + first + 1);
  return false;
}

static bool publish(meeting *m) {
  tocha_member member = {.rank = m->rank,
                         .world_size = m->world_size,
                         .process = platform_process_number(),
                         .serves = store_serves(m->here)};
  char text[PROBLEM], name[32];
  if (!platform_machine_name(member.host, sizeof member.host))
    snprintf(member.host, sizeof member.host, "unnamed");
  snprintf(member.version, sizeof member.version, "%s", TOCHA_VERSION);
  if (!tocha_own_address(m->cx, m->here, member.address)) return false;
  write_member(&member, text);
  return tocha_store_set(m->cx, m->here, name_of("member", m->rank, name), text, strlen(text));
}

/* Compares this rank's world with that of who came first. */
static bool agree(meeting *m) {
  char mine[80], own[120], other[120], problem[PROBLEM], version[40] = "";
  int world_size = 0, rank = 0;
  void *first;
  size_t size;
  int length = snprintf(mine, sizeof mine, "%d %d %s", m->world_size, m->rank, TOCHA_VERSION);
  if (!tocha_store_compare_set(m->cx, m->here, "world", "", 0, mine, (size_t)length, &first, &size))
    return false;
  char *end;
  world_size = (int)strtol(first, &end, 10);
  rank = (int)strtol(end, &end, 10);
  snprintf(version, sizeof version, "%s", *end ? end + 1 : "");
  free(first);
  bool same_size = world_size == m->world_size, same_version = strcmp(version, TOCHA_VERSION) == 0;
  if (same_size && same_version) return true;
  describe(m->here, m->rank, own);
  describe(m->here, rank, other);
  if (!same_size)
    snprintf(problem, sizeof problem,
             "The ranks disagree on the world size: %s has %d, %s has %d\nstart all ranks with the "
             "same WORLD_SIZE (or world_size)",
             other, world_size, own, m->world_size);
  else
    snprintf(problem, sizeof problem,
             "The ranks are of different versions: %s has Tocha %s, %s has Tocha %s\ninstall the "
             "same version on all hosts",
             other, version, own, TOCHA_VERSION);
  spoil(m->here, problem);
  return raise(m, problem);
}

/* Words who has not come. */
static void word_missing(meeting *m, double timeout, char problem[PROBLEM]) {
  char missing[200] = "", name[32];
  size_t at = 0;
  int came = 0;
  for (int rank = 0; rank < m->world_size; rank++) {
    tocha_store_failure failure;
    bool is_there = false;
    if (!store_check(m->here, name_of("member", rank, name), 0, &is_there, &failure)) break;
    came += is_there;
    if (is_there || at + 24 >= sizeof missing) continue;
    bool last = at + 48 >= sizeof missing;
    at += (size_t)snprintf(missing + at, sizeof missing - at, last ? ", ..." : "%s%d",
                           at ? ", " : "", rank);
    if (last) at = sizeof missing;
  }
  snprintf(problem, PROBLEM,
           "Timed out after %.0f seconds waiting for clients. %d/%d clients joined.\nrank%s %s did "
           "not come: see what %s printed, and that each "
           "was started with this MASTER_ADDR and MASTER_PORT",
           timeout, came, m->world_size, m->world_size - came == 1 ? "" : "s", missing,
           m->world_size - came == 1 ? "it" : "they");
}

/* Words how a rank failed, as the launcher says. Returns false if it says nothing. */
static bool word_failed(meeting *m, char problem[PROBLEM]) {
  if (!read_failed_rank(m->here, problem, PROBLEM / 2)) return false;
  strcat(problem, "\nthe ranks wait for each other in init_process_group");
  return true;
}

/* Words a verdict, if it is that a rank has ended, as the launcher does, which is about to say how. Returns false else. */
static bool word_ended(meeting *m, const char *verdict, char problem[PROBLEM]) {
  if (!strstr(verdict, STORE_ENDED_EARLY) || !tocha_environment(m->cx, "TORCHELASTIC_RUN_ID"))
    return false;
  for (int64_t waited = 0; waited < WORD; waited += LOOK / 4) {
    if (word_failed(m, problem)) return true;
    platform_sleep(LOOK / 4);
  }
  return false;
}

/* Waits until there is a verdict. Returns false with an error, or with a problem that the other ranks shall hear. */
static bool wait_for_verdict(meeting *m, const char *verdict, double timeout,
                             char problem[PROBLEM]) {
  tocha_store_failure failure;
  int64_t end = platform_nanoseconds() + (int64_t)(timeout * 1e9);
  problem[0] = '\0';
  for (;;) {
    int64_t look = platform_nanoseconds() + LOOK;
    if (store_wait(m->here, verdict, look < end ? look : end, &failure)) return true;
    if (failure.kind != TOCHA_STORE_TIMED_OUT) {
      store_raise(m->cx, &failure);
      return false;
    }
    if (tocha_interrupted(m->cx)) return false;
    if (!word_failed(m, problem) && look >= end) word_missing(m, timeout, problem);
    if (problem[0]) return false;
  }
}

/* Waits for all ranks. */
static bool wait_for_all(meeting *m, double timeout) {
  int64_t count;
  char problem[PROBLEM];
  const char *verdict = "verdict";
  if (!tocha_store_add(m->cx, m->here, "count", 1, &count)) return false;
  if (count == m->world_size) set_verdict(m->here, verdict, agreed);
  if (!wait_for_verdict(m, verdict, timeout, problem)) {
    if (!problem[0]) return false;
    spoil(m->here, problem);
    return raise(m, problem);
  }
  void *text;
  size_t size;
  if (!tocha_store_get(m->cx, m->here, verdict, &text, &size)) return false;
  bool good = strcmp(text, agreed) == 0;
  if (!good) raise(m, word_ended(m, text, problem) ? problem : text);
  free(text);
  return good;
}

/* --- coming and leaving ------------------------------------------------------------------------------- */

/* Returns the store of a meeting. */
static tocha_store *store_of(meeting *m, int64_t number) {
  char prefix[32];
  snprintf(prefix, sizeof prefix, "%" PRId64, number);
  return tocha_prefix_store_new(m->cx, prefix, m->all);
}

/* Fails since this rank has come before and not left: there are two of it. */
static bool refuse_twin(meeting *m) {
  char name[32], host[200] = "unnamed", other[120], problem[PROBLEM];
  int64_t sum;
  tocha_store_failure failure;
  tocha_store *earlier = store_of(m, m->number - 1);
  if (!earlier) return false;
  platform_machine_name(host, sizeof host);
  describe(earlier, m->rank, other);
  snprintf(problem, sizeof problem,
           "Two processes are rank %d: %s came first, then process %ld of host %.60s\neach process "
           "needs a RANK of its own, from 0 to %d",
           m->rank, other, platform_process_number(), host, m->world_size - 1);
  store_add(m->all, name_of("came", m->rank, name), -1, 0, &sum, &failure);
  spoil(earlier, problem);
  tocha_store_free(earlier);
  return raise(m, problem);
}

/* Counts this visit. */
static bool come(meeting *m) {
  char name[32];
  int64_t left;
  if (!tocha_store_add(m->cx, m->all, name_of("came", m->rank, name), 1, &m->number)) return false;
  if (!tocha_store_add(m->cx, m->all, name_of("left", m->rank, name), 0, &left)) return false;
  if (left < m->number - 1) return refuse_twin(m);
  m->here = store_of(m, m->number);
  return m->here != NULL;
}

/* Writes the prefix of all meetings: a launcher's store outlives its ranks. */
static void write_prefix(const tocha_context *cx, char prefix[64]) {
  const char *restarts = tocha_environment(cx, "TORCHELASTIC_RESTART_COUNT");
  snprintf(prefix, 64, "tocha/meeting/%.16s", restarts ? restarts : "0");
}

void store_tell_problem(const tocha_context *cx, tocha_store *store, const char *problem) {
  char prefix[64], verdict[80];
  write_prefix(cx, prefix);
  snprintf(verdict, sizeof verdict, "%s/1/verdict", prefix);
  set_verdict(store, verdict, problem);
}

bool store_tell_twin(const tocha_context *cx, tocha_store *store, const char *problem) {
  char prefix[64], name[80];
  tocha_store_failure failure;
  int64_t soon = platform_nanoseconds() + 1000000000; /* it may serve, and not have come yet */
  write_prefix(cx, prefix);
  snprintf(name, sizeof name, "%s/1/member/0", prefix);
  if (!store_wait(store, name, soon, &failure)) return false;
  store_tell_problem(cx, store, problem);
  return true;
}

tocha_store *join_rendezvous(tocha_context *cx, tocha_store *store, int rank, int world_size,
                             double timeout) {
  meeting m = {.cx = cx, .rank = rank, .world_size = world_size};
  char prefix[64], name[32];
  write_prefix(cx, prefix);
  m.all = tocha_prefix_store_new(cx, prefix, store);
  if (!m.all) return NULL;
  bool came = come(&m);
  bool joined = came && publish(&m) && agree(&m) && wait_for_all(&m, timeout);
  if (came && !joined) {
    int64_t sum;
    tocha_store_failure failure;
    store_add(m.all, name_of("left", rank, name), 1, 0, &sum, &failure);
    tocha_store_free(m.here);
    m.here = NULL;
  }
  tocha_store_free(m.all);
  return joined ? m.here : NULL;
}

void leave_rendezvous(tocha_store *joined, int rank) {
  char name[32];
  int64_t sum;
  tocha_store_failure failure;
  tocha_store *all = tocha_prefix_store_underlying(joined);
  if (all) store_add(all, name_of("left", rank, name), 1, 0, &sum, &failure);
}

bool read_failed_rank(tocha_store *store, char *words, size_t capacity) {
  static const char name[] = "tocha/failed";
  tocha_store_failure failure;
  void *text = NULL;
  size_t size;
  bool failed = false;
  store = store_innermost(store);
  int64_t soon = platform_nanoseconds() + LOOK;
  if (!store_check(store, name, soon, &failed, &failure) || !failed) return false;
  if (!store_get(store, name, soon, &text, &size, &failure)) return false;
  snprintf(words, capacity, "%.*s", (int)strcspn(text, "\n"), (const char *)text);
  free(text);
  return true;
}

/* --- the closing of connections ----------------------------------------------------------------------- */

bool store_announce(tocha_store *store, int rank, tocha_store_failure *failure) {
  char name[32];
  return store_set(store, name_of("tocha/connected", rank, name), "1", 1, failure);
}

bool store_retire(tocha_store *store, int rank, tocha_store_failure *failure) {
  char name[32];
  bool was_set;
  return store_delete(store, name_of("tocha/connected", rank, name), &was_set, failure);
}

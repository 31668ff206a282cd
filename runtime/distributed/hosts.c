/* hosts.c: compares what ranks on several hosts are about to do.
 *
 * Digests are compared by an all_reduce of two numbers, by which all ranks know if there is a difference. Only then do they tell
 * each other, by the store, what they were about to do. */
#include "distributed/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "distributed/board.h"
#include "distributed/channel.h"

/* NEWS: nanoseconds that a rank waits for the others' versions, once they are known to differ. */
static const int64_t NEWS = 5000000000;

/* --- messages ------------------------------------------------------------------------------------------ */

/* Lets the engine of tensors on the CPU run a message, in the time that the operation has; if the group has none, the operation's
 * own. Returns false with its failure. */
static bool run_message(tocha_work *w, tocha_transfer *message) {
  message->deadline = w->transfer.deadline;
  message->is_of_host = true;
  return tocha_channel_transfer(w, w->group->engines[TOCHA_CPU] ? TOCHA_CPU : w->device, message);
}

/* Replaces the numbers by the largest ones of all ranks. */
static bool find_maxima(tocha_work *w, int64_t *numbers, int count) {
  tocha_transfer message = {.kind = TOCHA_ALL_REDUCE,
                            .dtype = TOCHA_INT64,
                            .op = TOCHA_REDUCE_MAX,
                            .factor = 1,
                            .root = -1,
                            .input = numbers,
                            .output = numbers,
                            .count = count};
  return run_message(w, &message);
}

/* --- telling the difference ----------------------------------------------------------------------------- */

/* A rank's operation, in the store. */
typedef struct version {
  tocha_intent intent;
  char host[TOCHA_HOST_SIZE];
} version;

static void name_version(const tocha_work *w, int rank, char name[64]) {
  snprintf(name, 64, "check/%llu/%d", (unsigned long long)w->sequence, rank);
}

static bool read_version(const tocha_work *w, int rank, int64_t deadline, version *v) {
  char name[64];
  void *bytes = NULL;
  size_t size = 0;
  tocha_store_failure failure;
  name_version(w, rank, name);
  bool found = store_get(w->group->store, name, deadline, &bytes, &size, &failure);
  bool whole = found && size == sizeof *v;
  if (whole) memcpy(v, bytes, sizeof *v);
  if (found) free(bytes);
  if (whole) v->host[sizeof v->host - 1] = '\0';
  return whole;
}

/* Appends PyTorch's line about ranks a and b. */
static void append_difference(const tocha_work *w, int a, const tocha_intent *x, int b,
                              const tocha_intent *y, tocha_text *text) {
  char one[640], other[640], difference[640];
  tocha_text_format(text,
                    "Detected mismatch between collectives on ranks. Rank %d is running "
                    "collective: %s, but Rank %d is running collective: %s.Collectives differ in "
                    "the following aspects: %s",
                    a, tocha_intent_fingerprint(x, w->sequence, one, sizeof one), b,
                    tocha_intent_fingerprint(y, w->sequence, other, sizeof other),
                    tocha_intent_difference(x, y, difference, sizeof difference));
}

static void fail_by_store(tocha_work *w, const char *first_line) {
  enum { LINES = 16 };
  tocha_process_group *group = w->group;
  tocha_store_failure failure;
  tocha_text text = {0}, lines = {0};
  version own = {.intent = w->intent}, first, other;
  char name[64], operation[320], rank[32 + TOCHA_HOST_SIZE];
  name_version(w, group->rank, name);
  memcpy(own.host, group->world->own_host, sizeof own.host);
  store_set(group->store, name, &own, sizeof own, &failure);
  int64_t deadline = platform_nanoseconds() + NEWS;
  bool differ = false, has_first = read_version(w, 0, deadline, &first);
  if (first_line) tocha_text_string(&text, first_line);
  for (int r = 0; has_first && r < group->size && (r < LINES || !(differ || first_line)); r++) {
    if (!read_version(w, r, deadline, &other)) continue;
    if (!differ && !first_line &&
        tocha_intent_digest(&first.intent) != tocha_intent_digest(&other.intent)) {
      append_difference(w, 0, &first.intent, r, &other.intent, &text);
      differ = true;
    }
    if (r < LINES)
      tocha_text_format(&lines, "\n  %s: %s", tocha_rank_text(r, other.host, rank, sizeof rank),
                        tocha_intent_text(&other.intent, operation, sizeof operation));
  }
  if (!differ && !first_line)
    tocha_text_string(&text, "Detected mismatch between collectives on ranks.");
  if (lines.length) tocha_text_append(&text, lines.bytes, lines.length);
  tocha_text_free(&lines);
  char *message = tocha_text_finish(NULL, &text);
  tocha_work_fail(w, TOCHA_RUNTIME_ERROR, "%s", message ? message : "no memory for a message");
  free(message);
}

/* --- collectives ------------------------------------------------------------------------------------------ */

/* Compares what each rank sends to each with what that one expects, and notes if a rank's parts are not even. */
static bool check_counts(tocha_work *w) {
  tocha_process_group *group = w->group;
  int size = group->size;
  int64_t *ones = malloc(2 * (size_t)size * sizeof *ones), *sent = ones ? ones + size : NULL;
  if (!ones) {
    tocha_work_fail(w, TOCHA_MEMORY_ERROR, "no memory for a check");
    return false;
  }
  for (int r = 0; r < size; r++) ones[r] = 1;
  tocha_transfer message = {.kind = TOCHA_ALL_TO_ALL,
                            .dtype = TOCHA_INT64,
                            .root = -1,
                            .input = w->counts + size,
                            .output = sent,
                            .input_counts = ones,
                            .output_counts = ones};
  bool succeeded = run_message(w, &message);
  /* of all pairs that differ, the largest number: the sender, then the receiver; 1 if parts are not even */
  int64_t all[2] = {-1, !w->transfer.is_even};
  for (int from = 0; succeeded && from < size; from++)
    if (sent[from] != w->counts[from]) all[0] = (int64_t)from * size + group->rank;
  succeeded = succeeded && find_maxima(w, all, 2);
  int64_t pair = all[0];
  w->transfer.is_even = !all[1];
  if (succeeded && pair >= 0) {
    char line[200];
    snprintf(line, sizeof line,
             "Detected mismatch between collectives on ranks. Rank %d sends another number of "
             "elements to Rank %d than that one expects.",
             (int)(pair / size), (int)(pair % size));
    fail_by_store(w, line);
    succeeded = false;
  }
  free(ones);
  return succeeded;
}

bool tocha_check_hosts(tocha_work *w) {
  int64_t digest = (int64_t)(tocha_intent_digest(&w->intent) >> 1);
  int64_t both[2] = {digest, -digest};
  if (!find_maxima(w, both, 2)) return false;
  if (both[0] == digest && both[1] == -digest) return !w->counts || check_counts(w);
  fail_by_store(w, NULL);
  return false;
}

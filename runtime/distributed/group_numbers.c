/* group_numbers.c: the numbers by which ranks know a group. */
#include "distributed/group_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

uint64_t tocha_next_group_number(const tocha_distributed *d) { return 2 * d->group_count; }

void tocha_name_group(tocha_process_group *group) {
  const char *form = group->number % 2 ? "local_%" PRIu64 : "%" PRIu64;
  snprintf(group->name, sizeof group->name, form, group->number / 2);
}

static uint64_t hash_of(int count, const int *ranks) {
  uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
  for (int i = 0; i < count; i++) hash = (hash ^ (uint64_t)ranks[i]) * 0x100000001b3;
  return hash;
}

/* Returns how many groups of these ranks this rank has made before, and counts this one; -1 with an error. */
static int count_earlier(tocha_context *cx, tocha_distributed *d, uint64_t hash) {
  size_t bytes = (size_t)(d->local_count + 1) * sizeof *d->local_hashes;
  uint64_t *grown = realloc(d->local_hashes, bytes);
  if (!grown) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a process group"), -1;
  int earlier = 0;
  for (int i = 0; i < d->local_count; i++) earlier += grown[i] == hash;
  d->local_hashes = grown;
  d->local_hashes[d->local_count++] = hash;
  return earlier;
}

/* Takes the next number from the store for all members. */
static bool hand_out(tocha_context *cx, tocha_store *store, const char *key, int64_t *count) {
  char text[24];
  if (!tocha_store_add(cx, store, "local_groups", 1, count)) return false;
  int length = snprintf(text, sizeof text, "%" PRId64, *count);
  return tocha_store_set(cx, store, key, text, (size_t)length);
}

static bool receive(tocha_context *cx, tocha_store *store, const char *key, double timeout,
                    int64_t *count) {
  void *bytes;
  size_t size;
  if (!tocha_store_wait(cx, store, 1, &key, timeout) ||
      !tocha_store_get(cx, store, key, &bytes, &size))
    return false;
  *count = strtoll(bytes, NULL, 10); /* a zero stands behind it */
  free(bytes);
  return true;
}

bool tocha_agree_on_group_number(tocha_context *cx, int count, const int *ranks, double timeout,
                                 uint64_t *number) {
  tocha_distributed *d = cx->distributed;
  tocha_store_failure failure;
  char key[64];
  uint64_t hash = hash_of(count, ranks);
  int earlier = count_earlier(cx, d, hash);
  int64_t n = d->local_count;
  if (earlier < 0) return false;
  if (d->joined) {
    /* a connection of its own: other threads use that of the world */
    tocha_store *store = store_clone(d->joined, &failure);
    if (!store) return tocha_fail(cx, TOCHA_STORE_ERROR, "%s", failure.message);
    snprintf(key, sizeof key, "local_group/%016" PRIx64 "/%d", hash, earlier);
    bool agreed = ranks[0] == d->world->rank ? hand_out(cx, store, key, &n)
                                             : receive(cx, store, key, timeout, &n);
    tocha_store_free(store);
    if (!agreed) return false;
  }
  *number = 2 * (uint64_t)n + 1;
  return true;
}

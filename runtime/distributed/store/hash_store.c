/* hash_store.c: HashStore: values in memory, for the threads of a process. */
#include <stdlib.h>

#include "distributed/store/kinds.h"
#include "distributed/store/values.h"
#include "platform/platform.h"

typedef struct hash_store {
  tocha_store head;
  store_values *values;
  platform_mutex lock;
  platform_condition changed;
} hash_store;

static bool fail(const store_call *call, store_outcome outcome, tocha_store_failure *failure) {
  if (outcome != STORE_NO_SUM) return store_no_memory(failure);
  store_fail(failure, TOCHA_STORE_NO_NUMBER, "stoll");
  store_hint(failure, "add counts in decimal digits, and the value of '%.*s' is no number",
             (int)call->names[0].size, call->names[0].bytes);
  return false;
}

static bool call_hash(tocha_store *store, store_call *call, const store_patience *patience,
                      tocha_store_failure *failure) {
  hash_store *hash = (hash_store *)store;
  store_text awaited;
  bool over = false;
  platform_lock(&hash->lock);
  store_outcome outcome = store_values_run(hash->values, call, false, &awaited);
  if (store_changes_values(call->operation)) platform_wake_all(&hash->changed);
  while (outcome == STORE_NOT_YET) {
    platform_unlock(&hash->lock); /* the host's function is asked without the lock */
    over = store_is_over(patience, failure);
    platform_lock(&hash->lock);
    if (over) break;
    outcome = store_values_run(hash->values, call, true, &awaited);
    if (outcome != STORE_NOT_YET) break;
    platform_wait_until(&hash->changed, &hash->lock, store_slice_end(patience));
    outcome = store_values_run(hash->values, call, true, &awaited);
  }
  platform_unlock(&hash->lock);
  return !over && (outcome == STORE_DONE || fail(call, outcome, failure));
}

static void close_hash(tocha_store *store) {
  hash_store *hash = (hash_store *)store;
  store_values_free(hash->values);
  platform_condition_close(&hash->changed);
  platform_mutex_close(&hash->lock);
}

static const store_kind kind = {"HashStore", false, true, call_hash, NULL, close_hash};

tocha_store *tocha_hash_store_new(tocha_context *cx) {
  tocha_store_failure failure;
  hash_store *hash = (hash_store *)store_new(&kind, sizeof(hash_store), 0, &failure);
  if (!hash) return store_raise(cx, &failure);
  hash->values = store_values_new();
  bool has_lock = platform_mutex_open(&hash->lock);
  bool has_condition = platform_condition_open(&hash->changed);
  if (hash->values && has_lock && has_condition) return &hash->head;
  store_values_free(hash->values);
  if (has_lock) platform_mutex_close(&hash->lock);
  if (has_condition) platform_condition_close(&hash->changed);
  free(hash);
  store_no_memory(&failure);
  return store_raise(cx, &failure);
}

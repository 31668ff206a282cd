/* values.c: values under names in memory. */
#include "distributed/store/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of a queue. */
typedef struct queued {
  struct queued *next;
  store_text value;
} queued;

/* A name: it has a value, a queue, or both. */
typedef struct entry {
  struct entry *next; /* in its bucket */
  uint64_t hash;
  store_text name, value; /* value.bytes: NULL if it has none */
  queued *first, *last;
  int64_t length; /* of the queue */
} entry;

struct store_values {
  entry **buckets;
  size_t size;   /* of buckets: a power of two */
  int64_t count; /* of entries with a value */
  size_t entries;
};

enum { FIRST_SIZE = 64 };

/* --- bytes --------------------------------------------------------------------------------------- */

/* Returns a copy, which is not NULL even if it is empty, or NULL for lack of memory. */
static char *copy_of(store_text text, size_t more) {
  char *copy = malloc(text.size + more + 1);
  if (copy && text.size) memcpy(copy, text.bytes, text.size);
  return copy;
}

static uint64_t hash_of(store_text name) { /* FNV-1a */
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.bytes[i]) * 1099511628211u;
  return hash;
}

static bool same(store_text a, store_text b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* Reads a number in decimal digits, of which some may follow blanks and others be followed by anything. */
static bool parse_number(store_text text, int64_t *number) {
  char digits[32];
  size_t size = text.size < sizeof digits - 1 ? text.size : sizeof digits - 1;
  if (size) memcpy(digits, text.bytes, size);
  digits[size] = 0;
  char *end;
  *number = strtoll(digits, &end, 10);
  return end != digits;
}

/* --- the table ------------------------------------------------------------------------------------ */

store_values *store_values_new(void) {
  store_values *values = calloc(1, sizeof *values);
  if (!values) return NULL;
  values->buckets = calloc(FIRST_SIZE, sizeof(entry *));
  values->size = FIRST_SIZE;
  if (values->buckets) return values;
  free(values);
  return NULL;
}

static void free_entry(entry *e) {
  for (queued *q = e->first, *next; q; q = next) {
    next = q->next;
    free((void *)q->value.bytes);
    free(q);
  }
  free((void *)e->name.bytes);
  free((void *)e->value.bytes);
  free(e);
}

void store_values_free(store_values *values) {
  if (!values) return;
  for (size_t i = 0; i < values->size; i++) {
    for (entry *e = values->buckets[i], *next; e; e = next) {
      next = e->next;
      free_entry(e);
    }
  }
  free(values->buckets);
  free(values);
}

static entry **place_of(const store_values *values, store_text name, uint64_t hash) {
  entry **at = &values->buckets[hash & (values->size - 1)];
  while (*at && ((*at)->hash != hash || !same((*at)->name, name))) at = &(*at)->next;
  return at;
}

static entry *find(const store_values *values, store_text name) {
  return *place_of(values, name, hash_of(name));
}

/* Doubles the buckets; a lack of memory only makes searches longer. */
static void grow(store_values *values) {
  size_t size = values->size * 2;
  entry **buckets = calloc(size, sizeof(entry *));
  if (!buckets) return;
  for (size_t i = 0; i < values->size; i++) {
    for (entry *e = values->buckets[i], *next; e; e = next) {
      next = e->next;
      e->next = buckets[e->hash & (size - 1)];
      buckets[e->hash & (size - 1)] = e;
    }
  }
  free(values->buckets);
  values->buckets = buckets, values->size = size;
}

/* Returns the entry of the name, made if there is none; NULL for lack of memory. */
static entry *find_or_add(store_values *values, store_text name) {
  if (values->entries >= values->size) grow(values);
  uint64_t hash = hash_of(name);
  entry **at = place_of(values, name, hash);
  if (*at) return *at;
  entry *e = calloc(1, sizeof *e);
  char *copy = e ? copy_of(name, 0) : NULL;
  if (!copy) {
    free(e);
    return NULL;
  }
  e->hash = hash, e->name = (store_text){copy, name.size};
  values->entries++;
  return *at = e;
}

/* Removes the entry if it has neither a value nor a queue. */
static void remove_if_empty(store_values *values, entry *e) {
  if (e->value.bytes || e->first) return;
  entry **at = place_of(values, e->name, e->hash);
  *at = e->next;
  values->entries--;
  free_entry(e);
}

const store_text *store_values_find(const store_values *values, store_text name) {
  entry *e = find(values, name);
  return e && e->value.bytes ? &e->value : NULL;
}

/* Takes over `bytes`, which may be NULL for lack of memory. */
static bool put_value(store_values *values, store_text name, char *bytes, size_t size) {
  entry *e = bytes ? find_or_add(values, name) : NULL;
  if (!e) {
    free(bytes);
    return false;
  }
  if (!e->value.bytes) values->count++;
  free((void *)e->value.bytes);
  e->value = (store_text){bytes, size};
  return true;
}

bool store_values_set(store_values *values, store_text name, store_text value) {
  return put_value(values, name, copy_of(value, 0), value.size);
}

bool store_values_delete(store_values *values, store_text name) {
  entry *e = find(values, name);
  if (!e || !e->value.bytes) return false;
  free((void *)e->value.bytes);
  e->value = (store_text){0};
  values->count--;
  remove_if_empty(values, e);
  return true;
}

/* --- calls ------------------------------------------------------------------------------------------ */

static store_outcome outcome(bool done) { return done ? STORE_DONE : STORE_SHORT; }

static store_outcome add(store_values *values, store_call *call) {
  const store_text *old = store_values_find(values, call->names[0]);
  int64_t number = 0;
  if (old && !parse_number(*old, &number)) return STORE_NO_SUM;
  number = (int64_t)((uint64_t)number + (uint64_t)call->number);
  char digits[24];
  int size = snprintf(digits, sizeof digits, "%" PRId64, number);
  call->answer.number = number;
  return outcome(store_values_set(values, call->names[0], (store_text){digits, (size_t)size}));
}

static store_outcome append(store_values *values, const store_call *call) {
  const store_text *old = store_values_find(values, call->names[0]), value = call->values[0];
  if (!old) return outcome(store_values_set(values, call->names[0], value));
  size_t size = old->size;
  char *joined = copy_of(*old, value.size);
  if (joined && value.size) memcpy(joined + size, value.bytes, value.size);
  return outcome(put_value(values, call->names[0], joined, size + value.size));
}

static store_outcome compare_set(store_values *values, store_call *call) {
  const store_text *old = store_values_find(values, call->names[0]);
  store_text expected = call->values[0], desired = call->values[1];
  bool equal = old ? same(*old, expected) : expected.size == 0;
  store_answer_text(call, equal ? desired : old ? *old : expected);
  return outcome(!equal || store_values_set(values, call->names[0], desired));
}

static store_outcome push(store_values *values, const store_call *call) {
  queued *q = calloc(1, sizeof *q);
  entry *e = q ? find_or_add(values, call->names[0]) : NULL;
  char *copy = e ? copy_of(call->values[0], 0) : NULL;
  if (!copy) {
    free(q);
    if (e) remove_if_empty(values, e);
    return STORE_SHORT;
  }
  q->value = (store_text){copy, call->values[0].size};
  if (e->last)
    e->last->next = q;
  else
    e->first = q;
  e->last = q;
  e->length++;
  return STORE_DONE;
}

/* Answers with the number of values that the queue had, and with its first one. */
static store_outcome pop(store_values *values, store_call *call) {
  entry *e = find(values, call->names[0]);
  if (!e || !e->first) return STORE_DONE;
  queued *q = e->first;
  call->answer.number = e->length--;
  store_answer_text(call, q->value);
  e->first = q->next;
  if (!e->first) e->last = NULL;
  free((void *)q->value.bytes);
  free(q);
  remove_if_empty(values, e);
  return STORE_DONE;
}

static void get(const store_values *values, store_call *call) {
  for (int i = 0; i < call->count; i++) {
    const entry *e = find(values, call->names[i]);
    store_answer_text(call, e && e->value.bytes ? e->value : (store_text){"", 0});
  }
}

static void list(const store_values *values, store_call *call) {
  for (size_t i = 0; i < values->size; i++) {
    for (const entry *e = values->buckets[i]; e; e = e->next)
      if (e->value.bytes) store_answer_text(call, e->name);
  }
}

/* Returns the first name that has neither a value nor a queue, or NULL. */
static const store_text *missing_name(const store_values *values, const store_call *call) {
  for (int i = 0; i < call->count; i++)
    if (!find(values, call->names[i])) return &call->names[i];
  return NULL;
}

static store_outcome barrier(store_values *values, store_call *call, bool again) {
  int64_t wanted = call->number, came = 0;
  call->number = 1;
  store_outcome counted = again ? STORE_DONE : add(values, call);
  call->number = wanted;
  if (counted != STORE_DONE) return counted;
  const store_text *count = store_values_find(values, call->names[0]);
  if (count) parse_number(*count, &came);
  return came >= wanted ? STORE_DONE : STORE_NOT_YET;
}

/* Returns true if the call waits until its names have values. */
static bool waits_for_names(const store_call *call) {
  return call->operation == STORE_GET || call->operation == STORE_WAIT ||
         call->operation == STORE_MULTI_GET || (call->operation == STORE_QUEUE_POP && call->number);
}

bool store_changes_values(store_operation operation) {
  return operation == STORE_SET || operation == STORE_COMPARE_SET || operation == STORE_ADD ||
         operation == STORE_APPEND || operation == STORE_MULTI_SET ||
         operation == STORE_QUEUE_PUSH || operation == STORE_BARRIER;
}

static store_outcome run(store_values *values, store_call *call, bool again) {
  switch (call->operation) {
  case STORE_SET:
    return outcome(store_values_set(values, call->names[0], call->values[0]));
  case STORE_COMPARE_SET:
    return compare_set(values, call);
  case STORE_ADD:
    return add(values, call);
  case STORE_CHECK:
    call->answer.number = !missing_name(values, call);
    break;
  case STORE_GET:
  case STORE_MULTI_GET:
    get(values, call);
    break;
  case STORE_NUM_KEYS:
    call->answer.number = values->count;
    break;
  case STORE_DELETE:
    call->answer.number = store_values_delete(values, call->names[0]);
    break;
  case STORE_APPEND:
    return append(values, call);
  case STORE_MULTI_SET:
    for (int i = 0; i < call->count; i++)
      if (!store_values_set(values, call->names[i], call->values[i])) return STORE_SHORT;
    break;
  case STORE_QUEUE_PUSH:
    return push(values, call);
  case STORE_QUEUE_POP:
    return pop(values, call);
  case STORE_QUEUE_LENGTH: {
    const entry *e = find(values, call->names[0]);
    call->answer.number = e ? e->length : 0;
    break;
  }
  case STORE_LIST_KEYS:
    list(values, call);
    break;
  case STORE_BARRIER:
    return barrier(values, call, again);
  default:
    break;
  }
  return STORE_DONE;
}

store_outcome store_values_run(store_values *values, store_call *call, bool again,
                               store_text *awaited) {
  const store_text *missing = waits_for_names(call) ? missing_name(values, call) : NULL;
  if (missing) {
    *awaited = *missing;
    return STORE_NOT_YET;
  }
  store_outcome result = run(values, call, again);
  if (result == STORE_NOT_YET) *awaited = call->names[0];
  return call->answer.texts.failed ? STORE_SHORT : result;
}

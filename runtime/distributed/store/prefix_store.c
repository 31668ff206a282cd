/* prefix_store.c: PrefixStore: the values of another store whose names begin with a prefix; and other handles on a store, which
 * add none. */
#include <stdlib.h>
#include <string.h>

#include "distributed/store/kinds.h"

typedef struct prefix_store {
  tocha_store head;
  tocha_store *inner;
  char *prefix; /* NULL: a handle */
} prefix_store;

/* Puts the names with the prefix into `names`, their bytes into `bytes`. Returns false for lack of memory. */
static bool add_prefix(const prefix_store *store, const store_call *call, store_text *names,
                       store_buffer *bytes) {
  for (int i = 0; i < call->count; i++) {
    names[i].size = strlen(store->prefix) + 1 + call->names[i].size;
    store_put(bytes, store->prefix, strlen(store->prefix));
    store_put(bytes, "/", 1);
    store_put(bytes, call->names[i].bytes, call->names[i].size);
  }
  size_t at = 0;
  for (int i = 0; i < call->count && !bytes->failed; i++) {
    names[i].bytes = bytes->bytes + at;
    at += names[i].size;
  }
  return !bytes->failed;
}

/* Keeps of the listed names those with the prefix, without it. */
static bool keep_own_names(const prefix_store *store, store_call *call,
                           tocha_store_failure *failure) {
  store_buffer all = call->answer.texts;
  size_t length = strlen(store->prefix);
  call->answer.texts = (store_buffer){0};
  call->answer.count = 0;
  store_text name;
  for (size_t at = 0; store_next_text(&all, &at, &name);)
    if (name.size > length && memcmp(name.bytes, store->prefix, length) == 0 &&
        name.bytes[length] == '/')
      store_answer_text(call, (store_text){name.bytes + length + 1, name.size - length - 1});
  free(all.bytes);
  return !call->answer.texts.failed || store_no_memory(failure);
}

static bool call_inner(tocha_store *store, store_call *call, const store_patience *patience,
                       tocha_store_failure *failure) {
  prefix_store *prefix = (prefix_store *)store;
  store_text few[4], *names = few;
  if (call->count > 4) names = malloc((size_t)call->count * sizeof *names);
  store_buffer bytes = {0};
  const store_text *given = call->names;
  bool done = names && add_prefix(prefix, call, names, &bytes);
  if (done) {
    call->names = names;
    done = prefix->inner->kind->call(prefix->inner, call, patience, failure);
    call->names = given;
    if (done && call->operation == STORE_LIST_KEYS) done = keep_own_names(prefix, call, failure);
  } else {
    store_no_memory(failure);
  }
  free(bytes.bytes);
  if (names != few) free(names);
  return done;
}

static void close_prefix(tocha_store *store) {
  prefix_store *prefix = (prefix_store *)store;
  tocha_store_free(prefix->inner);
  free(prefix->prefix);
}

static bool call_handle(tocha_store *store, store_call *call, const store_patience *patience,
                        tocha_store_failure *failure) {
  tocha_store *inner = ((prefix_store *)store)->inner;
  return inner->kind->call(inner, call, patience, failure);
}

static tocha_store *clone_handle(tocha_store *store, tocha_store_failure *failure) {
  return store_clone(((prefix_store *)store)->inner, failure);
}

static tocha_store *clone_prefix(tocha_store *store, tocha_store_failure *failure);

static const store_kind kind = {"PrefixStore", false, true, call_inner, clone_prefix, close_prefix};
static const store_kind handle_kind = {"Store",     false,        true,
                                       call_handle, clone_handle, close_prefix};

/* Takes over `inner`, which is NULL with a failure. text: NULL for a handle. */
static tocha_store *new_prefix(const char *text, tocha_store *inner, tocha_store_failure *failure) {
  if (!inner) return NULL;
  const store_kind *made = text ? &kind : &handle_kind;
  prefix_store *prefix = (prefix_store *)store_new(made, sizeof(prefix_store), 0, failure);
  size_t size = text ? strlen(text) + 1 : 0;
  char *copy = prefix && text ? malloc(size) : NULL;
  if (!prefix || (text && !copy)) {
    store_no_memory(failure);
    free(prefix);
    tocha_store_free(inner);
    return NULL;
  }
  if (copy) prefix->prefix = memcpy(copy, text, size);
  prefix->inner = inner;
  return &prefix->head;
}

tocha_store *store_new_handle(tocha_store *store, tocha_store_failure *failure) {
  return new_prefix(NULL, tocha_store_retain(store), failure);
}

static tocha_store *clone_prefix(tocha_store *store, tocha_store_failure *failure) {
  prefix_store *prefix = (prefix_store *)store;
  return new_prefix(prefix->prefix, store_clone(prefix->inner, failure), failure);
}

tocha_store *tocha_prefix_store_new(tocha_context *cx, const char *prefix, tocha_store *store) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (!prefix || !store)
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "a PrefixStore needs a prefix and a store");
  tocha_store_failure failure;
  tocha_store *made = new_prefix(prefix, tocha_store_retain(store), &failure);
  return made ? made : store_raise(cx, &failure);
}

tocha_store *tocha_prefix_store_underlying(const tocha_store *store) {
  return store && store->kind == &kind ? ((const prefix_store *)store)->inner : NULL;
}

tocha_store *store_innermost(const tocha_store *store) {
  while (store->kind == &kind || store->kind == &handle_kind)
    store = ((const prefix_store *)store)->inner;
  return (tocha_store *)store;
}

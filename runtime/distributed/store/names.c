/* names.c: prefixes of the names in a call. */
#include "distributed/store/names.h"

#include <stdlib.h>
#include <string.h>

bool store_add_prefix(store_prefixed *prefixed, store_call *call, const char *prefix,
                      tocha_store_failure *failure) {
  size_t length = strlen(prefix), at = 0;
  *prefixed = (store_prefixed){.given = call->names};
  for (int i = 0; i < call->count; i++) {
    store_put(&prefixed->bytes, prefix, length);
    store_put(&prefixed->bytes, call->names[i].bytes, call->names[i].size);
  }
  prefixed->names = malloc((size_t)(call->count + 1) * sizeof *prefixed->names);
  if (!prefixed->names || prefixed->bytes.failed) {
    store_drop_prefix(prefixed, call);
    return store_no_memory(failure);
  }
  for (int i = 0; i < call->count; i++) {
    prefixed->names[i] = (store_text){prefixed->bytes.bytes + at, length + call->names[i].size};
    at += prefixed->names[i].size;
  }
  call->names = prefixed->names;
  return true;
}

void store_drop_prefix(store_prefixed *prefixed, store_call *call) {
  call->names = prefixed->given;
  free(prefixed->names);
  free(prefixed->bytes.bytes);
}

bool store_strip_answer(store_call *call, const char *prefix, tocha_store_failure *failure) {
  store_buffer all = call->answer.texts;
  size_t length = strlen(prefix), at = 0;
  call->answer.texts = (store_buffer){0};
  call->answer.count = 0;
  for (store_text name; store_next_text(&all, &at, &name);)
    if (name.size >= length && memcmp(name.bytes, prefix, length) == 0)
      store_answer_text(call, (store_text){name.bytes + length, name.size - length});
  free(all.bytes);
  return !call->answer.texts.failed || store_no_memory(failure);
}

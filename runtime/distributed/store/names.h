/* names.h: prefixes of the names in a call. */
#ifndef TOCHA_STORE_NAMES_H
#define TOCHA_STORE_NAMES_H

#include "distributed/store/kinds.h"

/* The names of a call while they have a prefix. */
typedef struct store_prefixed {
  const store_text *given;
  store_text *names;
  store_buffer bytes;
} store_prefixed;

/* Puts the prefix before each name of the call, until store_drop_prefix. Returns false with a failure; then nothing has changed. */
bool store_add_prefix(store_prefixed *prefixed, store_call *call, const char *prefix,
                      tocha_store_failure *failure);
void store_drop_prefix(store_prefixed *prefixed, store_call *call);
/* Keeps of the names that list_keys has answered those with the prefix, and takes it off. */
bool store_strip_answer(store_call *call, const char *prefix, tocha_store_failure *failure);

#endif

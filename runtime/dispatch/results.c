/* results.c: the results of a call as a list that the caller owns. */
#include "dispatch/call.h"

#include <string.h>

static uint64_t bytes_of(int count) { return (uint64_t)count * sizeof(tocha_tensor *); }

bool tocha_tensors_of_results(tocha_context *cx, tocha_results *results, tocha_tensors *list) {
  *list = (tocha_tensors){results->count, results->tensors};
  if (results->tensors != results->fixed) { /* already a block of its own */
    results->tensors = results->fixed;
    return true;
  }
  list->items = results->count ? tocha_allocate(cx, bytes_of(results->count)) : NULL;
  if (results->count && !list->items) {
    list->count = 0;
    return false;
  }
  if (list->items) memcpy(list->items, results->fixed, (size_t)bytes_of(results->count));
  return true;
}

void tocha_tensors_free(tocha_context *cx, tocha_tensors *list) {
  if (!list) return;
  if (list->items) tocha_deallocate(cx, list->items, bytes_of(list->count));
  *list = (tocha_tensors){0};
}

/* confine.c: the one door by which a context opens files, and what else a host may refuse it. */
#include "core/confine.h"

#include <errno.h>
#include <string.h>

#include "core/internal.h"

bool tocha_confine(tocha_context *cx, const tocha_confinement *confinement) {
  if (tocha_failed(cx)) return false;
  if (!confinement) return tocha_refuse_none(cx, "confine", "confinement", "tocha_confinement");
  if (cx->confined) return tocha_fail(cx, TOCHA_VALUE_ERROR, "the context is confined already");
  size_t taken = cx->allocator.statistics.reserved;
  if (confinement->count && !confinement->count(confinement->user, (int64_t)taken))
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "the limit on memory is below what a context needs");
  cx->confined = true;
  cx->confinement = *confinement;
  tocha_set_threads(cx, cx->threads);
  return true;
}

bool tocha_is_confined(const tocha_context *cx) { return cx && cx->confined; }

FILE *tocha_open_file(tocha_context *cx, const char *path, tocha_file_use use) {
  const tocha_confinement *c = &cx->confinement;
  if (!cx->confined) return fopen(path, use == TOCHA_FILE_READ ? "rb" : "wb");
  if (c->open) return c->open(c->user, path, use);
  errno = EACCES;
  return NULL;
}

void tocha_clear_unwritten(const tocha_tensor *t) {
  if (t->device.type == TOCHA_CPU && t->context->confined && t->storage->bytes)
    memset(t->storage->data, 0, (size_t)t->storage->bytes);
}

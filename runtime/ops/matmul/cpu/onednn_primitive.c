/* onednn_primitive.c: primitives of oneDNN that any thread may run. */
#include "ops/matmul/cpu/onednn_primitive.h"

#include <string.h>

#include "core/context.h"
#include "core/library.h"
#include "tocha/signals.h"

enum { SUCCESS = TOCHA_ONEDNN_SUCCESS, QUERY_SCRATCHPAD = 136, OF_CALLER = 1, MAX_ARGUMENTS = 8 };

static const tocha_symbol functions[] = {
    {"dnnl_memory_create", offsetof(tocha_onednn_functions, memory_create)},
    {"dnnl_memory_destroy", offsetof(tocha_onednn_functions, memory_destroy)},
    {"dnnl_memory_get_memory_desc", offsetof(tocha_onednn_functions, memory_get_memory_desc)},
    {"dnnl_memory_desc_get_size", offsetof(tocha_onednn_functions, memory_desc_get_size)},
    {"dnnl_primitive_desc_query_md", offsetof(tocha_onednn_functions, primitive_desc_query_md)},
    {"dnnl_primitive_desc_destroy", offsetof(tocha_onednn_functions, primitive_desc_destroy)},
    {"dnnl_primitive_create", offsetof(tocha_onednn_functions, primitive_create)},
    {"dnnl_primitive_destroy", offsetof(tocha_onednn_functions, primitive_destroy)},
    {"dnnl_primitive_execute", offsetof(tocha_onednn_functions, primitive_execute)},
    {"dnnl_stream_wait", offsetof(tocha_onednn_functions, stream_wait)},
    {"dnnl_primitive_attr_create", offsetof(tocha_onednn_functions, attr_create)},
    {"dnnl_primitive_attr_set_scratchpad_mode",
     offsetof(tocha_onednn_functions, attr_set_scratchpad_mode)},
    {"dnnl_primitive_attr_destroy", offsetof(tocha_onednn_functions, attr_destroy)},
};

bool tocha_onednn_find_functions(void *library, tocha_onednn_functions *f) {
  return tocha_find_functions(library, functions, TOCHA_COUNT(functions), f);
}

void *tocha_onednn_attributes(const tocha_onednn_functions *f) {
  void *attributes = NULL;
  if (f->attr_create(&attributes) != SUCCESS) return NULL;
  if (f->attr_set_scratchpad_mode(attributes, OF_CALLER) == SUCCESS) return attributes;
  f->attr_destroy(attributes);
  return NULL;
}

bool tocha_onednn_scratchpad(const tocha_onednn_functions *f, void *engine, const void *description,
                             void **scratchpad, size_t *bytes) {
  const void *wanted = f->primitive_desc_query_md(description, QUERY_SCRATCHPAD, 0);
  size_t size = wanted ? f->memory_desc_get_size(wanted) : 0, step = TOCHA_ONEDNN_ALIGNMENT;
  *scratchpad = NULL;
  *bytes = (size + step - 1) / step * step;
  return !size || f->memory_create(scratchpad, wanted, engine, NULL) == SUCCESS;
}

uint64_t tocha_onednn_hash(const void *shape, size_t bytes) {
  uint64_t h = 0, part;
  for (size_t i = 0; i + sizeof part <= bytes; i += sizeof part) {
    memcpy(&part, (const char *)shape + i, sizeof part);
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

bool tocha_onednn_run(const tocha_onednn_functions *f, void *engine, void *stream,
                      const void *primitive, int count, const int *which, void *const *objects,
                      char *const *data) {
  tocha_onednn_argument given[MAX_ARGUMENTS] = {{0, NULL}};
  const void *layout;
  int made = 0;
  bool ok = count <= MAX_ARGUMENTS;
  for (; ok && made < count; made += ok) {
    given[made].which = which[made];
    ok = f->memory_get_memory_desc(objects[made], &layout) == SUCCESS &&
         f->memory_create(&given[made].memory, layout, engine, data[made]) == SUCCESS;
  }
  tocha_signal_mask held = tocha_hold_signals();
  ok = ok && f->primitive_execute(primitive, stream, count, given) == SUCCESS &&
       f->stream_wait(stream) == SUCCESS;
  tocha_release_signals(&held);
  while (made > 0) f->memory_destroy(given[--made].memory);
  return ok;
}

/* instruments.c: the functions of <tocha/device_memory.h>, by the plug-in's instruments. */
#include "device/instruments.h"

#include <string.h>

#include "device/devices.h"

/* Returns the devices if a GPU was used, or NULL. */
static const tocha_devices *used(const tocha_context *cx) {
  return cx && cx->devices && cx->devices->backend ? cx->devices : NULL;
}

/* --- statistics ------------------------------------------------------------------------------------ */

bool tocha_device_statistics_of(tocha_context *cx, int index, tocha_device_statistics *statistics) {
  if (!statistics)
    return tocha_refuse_none(cx, "device_statistics_of", "statistics", "tocha_device_statistics");
  memset(statistics, 0, sizeof *statistics);
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->statistics(d->state, index, statistics));
}

bool tocha_reset_device_sums(tocha_context *cx, int index) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->reset_sums(d->state, index));
}

bool tocha_pinned_statistics_of(tocha_context *cx, tocha_pinned_statistics *statistics) {
  if (!statistics)
    return tocha_refuse_none(cx, "pinned_statistics_of", "statistics", "tocha_pinned_statistics");
  memset(statistics, 0, sizeof *statistics);
  const tocha_devices *d = used(cx);
  if (d) d->backend->instruments->pinned_statistics(d->state, statistics);
  return d != NULL;
}

void tocha_reset_pinned_peak(tocha_context *cx) {
  const tocha_devices *d = used(cx);
  if (d) d->backend->instruments->reset_pinned(d->state, true, false);
}

void tocha_reset_pinned_sums(tocha_context *cx) {
  const tocha_devices *d = used(cx);
  if (d) d->backend->instruments->reset_pinned(d->state, false, true);
}

/* --- limits ---------------------------------------------------------------------------------------- */

bool tocha_set_memory_fraction(tocha_context *cx, int index, double fraction) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  if (!d) return false;
  if (!(fraction >= 0 && fraction <= 1)) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Invalid fraction value: %g. Allowed range: 0~1", fraction);
    return false;
  }
  return tocha_launched(cx, d->backend->instruments->set_fraction(d->state, index, fraction));
}

bool tocha_memory_fraction(tocha_context *cx, int index, double *fraction) {
  if (!fraction) return tocha_refuse_none(cx, "memory_fraction", "fraction", "float");
  *fraction = 1;
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->fraction(d->state, index, fraction));
}

bool tocha_allocator_settings_of(tocha_context *cx, int index, tocha_allocator_settings *settings) {
  if (!settings)
    return tocha_refuse_none(cx, "allocator_settings_of", "settings", "tocha_allocator_settings");
  memset(settings, 0, sizeof *settings);
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->settings(d->state, index, settings));
}

bool tocha_set_allocator_settings(tocha_context *cx, const char *text) {
  tocha_devices *d = tocha_devices_ready(cx, -1);
  if (!d) return false;
  const char *warning = "";
  if (!d->backend->instruments->configure(d->state, text ? text : "", &warning)) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "%s", d->backend->message(d->state));
    return false;
  }
  if (*warning) tocha_warn(cx, "%s", warning);
  return true;
}

/* --- blocks and requests --------------------------------------------------------------------------- */

void tocha_visit_blocks(tocha_context *cx,
                        void (*visit)(void *user, const tocha_memory_block *block), void *user) {
  const tocha_devices *d = used(cx);
  if (!visit) tocha_refuse_none(cx, "visit_blocks", "visit", "function");
  if (d && visit) d->backend->instruments->visit_blocks(d->state, visit, user);
}

bool tocha_visit_memory_pools(tocha_context *cx, int index,
                              void (*visit)(void *user, uint64_t pool,
                                            const tocha_statistic reserved[TOCHA_POOL_COUNT]),
                              void *user) {
  if (!visit) return tocha_refuse_none(cx, "visit_memory_pools", "visit", "function");
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d &&
         tocha_launched(cx, d->backend->instruments->visit_pools(d->state, index, visit, user));
}

bool tocha_observe_memory(tocha_context *cx,
                          void (*observe)(void *user, const tocha_memory_event *event),
                          void *user) {
  if (!observe && !used(cx)) return true;
  tocha_devices *d = tocha_devices_ready(cx, -1);
  if (d) d->backend->instruments->observe(d->state, observe, user);
  return d != NULL;
}

/* --- memory without a tensor ------------------------------------------------------------------------ */

/* A block of tocha_device_memory_new. */
struct tocha_raw_block {
  struct tocha_raw_block *next;
  void *data, *user;
  void (*deleter)(void *user, void *data);
};

void *tocha_device_memory_new(tocha_context *cx, int index, tocha_stream *stream, size_t bytes) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  if (!d) return NULL;
  if (stream && stream->device != index)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "the stream belongs to cuda:%d, not to cuda:%d",
                      stream->device, index);
  struct tocha_raw_block *block = tocha_allocate(cx, sizeof *block);
  if (!block) return NULL;
  tocha_stream *current = d->streams[index];
  if (stream) d->streams[index] = stream;
  block->data =
      tocha_device_allocate(cx, tocha_cuda_device(index), bytes, &block->deleter, &block->user);
  if (stream) d->streams[index] = current;
  if (!block->data) {
    tocha_deallocate(cx, block, sizeof *block);
    return NULL;
  }
  block->next = d->raw;
  d->raw = block;
  return block->data;
}

bool tocha_device_memory_free(tocha_context *cx, void *data) {
  const tocha_devices *d = used(cx);
  if (!data) return true;
  for (struct tocha_raw_block **at = d ? &cx->devices->raw : NULL; at && *at; at = &(*at)->next) {
    struct tocha_raw_block *block = *at;
    if (block->data != data) continue;
    *at = block->next;
    block->deleter(block->user, block->data);
    tocha_deallocate(cx, block, sizeof *block);
    return true;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "invalid device pointer: %p", data);
  return false;
}

void tocha_device_memory_close(tocha_context *cx) {
  while (cx->devices && cx->devices->raw) tocha_device_memory_free(cx, cx->devices->raw->data);
}

/* memory.c: statistics of device memory, and pinned memory of the host. */
#include "device/devices.h"

bool tocha_get_device_memory(tocha_context *cx, int index, tocha_device_memory *memory) {
  if (!memory) return tocha_refuse_none(cx, "get_device_memory", "memory", "tocha_device_memory");
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->memory(d->state, index, memory));
}

bool tocha_device_memory_info(tocha_context *cx, int index, size_t *free, size_t *capacity) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->memory_info(d->state, index, free, capacity));
}

bool tocha_reset_device_peak(tocha_context *cx, int index) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  if (d) d->backend->reset_peak(d->state, index);
  return d != NULL;
}

void tocha_empty_device_cache(tocha_context *cx) {
  tocha_devices *d = cx ? cx->devices : NULL;
  for (int i = 0; d && i < d->count; i++) d->backend->empty_cache(d->state, i);
}

bool tocha_is_pinned(tocha_context *cx, const tocha_tensor *tensor) {
  tocha_devices *d = cx && tensor ? cx->devices : NULL;
  return d && d->backend && tensor->device.type == TOCHA_CPU && tensor->storage->data &&
         d->backend->is_pinned(d->state, tensor->storage->data);
}

/* Returns true if the device is a GPU that was used before, and sets *index to its number. */
static bool is_cuda(const tocha_context *cx, tocha_device device, int *index) {
  const tocha_devices *d = cx->devices;
  *index = d && device.index < 0 ? d->current : device.index;
  return device.type == TOCHA_CUDA && d && d->backend && *index < d->count;
}

tocha_memory_statistics tocha_memory(const tocha_context *cx, tocha_device device) {
  tocha_memory_statistics s = {0};
  tocha_device_memory m;
  int index;
  if (!cx) return s;
  if (device.type == TOCHA_CPU) return cx->allocator.statistics;
  if (is_cuda(cx, device, &index) && cx->devices->backend->memory(cx->devices->state, index, &m)) {
    s.allocated = m.allocated;
    s.max_allocated = m.max_allocated;
    s.reserved = m.reserved;
    s.total = m.total;
    s.collections = m.retries;
  }
  return s;
}

void tocha_reset_peak_memory(tocha_context *cx, tocha_device device) {
  if (!cx) return;
  int index;
  if (device.type == TOCHA_CPU)
    cx->allocator.statistics.max_allocated = cx->allocator.statistics.allocated;
  else if (is_cuda(cx, device, &index))
    cx->devices->backend->reset_peak(cx->devices->state, index);
}

/* tools.c: the functions of <tocha/device_tools.h>. */
#include "tocha/device_tools.h"

#include <string.h>

#include "device/devices.h"
#include "device/instruments.h"

tocha_stream *tocha_external_stream(tocha_context *cx, int index, void *handle) {
  tocha_devices *d = tocha_devices_at(cx, &index);
  if (!d) return NULL;
  tocha_stream *stream = d->backend->instruments->external_stream(d->state, index, handle);
  if (!stream) tocha_launched(cx, false);
  return stream;
}

void *tocha_blas_handle(tocha_context *cx, int index) {
  tocha_stream *stream = tocha_current_stream(cx, index);
  if (!stream) return NULL;
  void *handle = stream->backend->instruments->blas_handle(stream);
  if (!handle) tocha_launched(cx, false);
  return handle;
}

bool tocha_record_profile(tocha_context *cx, bool on) {
  int index = -1;
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->record_profile(d->state, index, on));
}

int tocha_host_register(tocha_context *cx, void *data, size_t bytes, uint32_t flags) {
  tocha_devices *d = tocha_devices_ready(cx, -1);
  if (!d) return -1;
  enum { INVALID_VALUE = 1 }; /* cudaErrorInvalidValue */
  return bytes ? d->backend->instruments->host_register(d->state, data, bytes, flags)
               : INVALID_VALUE;
}

int tocha_host_unregister(tocha_context *cx, void *data) {
  tocha_devices *d = tocha_devices_ready(cx, -1);
  return d ? d->backend->instruments->host_register(d->state, data, 0, 0) : -1;
}

/* --- hidden waits ---------------------------------------------------------------------------------- */

bool tocha_set_hidden_waits(tocha_context *cx, tocha_wait_mode mode) {
  if (mode < TOCHA_WAIT || mode > TOCHA_WAIT_IS_ERROR) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "invalid value of debug_mode, expected one of 0,1,2");
    return false;
  }
  tocha_devices *d = tocha_devices_ready(cx, -1);
  if (d) d->hidden_waits = mode;
  return d != NULL;
}

bool tocha_hidden_waits(tocha_context *cx, tocha_wait_mode *mode) {
  if (!mode) return tocha_refuse_none(cx, "hidden_waits", "mode", "tocha_wait_mode");
  tocha_devices *d = tocha_devices_ready(cx, -1);
  *mode = d ? d->hidden_waits : TOCHA_WAIT;
  return d != NULL;
}

bool tocha_check_hidden_wait(tocha_context *cx) {
  static const char words[] = "called a synchronizing CUDA operation";
  if (cx->devices->hidden_waits == TOCHA_WAIT_AND_WARN) tocha_warn(cx, "%s", words);
  if (cx->devices->hidden_waits != TOCHA_WAIT_IS_ERROR) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", words);
  tocha_hint(cx, "torch.cuda.set_sync_debug_mode made this an error");
  return false;
}

/* --- properties and sensors ------------------------------------------------------------------------ */

bool tocha_get_device_details(tocha_context *cx, int index, tocha_device_details *details) {
  if (!details)
    return tocha_refuse_none(cx, "get_device_details", "details", "tocha_device_details");
  memset(details, 0, sizeof *details);
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->instruments->details(d->state, index, details));
}

bool tocha_read_sensor(tocha_context *cx, int index, tocha_sensor sensor, int64_t *value) {
  if (!value) return tocha_refuse_none(cx, "read_sensor", "value", "int");
  if (sensor < 0 || sensor >= TOCHA_SENSOR_COUNT) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "there is no sensor %d", (int)sensor);
    return false;
  }
  *value = 0;
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d &&
         tocha_launched(cx, d->backend->instruments->read_sensor(d->state, index, sensor, value));
}

int tocha_gpu_processes(tocha_context *cx, int index, tocha_gpu_process *processes, int capacity) {
  if (capacity < 0) return tocha_fail(cx, TOCHA_VALUE_ERROR, "room for %d processes", capacity), -1;
  if (!processes && capacity)
    return tocha_refuse_none(cx, "gpu_processes", "processes", "tocha_gpu_process"), -1;
  tocha_devices *d = tocha_devices_at(cx, &index);
  if (!d) return -1;
  int count = d->backend->instruments->processes(d->state, index, processes, capacity);
  if (count < 0) tocha_launched(cx, false);
  return count;
}

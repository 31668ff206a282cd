/* events.cpp: records and queries CUDA events. */
#include "runtime/events.h"

namespace tocha {

static cudaEvent_t cuda(void *event) { return static_cast<cudaEvent_t>(event); }

cudaEvent_t event_after(Stream *stream) {
  cudaEvent_t event;
  if (use_device(stream->state, stream->device) &&
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess) {
    if (cudaEventRecord(event, stream->cuda()) == cudaSuccess) return event;
    cudaEventDestroy(event);
  }
  cudaGetLastError();
  cudaStreamSynchronize(stream->cuda());
  return nullptr;
}

bool has_come(cudaEvent_t event) {
  if (cudaEventQuery(event) != cudaErrorNotReady) return true;
  cudaGetLastError();
  return false;
}

void *new_event(tocha_backend_state *state, int device, bool timing) {
  cudaEvent_t event;
  if (!use_device(state, device) ||
      !check(state,
             cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming)))
    return nullptr;
  return event;
}

void free_event(tocha_backend_state *, void *event) { cudaEventDestroy(cuda(event)); }

bool record_event(tocha_stream *stream, void *event) {
  return use_device(stream->state, stream->device) &&
         check(stream->state, cudaEventRecord(cuda(event), own(stream)->cuda()));
}

bool wait_event(tocha_stream *stream, void *event) {
  return use_device(stream->state, stream->device) &&
         check(stream->state, cudaStreamWaitEvent(own(stream)->cuda(), cuda(event), 0));
}

bool synchronize_event(tocha_backend_state *state, void *event) {
  return check(state, cudaEventSynchronize(cuda(event))) && check_lost(state) &&
         check_faults(state);
}

int query_event(tocha_backend_state *state, void *event) {
  cudaError_t status = cudaEventQuery(cuda(event));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return 0;
  }
  return check(state, status) ? 1 : -1;
}

bool elapsed(tocha_backend_state *state, void *start, void *stop, float *milliseconds) {
  return check(state, cudaEventElapsedTime(milliseconds, cuda(start), cuda(stop)));
}

} // namespace tocha

// streams.cpp: streams and events. Work stays in its stream's queue until a caller waits for it.
// Synchronizing a stream runs that stream and just enough of others. Synchronizing a device runs
// the head submitted last first, which reveals missing order. A recorded event is a point (stream,
// number) that other work depends on.
#include "machine.h"

namespace simulator {

static const size_t longest_queue = 20000;

bool is_done(Dependency point) { return machine().streams[point.stream]->done >= point.number; }

static void discard_all() {
  for (CUstream_st *stream : machine().streams) {
    stream->queue.clear();
    stream->done = stream->last;
  }
  machine().queued = 0;
}

static void run_head(CUstream_st *stream) {
  std::unique_ptr<Work> work = std::move(stream->queue.front());
  stream->queue.pop_front();
  machine().queued--;
  work->run();
  stream->done = work->number;
  if (machine().broken) discard_all();
}

static const Dependency *unmet(const Work &work) {
  for (const Dependency &point : work.dependencies)
    if (!is_done(point)) return &point;
  return nullptr;
}

// Runs a stream up to an item. Dependencies always lead to earlier submissions, so the loop ends; a
// list in place of recursion, for long chains. Returns false if an item waits for other ranks, and `waits` is not set.
static bool run_to(unsigned stream, uint64_t number, bool waits) {
  std::vector<Dependency> goals = {{stream, number}};
  while (!goals.empty()) {
    if (machine().broken) discard_all();
    if (is_done(goals.back())) {
      goals.pop_back();
      continue;
    }
    CUstream_st *at = machine().streams[goals.back().stream];
    Work &head = *at->queue.front();
    const Dependency *first = unmet(head);
    if (first)
      goals.push_back(*first);
    else if (head.advance())
      run_head(at);
    else if (waits)
      machine_lock().rest();
    else
      return false;
  }
  return true;
}

void run_until(unsigned stream, uint64_t number) { run_to(stream, number, true); }

bool run_toward(unsigned stream, uint64_t number) { return run_to(stream, number, false); }

void drain(CUstream_st *stream) { run_until(stream->id, stream->last); }

// Returns the stream whose head was submitted last among those that can run. *blocked: one whose head waits
// for other work; *waits: one waits for other ranks.
static CUstream_st *find_newest(int device, CUstream_st **blocked, bool *waits) {
  CUstream_st *newest = nullptr;
  *blocked = nullptr;
  *waits = false;
  for (CUstream_st *stream : machine().streams) {
    if (stream->queue.empty() || (device >= 0 && stream->device != device)) continue;
    Work &head = *stream->queue.front();
    if (unmet(head))
      *blocked = stream;
    else if (newest && head.submitted < newest->queue.front()->submitted)
      continue;
    else if (head.advance())
      newest = stream;
    else
      *waits = true;
  }
  return newest;
}

void drain_device(int device) {
  for (;;) {
    CUstream_st *blocked;
    bool waits;
    if (machine().broken) discard_all();
    CUstream_st *newest = find_newest(device, &blocked, &waits);
    if (newest) {
      run_head(newest);
    } else if (waits) {
      machine_lock().rest();
    } else if (blocked) { // waits for another device's work
      Dependency first = *unmet(*blocked->queue.front());
      run_until(first.stream, first.number);
    } else {
      return;
    }
  }
}

cudaError_t wait_for(CUstream_st *stream) {
  drain(stream);
  machine().host.merge(stream->clock);
  return machine().broken ? machine().sticky : cudaSuccess;
}

// Makes the default stream wait for all blocking streams of its device, and those for the default
// stream.
static void depend_on_default(CUstream_st *stream, Work *work) {
  if (stream->flags & cudaStreamNonBlocking) return;
  CUstream_st *null_stream = machine().devices[stream->device].null_stream;
  for (CUstream_st *other : machine().streams) {
    bool related = stream->is_null ? !(other->flags & cudaStreamNonBlocking) : other == null_stream;
    if (!related || other == stream || other->device != stream->device) continue;
    if (other->done < other->last) work->dependencies.push_back({other->id, other->last});
    stream->clock.merge(other->clock);
  }
}

cudaError_t submit(CUstream_st *stream, Work *work, const char *name) {
  std::unique_ptr<Work> owner(work);
  Machine &m = machine();
  if (m.broken) return m.sticky;
  if (stream->capture) return record_work(stream, std::move(owner), name);
  cudaError_t implicit = check_implicit(stream);
  if (implicit != cudaSuccess) return implicit;
  if (m.queued >= longest_queue) drain_device(-1);
  stream->clock.merge(m.host);
  depend_on_default(stream, work);
  work->number = ++stream->last;
  work->submitted = ++m.submitted;
  stream->clock.set(stream->id, work->number);
  stream->queue.push_back(std::move(owner));
  m.queued++;
  if (!check_order(stream, work, name)) return m.sticky;
  return m.broken ? m.sticky : cudaSuccess;
}

CUstream_st *new_stream(int device, unsigned flags, int priority) {
  CUstream_st *stream = new CUstream_st();
  stream->device = device;
  stream->id = static_cast<unsigned>(machine().streams.size());
  stream->flags = flags;
  stream->priority = priority;
  machine().streams.push_back(stream);
  return stream;
}

static CUstream_st *null_stream_of(int device) {
  CUstream_st *&stream = machine().devices[device].null_stream;
  if (!stream) {
    stream = new_stream(device, cudaStreamDefault, 0);
    stream->is_null = true;
  }
  return stream;
}

CUstream_st *stream_of(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return null_stream_of(current_device());
  for (CUstream_st *stream : machine().streams) // few; a stale handle is never dereferenced
    if (stream == handle) return stream->destroyed ? nullptr : stream;
  return nullptr;
}

CUevent_st *event_of(cudaEvent_t handle) {
  auto &events = machine().events; // stale handles are never dereferenced
  auto found = events.find(handle);
  return found == events.end() ? nullptr : *found;
}

void streams_reset(int device) {
  for (CUstream_st *stream : machine().streams) {
    if (stream->device != device) continue;
    machine().queued -= stream->queue.size();
    stream->queue.clear();
    stream->done = stream->last;
    stream->capture.reset();
    if (!stream->is_null) stream->destroyed = true;
  }
}

cudaError_t unknown_stream(const char *call) {
  return refuse(cudaErrorInvalidResourceHandle, "%s: not a stream, or destroyed", call);
}

cudaError_t unknown_event(const char *call) {
  return refuse(cudaErrorInvalidResourceHandle, "%s: not an event, or destroyed", call);
}

} // namespace simulator

// --- streams -------------------------------------------------------------------------------------
using namespace simulator;

extern "C" cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                                    int priority) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  if (!stream || flags > cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  int clamped = priority < -5 ? -5 : priority > 0 ? 0 : priority;
  *stream = new_stream(current_device(), flags, clamped);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

extern "C" cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Lock lock;
  CUstream_st *stream = handle && handle != cudaStreamLegacy ? stream_of(handle) : nullptr;
  if (!stream) return unknown_stream("cudaStreamDestroy");
  if (stream->capture) return result(refuse_in_capture(stream, "cudaStreamDestroy"));
  drain(stream); // its work is done first, but the host does not learn that
  stream->destroyed = true;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream) return unknown_stream("cudaStreamSynchronize");
  if (stream->capture) return result(refuse_in_capture(stream, "cudaStreamSynchronize"));
  return result(wait_for(stream));
}

extern "C" cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream) return unknown_stream("cudaStreamQuery");
  if (machine().broken) return machine().sticky;
  if (stream->capture) return result(refuse_in_capture(stream, "cudaStreamQuery"));
  if (stream->done == stream->last) return result(wait_for(stream));
  run_toward(stream->id, stream->done + 1);
  return result(cudaErrorNotReady);
}

extern "C" cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream || !priority) return unknown_stream("cudaStreamGetPriority");
  *priority = stream->priority;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream || !flags) return unknown_stream("cudaStreamGetFlags");
  *flags = stream->flags;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle,
                                           unsigned) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  CUevent_st *event = event_of(event_handle);
  if (!stream) return unknown_stream("cudaStreamWaitEvent");
  if (!event) return unknown_event("cudaStreamWaitEvent");
  if (event->capture) return result(wait_for_captured_event(stream, event));
  if (!event->recorded) return result(cudaSuccess);
  if (stream->capture) {
    stream->capture->invalid = true;
    return refuse(cudaErrorStreamCaptureIsolation,
                  "cudaStreamWaitEvent: the event was recorded outside of the capture");
  }
  Work *work = make_work([] {});
  work->dependencies.push_back(event->at);
  stream->clock.merge(event->clock);
  return result(submit(stream, work, "cudaStreamWaitEvent"));
}

extern "C" cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream || !function) return unknown_stream("cudaLaunchHostFunc");
  return result(submit(stream, make_work([=] { function(data); }), "cudaLaunchHostFunc"));
}

// --- events --------------------------------------------------------------------------------------
extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  if (!event) return result(cudaErrorInvalidValue);
  *event = new CUevent_st();
  (*event)->device = current_device();
  (*event)->flags = flags;
  machine().events.insert(*event);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  Lock lock;
  if (machine().events.erase(handle)) {
    delete handle;
    return result(cudaSuccess);
  }
  return unknown_event("cudaEventDestroy");
}

// The host may not ask for an event of a capture, nor, if it is not relaxed, for any during one.
static cudaError_t check_readable(const CUevent_st *event, const char *call) {
  if (!event->capture) return check_unsafe(call);
  event->capture->invalid = true;
  return refuse(cudaErrorCapturedEvent, "%s: an event that was recorded in a capture", call);
}

extern "C" cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  Lock lock;
  CUstream_st *stream = stream_of(stream_handle);
  CUevent_st *event = event_of(handle);
  if (!stream) return unknown_stream("cudaEventRecord");
  if (!event) return unknown_event("cudaEventRecord");
  if (event->device != stream->device)
    return refuse(cudaErrorInvalidResourceHandle,
                  "cudaEventRecord: an event of device %d on a stream of device %d", event->device,
                  stream->device);
  if (stream->capture) return result(record_captured_event(stream, event));
  event->capture.reset();
  std::shared_ptr<double> time = std::make_shared<double>(0.0);
  cudaError_t error = submit(stream, make_work([time] { *time = seconds(); }), "cudaEventRecord");
  if (error != cudaSuccess) return result(error);
  event->recorded = true;
  event->at = {stream->id, stream->last};
  event->clock = stream->clock;
  event->time = time;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Lock lock;
  CUevent_st *event = event_of(handle);
  if (!event) return unknown_event("cudaEventSynchronize");
  cudaError_t error = check_readable(event, "cudaEventSynchronize");
  if (error != cudaSuccess) return result(error);
  if (event->recorded) {
    run_until(event->at.stream, event->at.number);
    machine().host.merge(event->clock);
  }
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Lock lock;
  CUevent_st *event = event_of(handle);
  if (!event) return unknown_event("cudaEventQuery");
  if (machine().broken) return machine().sticky;
  cudaError_t error = check_readable(event, "cudaEventQuery");
  if (error != cudaSuccess) return result(error);
  if (!event->recorded) return result(cudaSuccess);
  if (is_done(event->at)) {
    machine().host.merge(event->clock);
    return result(cudaSuccess);
  }
  run_toward(event->at.stream, machine().streams[event->at.stream]->done + 1);
  return result(cudaErrorNotReady);
}

extern "C" cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                            cudaEvent_t end) {
  Lock lock;
  CUevent_st *first = event_of(start), *second = event_of(end);
  if (!first || !second) return unknown_event("cudaEventElapsedTime");
  if (!milliseconds) return result(cudaErrorInvalidValue);
  if (machine().broken) return machine().sticky;
  if (first->capture || second->capture)
    return refuse(cudaErrorCapturedEvent, "cudaEventElapsedTime: an event of a capture");
  if (!first->recorded || !second->recorded || first->device != second->device ||
      ((first->flags | second->flags) & cudaEventDisableTiming))
    return refuse(cudaErrorInvalidResourceHandle,
                  "cudaEventElapsedTime: an event was not recorded, keeps no time, or both are of "
                  "different devices");
  if (!is_done(first->at) || !is_done(second->at)) return result(cudaErrorNotReady);
  *milliseconds = static_cast<float>((*second->time - *first->time) * 1e3);
  return result(cudaSuccess);
}

// capture.cpp: records the work of a stream, and of streams that wait for its events, as a graph. A
// call that a capture does not permit invalidates it: later calls fail, and so does its end.
#include "machine.h"

#include <algorithm>

namespace simulator {

static __thread cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
static const void *this_thread() { return &thread_mode; }

static cudaError_t invalidated(const char *call) {
  return refuse(cudaErrorStreamCaptureInvalidated, "%s: the capture has failed before", call);
}

cudaError_t record_work(CUstream_st *stream, std::shared_ptr<Work> work, const char *name) {
  Capture &capture = *stream->capture;
  if (capture.invalid) return invalidated(name);
  std::vector<GraphNode> &nodes = capture.graph->nodes;
  nodes.push_back({std::move(work), name, stream->lane, stream->frontier});
  stream->frontier = {nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t refuse_in_capture(CUstream_st *stream, const char *call) {
  for (auto &capture : machine().captures)
    if (!stream || capture == stream->capture) capture->invalid = true;
  return refuse(cudaErrorStreamCaptureUnsupported, "%s during a capture", call);
}

cudaError_t check_unsafe(const char *call) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  bool refused = false;
  for (auto &capture : machine().captures) {
    bool mine = capture->thread == this_thread();
    bool matters = mine ? capture->mode != cudaStreamCaptureModeRelaxed
                        : capture->mode == cudaStreamCaptureModeGlobal &&
                              thread_mode == cudaStreamCaptureModeGlobal;
    if (matters) capture->invalid = refused = true;
  }
  return refused ? refuse(cudaErrorStreamCaptureUnsupported, "%s during a capture", call)
                 : cudaSuccess;
}

cudaError_t check_implicit(const CUstream_st *stream) {
  if (!stream->is_null) return cudaSuccess;
  for (auto &capture : machine().captures) {
    const CUstream_st *origin = capture->origin;
    if (origin->device != stream->device || origin->flags & cudaStreamNonBlocking) continue;
    capture->invalid = true;
    return refuse(cudaErrorStreamCaptureImplicit,
                  "the default stream is used while stream %u, which it waits for, is capturing",
                  origin->id);
  }
  return cudaSuccess;
}

cudaError_t record_captured_event(CUstream_st *stream, CUevent_st *event) {
  if (stream->capture->invalid) return invalidated("cudaEventRecord");
  event->capture = stream->capture;
  event->frontier = stream->frontier;
  return cudaSuccess;
}

cudaError_t wait_for_captured_event(CUstream_st *stream, const CUevent_st *event) {
  const char *call = "cudaStreamWaitEvent";
  Capture &capture = *event->capture;
  if (capture.ended || (!stream->capture && stream->is_null)) {
    return refuse(cudaErrorCapturedEvent, "%s: an event of a capture that has ended", call);
  }
  if (capture.invalid) return invalidated(call);
  if (stream->capture && stream->capture != event->capture) {
    capture.invalid = stream->capture->invalid = true;
    return refuse(cudaErrorStreamCaptureMerge, "%s: the event is of another capture", call);
  }
  if (!stream->capture) {
    stream->capture = event->capture;
    stream->lane = capture.graph->lanes++;
    stream->frontier.clear();
  }
  for (size_t node : event->frontier)
    if (std::find(stream->frontier.begin(), stream->frontier.end(), node) == stream->frontier.end())
      stream->frontier.push_back(node);
  return cudaSuccess;
}

// Returns true if the end of the origin's lane depends on all nodes.
static bool is_joined(const Capture &capture) {
  const std::vector<GraphNode> &nodes = capture.graph->nodes;
  std::vector<char> reached(nodes.size());
  for (size_t node : capture.origin->frontier) reached[node] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!reached[i]) return false; // later nodes have marked those that they depend on
    for (size_t node : nodes[i].after) reached[node] = true;
  }
  return true;
}

// Ends the capture for all of its streams. Returns its graph, or nullptr if it has failed.
static CUgraph_st *end_capture(const std::shared_ptr<Capture> &capture, bool failed) {
  Machine &m = machine();
  capture->ended = true;
  for (CUstream_st *stream : m.streams)
    if (stream->capture == capture) stream->capture.reset();
  m.captures.erase(std::find(m.captures.begin(), m.captures.end(), capture));
  if (!failed) return capture->graph;
  delete capture->graph;
  return nullptr;
}

} // namespace simulator

using namespace simulator;

extern "C" cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream) return unknown_stream("cudaStreamBeginCapture");
  if (machine().broken) return machine().sticky;
  if (stream->is_null) return result(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return result(cudaErrorIllegalState);
  auto *graph = new CUgraph_st{stream->device, 1, {}};
  stream->capture =
      std::make_shared<Capture>(Capture{mode, this_thread(), stream, graph, false, false});
  stream->lane = 0;
  stream->frontier.clear();
  machine().captures.push_back(stream->capture);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream || !graph) return unknown_stream("cudaStreamEndCapture");
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) return result(cudaErrorIllegalState);
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != this_thread())
    return result(cudaErrorStreamCaptureWrongThread);
  if (capture->origin != stream) {
    capture->invalid = true;
    return result(cudaErrorStreamCaptureUnmatched);
  }
  bool joined = is_joined(*capture), failed = capture->invalid || !joined;
  *graph = end_capture(capture, failed);
  return result(!failed            ? cudaSuccess
                : capture->invalid ? cudaErrorStreamCaptureInvalidated
                                   : cudaErrorStreamCaptureUnjoined);
}

extern "C" cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream || !status) return unknown_stream("cudaStreamIsCapturing");
  *status = !stream->capture           ? cudaStreamCaptureStatusNone
            : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  if (!mode) return result(cudaErrorInvalidValue);
  std::swap(thread_mode, *mode);
  return cudaSuccess;
}

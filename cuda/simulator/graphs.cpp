// graphs.cpp: graphs of captured work, and their replay. Each captured stream becomes a stream of
// the replay, a lane, so that the order between lanes is checked, and varied, like that of any
// streams.
#include "machine.h"

#include <set>
#include <stdio.h>

using namespace simulator;

struct CUgraphExec_st {
  int device;
  std::vector<GraphNode> nodes;
  std::vector<CUstream_st *> lanes;
  Dependency end; // of the last replay: a graph runs once at a time
  Clock end_clock;
};

namespace simulator {

static std::set<CUgraphExec_st *> &replayable() {
  static auto *all = new std::set<CUgraphExec_st *>; // stale handles are never dereferenced
  return *all;
}

// Lanes of destroyed graphs, for later ones.
static std::vector<CUstream_st *> &spare_lanes() {
  static auto *lanes = new std::vector<CUstream_st *>;
  return *lanes;
}

static CUstream_st *take_lane(int device) {
  std::vector<CUstream_st *> &spare = spare_lanes();
  for (size_t i = 0; i < spare.size(); i++) {
    if (spare[i]->device != device || spare[i]->destroyed) continue;
    CUstream_st *lane = spare[i];
    spare.erase(spare.begin() + static_cast<ptrdiff_t>(i));
    return lane;
  }
  return new_stream(device, cudaStreamNonBlocking, 0);
}

// Fails if a node uses memory that was freed, or taken away, after the capture.
static cudaError_t check_memory(const std::vector<GraphNode> &nodes) {
  for (const GraphNode &node : nodes)
    for (const Touch &touch : node.work->touched) {
      const Allocation *a = find_allocation(touch.low);
      const bool there = a && a == touch.allocation && !a->freed;
      if (!there ||
          (a->is_range() && !is_open(*a, touch.low, touch.high - touch.low, pinned_memory)))
        return fault(cudaErrorIllegalAddress, "cudaGraphLaunch: %s uses freed memory: %s",
                     node.name, describe_address(touch.low).c_str());
    }
  return cudaSuccess;
}

// Returns an item that runs a node's work, which stays with the graph.
static Work *rerun(const GraphNode &node) {
  std::shared_ptr<Work> work = node.work;
  Work *item = make_work([work] { work->run(); });
  item->touched = work->touched;
  return item;
}

// Puts the nodes into their lanes, each after those that it depends on.
static cudaError_t submit_nodes(CUgraphExec_st *exec, Dependency start, const Clock &start_clock) {
  std::vector<Dependency> points;
  std::vector<Clock> clocks;
  std::vector<bool> begun(exec->lanes.size());
  for (const GraphNode &node : exec->nodes) {
    CUstream_st *lane = exec->lanes[node.lane];
    Work *item = rerun(node);
    if (!begun[node.lane]) {
      item->dependencies.push_back(start);
      lane->clock.merge(start_clock);
      begun[node.lane] = true;
    }
    for (size_t earlier : node.after) {
      item->dependencies.push_back(points[earlier]);
      lane->clock.merge(clocks[earlier]);
    }
    cudaError_t error = submit(lane, item, node.name);
    if (error != cudaSuccess) return error;
    points.push_back({lane->id, lane->last});
    clocks.push_back(lane->clock);
  }
  return cudaSuccess;
}

static cudaError_t replay(CUgraphExec_st *exec, CUstream_st *stream) {
  cudaError_t error = check_memory(exec->nodes);
  if (error != cudaSuccess) return error;
  Work *begin = make_work([] {});
  if (exec->end.number) begin->dependencies.push_back(exec->end);
  stream->clock.merge(exec->end_clock);
  error = submit(stream, begin, "cudaGraphLaunch");
  if (error == cudaSuccess) error = submit_nodes(exec, {stream->id, stream->last}, stream->clock);
  if (error != cudaSuccess) return error;
  Work *end = make_work([] {});
  for (const CUstream_st *lane : exec->lanes) {
    end->dependencies.push_back({lane->id, lane->last});
    stream->clock.merge(lane->clock);
  }
  error = submit(stream, end, "cudaGraphLaunch");
  exec->end = {stream->id, stream->last};
  exec->end_clock = stream->clock;
  return error;
}

static cudaError_t unknown_graph(const char *call) {
  return refuse(cudaErrorInvalidValue, "%s: not a graph, or destroyed", call);
}

} // namespace simulator

extern "C" cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  Lock lock;
  if (!graph || !count) return unknown_graph("cudaGraphGetNodes");
  if (nodes) return result(cudaErrorNotSupported);
  *count = graph->nodes.size();
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned) {
  Lock lock;
  FILE *file = graph && path ? fopen(path, "w") : nullptr;
  if (!file) return unknown_graph("cudaGraphDebugDotPrint");
  fputs("digraph dot {\n", file);
  for (size_t i = 0; i < graph->nodes.size(); i++) {
    fprintf(file, "  node%zu [label=\"%s\"];\n", i, graph->nodes[i].name);
    for (size_t earlier : graph->nodes[i].after)
      fprintf(file, "  node%zu -> node%zu;\n", earlier, i);
  }
  fputs("}\n", file);
  return result(fclose(file) == 0 ? cudaSuccess : cudaErrorInvalidValue);
}

extern "C" cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  Lock lock;
  delete graph;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     unsigned long long) {
  Lock lock;
  if (!exec || !graph) return unknown_graph("cudaGraphInstantiate");
  auto *made = new CUgraphExec_st{graph->device, graph->nodes, {}, {}, {}};
  for (unsigned i = 0; i < graph->lanes; i++) made->lanes.push_back(take_lane(graph->device));
  replayable().insert(*exec = made);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (!stream) return unknown_stream("cudaGraphLaunch");
  if (machine().broken) return machine().sticky;
  if (!replayable().count(exec)) return unknown_graph("cudaGraphLaunch");
  if (stream->capture) return result(cudaErrorNotSupported); // CUDA makes it a child of the graph
  return result(replay(exec, stream));
}

extern "C" cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  Lock lock;
  if (!replayable().erase(exec)) return unknown_graph("cudaGraphExecDestroy");
  for (CUstream_st *lane : exec->lanes) {
    drain(lane);
    spare_lanes().push_back(lane);
  }
  delete exec;
  return result(cudaSuccess);
}

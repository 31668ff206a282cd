// cudnn.cpp: the part of cuDNN that convolutions need: descriptors are lists of attributes, and plans run plain loops
// (cudnn_convolution.cpp). Refuses what the loops do not compute.
#include "cudnn_convolution.h"

#include <stdlib.h>
#include <string.h>

#include <map>
#include <memory>

using namespace simulator;

namespace {

// The elements of one attribute: as bytes and, if they are descriptors, as what these were when they were set.
struct Attribute {
  int type = 0;
  int64_t count = 0;
  std::vector<char> bytes;
  std::vector<std::shared_ptr<struct Description>> nodes;
};

struct Description {
  int type = 0;
  bool finished = false;
  std::map<int, Attribute> attributes;
};

// What a cudnnBackendDescriptor_t points to.
struct Handle {
  std::shared_ptr<Description> node;
};

Description &node_of(cudnnBackendDescriptor_t descriptor) {
  return *static_cast<Handle *>(descriptor)->node;
}

size_t bytes_of(int type) {
  switch (type) {
  case CUDNN_TYPE_INT64:
    return sizeof(int64_t);
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_VOID_PTR:
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    return sizeof(void *);
  default:
    return sizeof(int);
  }
}

const Attribute *find(const Description &node, int name) {
  auto found = node.attributes.find(name);
  return found == node.attributes.end() ? nullptr : &found->second;
}

const Description *child(const Description &node, int name) {
  const Attribute *a = find(node, name);
  return a && !a->nodes.empty() ? a->nodes[0].get() : nullptr;
}

template <class T> std::vector<T> values(const Description &node, int name) {
  const Attribute *a = find(node, name);
  std::vector<T> out(a ? a->bytes.size() / sizeof(T) : 0);
  if (a) memcpy(out.data(), a->bytes.data(), out.size() * sizeof(T));
  return out;
}

// The operand that the attribute names, or one of no dimensions.
Operand operand(const Description &operation, int name) {
  Operand o;
  const Description *tensor = child(operation, name);
  if (!tensor) return o;
  std::vector<int> type = values<int>(*tensor, CUDNN_ATTR_TENSOR_DATA_TYPE);
  std::vector<int64_t> id = values<int64_t>(*tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  o.type = type.empty() ? -1 : type[0];
  o.id = id.empty() ? 0 : id[0];
  o.sizes = values<int64_t>(*tensor, CUDNN_ATTR_TENSOR_DIMENSIONS);
  o.strides = values<int64_t>(*tensor, CUDNN_ATTR_TENSOR_STRIDES);
  return o;
}

// The first attribute of an operation; its others follow in the order alpha, beta, convolution and three operands.
int first_name(int type) {
  return type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
             ? CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA
         : type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
             ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA
             : CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA;
}

// Reads an operation. Returns false if it is not a convolution whose operands are complete.
bool read(const Description &operation, Convolution *c) {
  int first = first_name(operation.type);
  const Description *convolution = child(operation, first + 2);
  std::vector<float> alpha = values<float>(operation, first),
                     beta = values<float>(operation, first + 1);
  if (!convolution || alpha != std::vector<float>{1} || beta != std::vector<float>{0}) return false;
  c->padding = values<int64_t>(*convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  c->stride = values<int64_t>(*convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  c->dilation = values<int64_t>(*convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  if (operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    c->task = Convolution::FORWARD;
    c->weight = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
    c->image = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
    c->out = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  } else if (operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    c->task = Convolution::BACK_IMAGE;
    c->weight = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
    c->image = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
    c->out = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
  } else {
    c->task = Convolution::BACK_WEIGHT;
    c->weight = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
    c->image = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
    c->out = operand(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
  }
  return is_whole(*c);
}

bool is_operation(int type) {
  return type >= CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
         type <= CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
}

// The two engines: the first computes float32 in TensorFloat-32 and adds a gradient of a weight in any order, and its plan needs
// memory; the second does neither.
enum { FAST, EXACT };
int engine_of(const Description &choice) {
  std::vector<int64_t> number = values<int64_t>(choice, CUDNN_ATTR_ENGINECFG_ENGINE);
  return number.empty() ? EXACT : static_cast<int>(number[0]);
}

cudnnStatus_t set_bytes(Description &node, int name, int type, int64_t count,
                        const void *elements) {
  Attribute a;
  a.type = type;
  a.count = count;
  const char *bytes = static_cast<const char *>(elements);
  a.bytes.assign(bytes, bytes + static_cast<size_t>(count) * bytes_of(type));
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    for (int64_t i = 0; i < count; i++) {
      const Handle *given = static_cast<Handle *const *>(elements)[i];
      if (!given || !given->node->finished) return CUDNN_STATUS_BAD_PARAM;
      a.nodes.push_back(given->node);
    }
  node.attributes[name] = a;
  return CUDNN_STATUS_SUCCESS;
}

// Gives the heuristics' engines: both in mode A, the exact one as fallback.
cudnnStatus_t give_engines(const Description &heuristics, int64_t wanted, int64_t *count,
                           void *elements) {
  bool fallback = values<int>(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE) ==
                  std::vector<int>{CUDNN_HEUR_MODE_FALLBACK};
  const Attribute *graph = find(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  int64_t engines = fallback ? 1 : 2;
  *count = elements && wanted < engines ? wanted : engines;
  for (int64_t i = 0; elements && i < *count; i++) {
    Description &choice = node_of(static_cast<cudnnBackendDescriptor_t *>(elements)[i]);
    int64_t number = fallback ? int64_t(EXACT) : i;
    set_bytes(choice, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_INT64, 1, &number);
    choice.attributes[CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH] = *graph;
    choice.finished = true;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t give_notes(const Description &engine, int64_t wanted, int64_t *count,
                         void *elements) {
  const int notes[] = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  *count = engine_of(engine) == FAST && wanted >= 2 ? 2 : 0;
  memcpy(elements, notes, static_cast<size_t>(*count) * sizeof *notes);
  return CUDNN_STATUS_SUCCESS;
}

const int64_t WORKSPACE = 256; // bytes of the fast engine

} // namespace

struct cudnnContext {
  int device;
  cudaStream_t stream;
};

extern "C" size_t cudnnGetVersion(void) { return 90000; }

extern "C" const char *cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS         ? "CUDNN_STATUS_SUCCESS"
         : status == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
                                                : "CUDNN_STATUS_BAD_PARAM";
}

extern "C" cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  Lock lock;
  if (check_unsafe("cudnnCreate") != cudaSuccess) return CUDNN_STATUS_NOT_SUPPORTED;
  *handle = new cudnnContext{current_device(), nullptr};
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnBackendCreateDescriptor(int type,
                                                      cudnnBackendDescriptor_t *descriptor) {
  Handle *made = new Handle{std::make_shared<Description>()};
  made->node->type = type;
  *descriptor = made;
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Handle *>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  Description &node = node_of(descriptor);
  Convolution c;
  if (is_operation(node.type) && !read(node, &c)) return CUDNN_STATUS_NOT_SUPPORTED;
  node.finished = true;
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, int name,
                                                  int type, int64_t count, const void *elements) {
  Description &node = node_of(descriptor);
  return node.finished ? CUDNN_STATUS_BAD_PARAM : set_bytes(node, name, type, count, elements);
}

extern "C" cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, int name,
                                                  int, int64_t wanted, int64_t *count,
                                                  void *elements) {
  Description &node = node_of(descriptor);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) return give_engines(node, wanted, count, elements);
  if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) return give_notes(node, wanted, count, elements);
  *count = 1;
  if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
    node_of(*static_cast<cudnnBackendDescriptor_t *>(elements)).attributes = node.attributes;
    return CUDNN_STATUS_SUCCESS;
  }
  if (name != CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) return CUDNN_STATUS_NOT_SUPPORTED;
  const Description *choice = child(node, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  int64_t bytes = choice && engine_of(*choice) == FAST ? WORKSPACE : 0;
  memcpy(elements, &bytes, sizeof bytes);
  return CUDNN_STATUS_SUCCESS;
}

extern "C" cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t pack) {
  Lock lock;
  const Description *choice = child(node_of(plan), CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const Description *graph =
      choice ? child(*choice, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH) : nullptr;
  const Description *operation = graph ? child(*graph, CUDNN_ATTR_OPERATIONGRAPH_OPS) : nullptr;
  Convolution c;
  if (!operation || !read(*operation, &c)) return CUDNN_STATUS_BAD_PARAM;
  std::vector<int64_t> names = values<int64_t>(node_of(pack), CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  std::vector<uintptr_t> addresses =
      values<uintptr_t>(node_of(pack), CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::vector<uintptr_t> workspace =
      values<uintptr_t>(node_of(pack), CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  for (size_t i = 0; i < names.size() && i < addresses.size(); i++)
    for (Operand *o : {&c.image, &c.weight, &c.out})
      if (o->id == names[i]) o->address = addresses[i];
  bool fast = engine_of(*choice) == FAST;
  if (fast && (workspace.empty() || !workspace[0])) return CUDNN_STATUS_BAD_PARAM;
  c.workspace = fast ? workspace[0] : 0;
  c.workspace_bytes = fast ? WORKSPACE : 0;
  c.tf32 = fast && c.image.type == CUDNN_DATA_FLOAT;
  CUstream_st *stream = stream_of(handle->stream);
  if (!stream || stream->device != handle->device) return CUDNN_STATUS_BAD_PARAM;
  return submit_convolution(c, stream) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

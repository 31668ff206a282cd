/* graph.cpp: describes a convolution to cuDNN, asks for its engines, and runs their plans. */
#include "dnn/graph.h"

#include <cstring>

#include "tocha/types.h"

namespace tocha {

ConvolutionKey key_of(const tocha_convolution_args &args) {
  ConvolutionKey key = {};
  key.images = args.images;
  key.in_channels = args.in_channels;
  key.out_channels = args.out_channels;
  key.groups = args.groups;
  key.windows = args.windows;
  key.task = static_cast<int8_t>(args.task);
  key.dtype = args.dtype;
  key.space = static_cast<int8_t>(args.space);
  key.channels_last = args.channels_last;
  key.tf32 = args.tf32 && args.dtype == TOCHA_FLOAT32;
  key.deterministic = args.deterministic;
  key.measured = args.trials > 1;
  return key;
}

/* --- the graph -------------------------------------------------------------------------------- */

static int data_type(int dtype) {
  return dtype == TOCHA_FLOAT16    ? CUDNN_DATA_HALF
         : dtype == TOCHA_BFLOAT16 ? CUDNN_DATA_BFLOAT16
                                   : CUDNN_DATA_FLOAT;
}

/* Returns the number of dimensions of space that cuDNN sees: one is two, the first of size 1. */
static int space_of(const ConvolutionKey &key) { return key.space < 2 ? 2 : key.space; }

/* Describes an operand (first, second, space): row-major, or with the second dimension innermost. */
static Descriptor new_tensor(const DnnLibrary *library, const ConvolutionKey &key, int64_t name,
                             int64_t first, int64_t second, const int64_t *space) {
  int dims = space_of(key), count = dims + 2;
  int64_t sizes[5] = {first, second}, strides[5], step = 1;
  memcpy(sizes + 2, space + 3 - dims, static_cast<size_t>(dims) * sizeof *sizes);
  if (key.channels_last) {
    strides[1] = 1;
    step = second;
  }
  for (int d = count - 1; d >= 0; d--) {
    if (d == 1 && key.channels_last) continue;
    strides[d] = step;
    step *= sizes[d];
  }
  Descriptor tensor(library, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set_number(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, data_type(key.dtype));
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes, count);
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides, count);
  tensor.set_count(CUDNN_ATTR_TENSOR_UNIQUE_ID, name);
  tensor.set_count(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, TOCHA_CONVOLUTION_ALIGNMENT);
  tensor.finish();
  return tensor;
}

static Descriptor new_convolution(const DnnLibrary *library, const ConvolutionKey &key) {
  int dims = space_of(key), from = 3 - dims;
  const tocha_windows &w = key.windows;
  Descriptor convolution(library, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set_number(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  convolution.set_number(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
                         CUDNN_CROSS_CORRELATION);
  convolution.set_count(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, dims);
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, w.padding + from, dims);
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, w.padding + from, dims);
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, w.dilation + from, dims);
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, w.stride + from, dims);
  convolution.finish();
  return convolution;
}

/* The attributes of the three operations. */
static const struct {
  int type, image, weight, out, convolution, alpha, beta;
} operations[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};

static_assert(TOCHA_CONVOLVE == 0 && TOCHA_CONVOLVE_BACK_INPUT == 1 &&
                  TOCHA_CONVOLVE_BACK_WEIGHT == 2,
              "operations[] is in this order");

Descriptor new_graph(const DnnLibrary *library, cudnnHandle_t handle, const ConvolutionKey &key) {
  const auto &names = operations[key.task];
  const tocha_windows &w = key.windows;
  Descriptor image = new_tensor(library, key, IMAGE, key.images, key.in_channels, w.in);
  Descriptor weight =
      new_tensor(library, key, WEIGHT, key.out_channels, key.in_channels / key.groups, w.kernel);
  Descriptor out = new_tensor(library, key, OUT, key.images, key.out_channels, w.out);
  Descriptor convolution = new_convolution(library, key);
  const float alpha = 1, beta = 0;
  Descriptor operation(library, names.type);
  operation.set(names.image, image);
  operation.set(names.weight, weight);
  operation.set(names.out, out);
  operation.set(names.convolution, convolution);
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, &alpha);
  operation.set(names.beta, CUDNN_TYPE_FLOAT, &beta);
  operation.finish();
  Descriptor graph(library, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &handle);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  graph.finish();
  return graph;
}

/* --- engines ---------------------------------------------------------------------------------- */

/* Returns true unless the engine's notes say that it computes otherwise than the key wishes: in half precision, in
 * TensorFloat-32, or with sums whose order changes from run to run. */
static bool is_wished(const DnnLibrary *library, const Descriptor &choice,
                      const ConvolutionKey &key) {
  Descriptor engine(library, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t data = engine.data();
  if (!choice.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, &data)) return false;
  int notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  int64_t count = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, notes,
                             CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  bool single = key.dtype == TOCHA_FLOAT32;
  for (int64_t i = 0; i < count; i++) {
    if (notes[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) return false;
    if (notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && single && !key.tf32) return false;
    if (notes[i] == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC && key.deterministic) return false;
  }
  return true;
}

static void ask(const DnnLibrary *library, const Descriptor &graph, const ConvolutionKey &key,
                int mode, Engines *engines) {
  Descriptor heuristics(library, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set_number(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (!heuristics.finish()) return;
  int64_t room = Engines::MAX - engines->count;
  int64_t known =
      heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, nullptr, 0);
  Descriptor found[Engines::MAX];
  cudnnBackendDescriptor_t data[Engines::MAX];
  if (known > room) known = room;
  for (int64_t i = 0; i < known; i++) {
    found[i] = Descriptor(library, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    data[i] = found[i].data();
    if (!data[i]) return;
  }
  known = known ? heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, data,
                                 known)
                : 0;
  for (int64_t i = 0; i < known; i++)
    if (is_wished(library, found[i], key))
      engines->choices[engines->count++] = static_cast<Descriptor &&>(found[i]);
}

void find_engines(const DnnLibrary *library, const Descriptor &graph, const ConvolutionKey &key,
                  Engines *engines) {
  if (!graph.works()) return;
  ask(library, graph, key, CUDNN_HEUR_MODE_A, engines);
  ask(library, graph, key, CUDNN_HEUR_MODE_FALLBACK, engines);
}

/* --- plans ------------------------------------------------------------------------------------ */

bool make_plan(const DnnLibrary *library, cudnnHandle_t handle, const Descriptor &engine,
               int64_t limit, DnnPlan *plan) {
  Descriptor made(library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  made.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle);
  made.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
  if (!made.finish() ||
      !made.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, &plan->workspace) ||
      plan->workspace > limit)
    return false;
  plan->plan = static_cast<Descriptor &&>(made);
  return true;
}

cudnnStatus_t execute_plan(const DnnLibrary *library, cudnnHandle_t handle, const DnnPlan &plan,
                           const tocha_convolution_args &args, void *workspace) {
  const int64_t names[] = {IMAGE, WEIGHT, OUT};
  void *const addresses[] = {args.input, args.weight, args.out};
  Descriptor pack(library, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, names, 3);
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, addresses, 3);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &workspace);
  if (!pack.finish()) return CUDNN_STATUS_BAD_PARAM;
  return library->cudnnBackendExecute_(handle, plan.plan.data(), pack.data());
}

} // namespace tocha

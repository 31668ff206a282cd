/* graph.h: a convolution as a graph of cuDNN, and the engines that compute it. */
#pragma once

#include "dnn/descriptor.h"
#include "ops/convolution/kernels.h"

namespace tocha {

/* The properties of a convolution that decide its plan. Without padding, because keys are compared as bytes. */
struct ConvolutionKey {
  int64_t images, in_channels, out_channels, groups;
  tocha_windows windows;
  int8_t task, dtype, space, channels_last, tf32, deterministic, measured, unused;
};

static_assert(sizeof(ConvolutionKey) == 4 * 8 + sizeof(tocha_windows) + 8, "no padding");

ConvolutionKey key_of(const tocha_convolution_args &args);

/* The names of the operands in a graph. */
enum { IMAGE = 1, WEIGHT, OUT };

/* Creates the graph of a convolution: one operation. Does not work if cuDNN refuses it. */
Descriptor new_graph(const DnnLibrary *library, cudnnHandle_t handle, const ConvolutionKey &key);

/* Engines with their settings, the promising ones first. */
struct Engines {
  enum { MAX = 96 };
  Descriptor choices[MAX];
  int count;
};

/* Appends the engines that cuDNN's heuristics recommend for the graph, then those that nearly always work; without those that
 * lose precision or the order of sums against the key's wishes. */
void find_engines(const DnnLibrary *library, const Descriptor &graph, const ConvolutionKey &key,
                  Engines *engines);

/* A finished plan, and the bytes of memory that it works in. */
struct DnnPlan {
  Descriptor plan;
  int64_t workspace = 0;
};

/* Makes the plan of an engine. Returns false if cuDNN refuses or the plan needs more than `limit` bytes. */
bool make_plan(const DnnLibrary *library, cudnnHandle_t handle, const Descriptor &engine,
               int64_t limit, DnnPlan *plan);

/* Starts a plan. */
cudnnStatus_t execute_plan(const DnnLibrary *library, cudnnHandle_t handle, const DnnPlan &plan,
                           const tocha_convolution_args &args, void *workspace);

} // namespace tocha

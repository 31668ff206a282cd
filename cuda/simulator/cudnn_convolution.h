// cudnn_convolution.h: the convolutions behind the functions of cuDNN.
#ifndef TOCHA_SIMULATOR_CUDNN_CONVOLUTION_H
#define TOCHA_SIMULATOR_CUDNN_CONVOLUTION_H

#include <vector>

#include "../dnn/interface.h"
#include "machine.h"

namespace simulator {

// A tensor in memory: (images, channels, space) or, for weights, (channels of out, channels of a group, space).
struct Operand {
  int type = -1; // CUDNN_DATA_...
  int64_t id = 0;
  std::vector<int64_t> sizes, strides;
  uintptr_t address = 0;
};

struct Convolution {
  enum Task { FORWARD, BACK_IMAGE, BACK_WEIGHT } task = FORWARD;
  Operand image, weight, out;
  std::vector<int64_t> padding, stride, dilation;
  bool tf32 = false; // float operands lose all but 10 bits of their fraction
  uintptr_t workspace = 0;
  size_t workspace_bytes = 0;
};

// Returns true if the operands are of one type and their sizes fit each other.
bool is_whole(const Convolution &convolution);

// Checks the memory, and puts the convolution into the stream.
bool submit_convolution(const Convolution &convolution, CUstream_st *stream);

} // namespace simulator

#endif

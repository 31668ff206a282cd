/* kernels.cpp: the table of the family convolution. Own kernels compute depthwise convolutions of row-major tensors, cuDNN
 * what it can of the others. */
#include "common/entry.h"
#include "convolution/launch.h"
#include "dnn/dnn.h"

namespace tocha {

static bool takes(Stream *stream, const tocha_convolution_args &args) {
  return takes_depthwise(args) || dnn_takes(stream, args);
}

static bool convolve(Stream *stream, const tocha_convolution_args &args) {
  return takes_depthwise(args) ? launch_depthwise(stream, args) : dnn_convolve(stream, args);
}

extern const tocha_convolution_kernels convolution_kernels;
const tocha_convolution_kernels convolution_kernels = {
    entry<tocha_unfold_args, launch_unfold>,
    entry<tocha_unfold_args, launch_fold>,
    entry<tocha_convolution_args, takes>,
    entry<tocha_convolution_args, convolve>,
};

} // namespace tocha

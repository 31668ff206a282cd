// nccl_reductions.h: the sums of the simulated NCCL: input by input, in the order of the ranks.
#ifndef SIMULATOR_NCCL_REDUCTIONS_H
#define SIMULATOR_NCCL_REDUCTIONS_H

#include "nccl_world.h"

#include <vector>

namespace simulator {

size_t element_bytes(int type);                          // 0: there is no such type
double element_as_double(const char *element, int type); // float8: 0
// A rank's elements, and its factor of a PreMulSum.
struct Input {
  const char *elements;
  double factor;
};
// Writes the reduction of `count` elements of all inputs to `output`, which may be one of them.
void reduce_elements(const std::vector<Input> &inputs, char *output, size_t count,
                     const Deed &deed);

} // namespace simulator

#endif

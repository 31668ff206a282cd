/* elementwise_7.cu: a share of the elementwise operators' kernels. */
#define SHARD 7
#include "pointwise/elementwise.h"

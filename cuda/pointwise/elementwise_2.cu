/* elementwise_2.cu: a share of the elementwise operators' kernels. */
#define SHARD 2
#include "pointwise/elementwise.h"

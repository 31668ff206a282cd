/* elementwise_3.cu: a share of the elementwise operators' kernels. */
#define SHARD 3
#include "pointwise/elementwise.h"

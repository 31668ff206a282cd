/* elementwise_6.cu: a share of the elementwise operators' kernels. */
#define SHARD 6
#include "pointwise/elementwise.h"

/* elementwise_4.cu: a share of the elementwise operators' kernels. */
#define SHARD 4
#include "pointwise/elementwise.h"

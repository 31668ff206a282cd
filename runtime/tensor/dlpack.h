/* dlpack.h: the structs of DLPack, as its standard lays them out. */
#ifndef TOCHA_TENSOR_DLPACK_H
#define TOCHA_TENSOR_DLPACK_H

#include <stdint.h>

typedef enum dlpack_type_code {
  DLPACK_INT = 0,
  DLPACK_UINT = 1,
  DLPACK_FLOAT = 2,
  DLPACK_BFLOAT = 4,
  DLPACK_COMPLEX = 5,
  DLPACK_BOOL = 6,
  DLPACK_FLOAT8_E4M3FN = 10, /* these since version 1.1 */
  DLPACK_FLOAT8_E4M3FNUZ = 11,
  DLPACK_FLOAT8_E5M2 = 12,
  DLPACK_FLOAT8_E5M2FNUZ = 13,
  DLPACK_FLOAT8_E8M0FNU = 14
} dlpack_type_code;

enum { DLPACK_READ_ONLY = 1 }; /* a bit of `flags` */

typedef struct dlpack_tensor {
  void *data;
  int32_t device_type, device_index;
  int32_t ndim;
  uint8_t type_code, bits;
  uint16_t lanes;
  int64_t *sizes;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} dlpack_tensor;

struct DLManagedTensor {
  dlpack_tensor tensor;
  void *owner;
  void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *owner;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  dlpack_tensor tensor;
};

#endif

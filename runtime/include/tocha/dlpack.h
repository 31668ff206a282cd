/* dlpack.h: tensors of other libraries, and tensors for them, without a copy: the structs of DLPack
 * (dmlc.github.io/dlpack), versioned (1.0 and later) and older.
 *
 * The structs themselves are declared by <dlpack/dlpack.h>, which a host that looks into them
 * includes. A struct is an owner of the memory it describes, until its deleter is called. */
#ifndef TOCHA_DLPACK_H
#define TOCHA_DLPACK_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Describes the tensor's memory: its address, sizes, strides in elements, dtype and device. The
 * caller passes the struct on, or calls its deleter, on any thread and also after the context was
 * closed. The memory stays where it is until then, and can no longer be resized. It is released by
 * the context's own thread, when that next allocates, or by the deleter if the context is closed.
 * read_only: asks the receiver not to write. Writes of the receiver are seen in the tensor, but
 * autograd does not know of them. Work of a GPU's stream may still be under way.
 * Fails for a tensor without data. */
TOCHA_API struct DLManagedTensorVersioned *tocha_to_dlpack(tocha_context *cx, tocha_tensor *tensor,
                                                           bool read_only);
TOCHA_API struct DLManagedTensor *tocha_to_dlpack_unversioned(tocha_context *cx,
                                                              tocha_tensor *tensor);
/* Returns a tensor over the memory that the struct describes. It calls the deleter when the last
 * view of the memory is freed; if it fails, the struct stays the caller's. A read-only struct is
 * taken like others: do not write to the tensor. Fails for a version 2 or later, for dtypes and devices that Tocha
 * lacks, and for negative strides. Belongs to the scope. */
TOCHA_API tocha_tensor *tocha_from_dlpack(tocha_context *cx,
                                          struct DLManagedTensorVersioned *managed);
TOCHA_API tocha_tensor *tocha_from_dlpack_unversioned(tocha_context *cx,
                                                      struct DLManagedTensor *managed);

/* Gives a struct up that nobody took: calls its deleter. NULL is allowed. */
TOCHA_API void tocha_dlpack_free(struct DLManagedTensorVersioned *managed);
TOCHA_API void tocha_dlpack_free_unversioned(struct DLManagedTensor *managed);

enum { TOCHA_DLPACK_CPU = 1, TOCHA_DLPACK_CUDA = 2, TOCHA_DLPACK_CUDA_HOST = 3 };
/* A device in DLPack's numbers; CUDA_HOST is pinned memory. */
typedef struct tocha_dlpack_device {
  int32_t type, index;
} tocha_dlpack_device;

/* Sets *device to the tensor's. Fails for the device "meta". */
TOCHA_API bool tocha_dlpack_device_of(tocha_context *cx, const tocha_tensor *tensor,
                                      tocha_dlpack_device *device);

#ifdef __cplusplus
}
#endif
#endif

/* tensor.h: tensors as a host program sees them. Operators are in <tocha/ops.h>.
 *
 * Ownership: a function that creates a tensor gives it to the innermost scope (context.h). Keep
 * it longer with tocha_retain, and release it with tocha_release. Sizes and strides count
 * elements. */
#ifndef TOCHA_TENSOR_H
#define TOCHA_TENSOR_H

#include "tocha/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_MAX_DIMS = 64 };

/* Tensors that a call returned. They belong to the scope; the array belongs to the caller, who
 * frees it with tocha_tensors_free. A call that fails leaves an empty list. */
typedef struct tocha_tensors {
  int count;
  tocha_tensor **items;
} tocha_tensors;
/* Frees the array and empties the list, not its tensors. An empty list and NULL are allowed. */
TOCHA_API void tocha_tensors_free(tocha_context *cx, tocha_tensors *list);

/* Adds an owner; returns `tensor` (which may be NULL). */
TOCHA_API tocha_tensor *tocha_retain(tocha_tensor *tensor);
/* Removes an owner; the last one frees the tensor. NULL is allowed. */
TOCHA_API void tocha_release(tocha_tensor *tensor);

TOCHA_API int tocha_ndim(const tocha_tensor *tensor);
TOCHA_API const int64_t *tocha_sizes(const tocha_tensor *tensor);   /* ndim numbers */
TOCHA_API const int64_t *tocha_strides(const tocha_tensor *tensor); /* ndim numbers */
TOCHA_API int64_t tocha_storage_offset(const tocha_tensor *tensor);
TOCHA_API int64_t tocha_numel(const tocha_tensor *tensor);
TOCHA_API tocha_dtype tocha_dtype_of(const tocha_tensor *tensor);
TOCHA_API tocha_device tocha_device_of(const tocha_tensor *tensor);
TOCHA_API bool tocha_is_contiguous(const tocha_tensor *tensor);
TOCHA_API bool tocha_same_sizes(const tocha_tensor *a, const tocha_tensor *b);
TOCHA_API bool tocha_same_storage(const tocha_tensor *a, const tocha_tensor *b);
/* Frees the memory now; every operator refuses the tensor from then on. */
TOCHA_API void tocha_tensor_forget(tocha_tensor *tensor);
TOCHA_API bool tocha_is_forgotten(const tocha_tensor *tensor);
/* Returns true if the tensor is a parameter or buffer of a lazy module without sizes and data yet. Operators refuse it. */
TOCHA_API bool tocha_is_uninitialized(const tocha_tensor *tensor);
/* Returns the class name of an uninitialized tensor: "UninitializedParameter" or "UninitializedBuffer". */
TOCHA_API const char *tocha_uninitialized_name(const tocha_tensor *tensor);
/* Sets PyTorch's error for a use of an uninitialized tensor in `user` ("<function ones_>"), or
 * for asking its shape. Both return false. */
TOCHA_API bool tocha_refuse_without_data(tocha_context *cx, const tocha_tensor *tensor,
                                         const char *user);
TOCHA_API bool tocha_refuse_uninitialized_shape(tocha_context *cx);
/* Returns the first element in memory, or NULL for meta tensors and tensors without elements. */
TOCHA_API void *tocha_data(const tocha_tensor *tensor);
TOCHA_API uint32_t tocha_version_of(const tocha_tensor *tensor);

/* Creates a row-major tensor without defined values. size: ndim numbers >= 0. */
TOCHA_API tocha_tensor *tocha_new(tocha_context *cx, int ndim, const int64_t *size,
                                  tocha_dtype dtype, tocha_device device);
/* Creates a row-major tensor over the caller's memory. `deleter` (may be NULL) is called with
 * `user` and `data` when the last view of the memory is freed. If the function fails, it does
 * not call the deleter. */
TOCHA_API tocha_tensor *tocha_from_memory(tocha_context *cx, void *data, int ndim,
                                          const int64_t *size, tocha_dtype dtype,
                                          void (*deleter)(void *user, void *data), void *user);
/* Creates a row-major tensor on the CPU with a copy of the caller's values. */
TOCHA_API tocha_tensor *tocha_from_values(tocha_context *cx, const void *values, int ndim,
                                          const int64_t *size, tocha_dtype dtype);
/* Reads the value of a tensor with one element; fails as PyTorch's item() does. */
TOCHA_API bool tocha_item(tocha_context *cx, const tocha_tensor *tensor, tocha_scalar *value);
/* Reads an element in memory as a scalar of its own kind, or writes a scalar as an element of a
 * dtype (wrapping). */
TOCHA_API tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype);
TOCHA_API void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value);
/* Returns true if `value` can be an element of dtype; else fails with PyTorch's message. */
TOCHA_API bool tocha_check_fits(tocha_context *cx, tocha_scalar value, tocha_dtype dtype);
/* Returns the dtype that an operator computes in for these operands (torch.result_type). */
TOCHA_API tocha_dtype tocha_result_type(const tocha_context *cx, int count,
                                        const tocha_operand *operands);
/* Wraps *dim, which must be in -ndim..ndim-1 (an ndim of 0 counts as 1). Fails with PyTorch's
 * IndexError. */
TOCHA_API bool tocha_wrap_dim(tocha_context *cx, int64_t *dim, int ndim);
/* Gives `tensor`, with the caller's reference, to the innermost scope. If memory is short,
 * releases the tensor and returns NULL. */
TOCHA_API tocha_tensor *tocha_scope_push(tocha_context *cx, tocha_tensor *tensor);

/* Writes "[2, 3]" to `text`, cut to fit; returns `text`. */
TOCHA_API const char *tocha_shape_text(int ndim, const int64_t *sizes, char *text, size_t capacity);
/* Returns the name of the tensor's type among PyTorch's old tensor types: "torch.FloatTensor". */
TOCHA_API const char *tocha_old_type_name(const tocha_tensor *tensor, char out[48]);
/* Writes the shortest decimal that reads back as `value`, in the form of Python's repr: "0.1",
 * "1e-05", "1.0", "inf". Returns `out`. */
TOCHA_API const char *tocha_format_float(double value, char out[32]);
/* Returns the text that PyTorch's print shows. The caller frees it with tocha_free. */
TOCHA_API char *tocha_to_string(tocha_context *cx, const tocha_tensor *tensor);

/* --- autograd ---------------------------------------------------------------------------------- */

TOCHA_API bool tocha_requires_grad(const tocha_tensor *tensor);
/* Sets requires_grad, which only leaves of a floating-point dtype can have. Returns `tensor`. */
TOCHA_API tocha_tensor *tocha_set_requires_grad(tocha_context *cx, tocha_tensor *tensor,
                                                bool requires_grad);
TOCHA_API bool tocha_is_leaf(const tocha_tensor *tensor);
/* Returns the accumulated gradient, borrowed, or NULL if there is none. */
TOCHA_API tocha_tensor *tocha_grad(const tocha_tensor *tensor);
TOCHA_API bool tocha_set_grad(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *grad);
/* Drops the gradient of one tensor, or fills it with zeros. */
TOCHA_API bool tocha_clear_grad(tocha_context *cx, tocha_tensor *tensor, bool set_to_none);
/* Adds the gradients of the leaves that `tensor` depends on to their grad. `gradient` may be
 * NULL for a tensor with one element. */
TOCHA_API bool tocha_backward(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *gradient,
                              bool retain_graph, bool create_graph);
/* Computes d outputs / d inputs into `gradients` (one per input), owned by the scope. The
 * gradient of an unused input is NULL with allow_unused, else an error. `grad_outputs` may be
 * NULL, and so may its entries. */
TOCHA_API bool tocha_gradients(tocha_context *cx, int output_count, tocha_tensor *const *outputs,
                               int input_count, tocha_tensor *const *inputs,
                               tocha_tensor *const *grad_outputs, bool retain_graph,
                               bool create_graph, bool allow_unused, tocha_tensor **gradients);
/* Returns the node that computed the tensor (borrowed; NULL for leaves), or its name,
 * "AddBackward0". */
TOCHA_API tocha_node *tocha_grad_fn(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API const char *tocha_node_name(const tocha_node *node);

#ifdef __cplusplus
}
#endif
#endif

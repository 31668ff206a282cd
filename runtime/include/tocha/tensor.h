/* tensor.h: tensors as seen from a host program. Operators are in <tocha/ops.h>.
 *
 * Ownership: a function that makes a tensor hands it to the innermost scope (context.h); keep it
 * longer with tocha_retain and give it back with tocha_release. Sizes and strides count elements. */
#ifndef TOCHA_TENSOR_H
#define TOCHA_TENSOR_H

#include "tocha/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_MAX_DIMS = 64 };

/* One more owner; returns tensor (NULL passes through). */
TOCHA_API tocha_tensor *tocha_retain(tocha_tensor *tensor);
/* One owner less; the last one frees. NULL is allowed. */
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
/* Lets go of the memory now; every operator refuses the tensor from then on. */
TOCHA_API void tocha_tensor_forget(tocha_tensor *tensor);
TOCHA_API bool tocha_is_forgotten(const tocha_tensor *tensor);
/* Returns true if the tensor is a parameter or buffer of a lazy module without sizes and data yet. Operators refuse it. */
TOCHA_API bool tocha_is_uninitialized(const tocha_tensor *tensor);
/* Returns the class name of an uninitialized tensor: "UninitializedParameter" or "UninitializedBuffer". */
TOCHA_API const char *tocha_uninitialized_name(const tocha_tensor *tensor);
/* Set PyTorch's error for a use of an uninitialized tensor in `user` ("<function ones_>"), or for asking its shape. Both
 * return false. */
TOCHA_API bool tocha_refuse_without_data(tocha_context *cx, const tocha_tensor *tensor,
                                         const char *user);
TOCHA_API bool tocha_refuse_uninitialized_shape(tocha_context *cx);
/* The first element in memory; NULL on meta and for tensors without elements. */
TOCHA_API void *tocha_data(const tocha_tensor *tensor);
TOCHA_API uint32_t tocha_version_of(const tocha_tensor *tensor);

/* A tensor without defined values, row-major. size: ndim numbers >= 0. */
TOCHA_API tocha_tensor *tocha_new(tocha_context *cx, int ndim, const int64_t *size,
                                  tocha_dtype dtype, tocha_device device);
/* A tensor over the caller's memory (row-major); deleter (may be NULL) is called with user and
 * data when the last view of it is gone. On failure the deleter is not called. */
TOCHA_API tocha_tensor *tocha_from_memory(tocha_context *cx, void *data, int ndim,
                                          const int64_t *size, tocha_dtype dtype,
                                          void (*deleter)(void *user, void *data), void *user);
/* A tensor with a copy of the caller's values, row-major, on the CPU. */
TOCHA_API tocha_tensor *tocha_from_values(tocha_context *cx, const void *values, int ndim,
                                          const int64_t *size, tocha_dtype dtype);
/* The value of a tensor with one element; fails as PyTorch's item() does. */
TOCHA_API bool tocha_item(tocha_context *cx, const tocha_tensor *tensor, tocha_scalar *value);
/* One element in memory as a scalar of its own kind, and a scalar as an element of a dtype (wrapping). */
TOCHA_API tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype);
TOCHA_API void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value);
/* Whether value can be an element of dtype; else false with PyTorch's message. */
TOCHA_API bool tocha_check_fits(tocha_context *cx, tocha_scalar value, tocha_dtype dtype);
/* The dtype that an operator computes in for these operands (torch.result_type). */
TOCHA_API tocha_dtype tocha_result_type(const tocha_context *cx, int count,
                                        const tocha_operand *operands);
/* Wraps dim in -ndim..ndim-1 (ndim 0 counts as 1). false with PyTorch's IndexError. */
TOCHA_API bool tocha_wrap_dim(tocha_context *cx, int64_t *dim, int ndim);
/* Hands tensor, whose one reference passes to it, to the innermost scope. NULL (tensor released) where memory
 * lacks. */
TOCHA_API tocha_tensor *tocha_scope_push(tocha_context *cx, tocha_tensor *tensor);

/* "[2, 3]" into text (cut to fit); returns text. */
TOCHA_API const char *tocha_shape_text(int ndim, const int64_t *sizes, char *text, size_t room);
/* The type as PyTorch's old tensor types name it: "torch.FloatTensor". */
TOCHA_API const char *tocha_old_type_name(const tocha_tensor *tensor, char out[48]);
/* The shortest decimal that reads back as value, laid out as Python's repr: "0.1", "1e-05", "1.0", "inf". Returns
 * out. */
TOCHA_API const char *tocha_format_float(double value, char out[32]);
/* The text that PyTorch's print shows. Allocated with malloc, for the caller to free. */
TOCHA_API char *tocha_to_string(tocha_context *cx, const tocha_tensor *tensor);

/* --- autograd ---------------------------------------------------------------------------------- */

TOCHA_API bool tocha_requires_grad(const tocha_tensor *tensor);
/* Leaves only, floating point only; returns tensor. */
TOCHA_API tocha_tensor *tocha_set_requires_grad(tocha_context *cx, tocha_tensor *tensor,
                                                bool requires_grad);
TOCHA_API bool tocha_is_leaf(const tocha_tensor *tensor);
/* The accumulated gradient, borrowed; NULL where there is none. */
TOCHA_API tocha_tensor *tocha_grad(const tocha_tensor *tensor);
TOCHA_API bool tocha_set_grad(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *grad);
/* Drops the gradient of one tensor, or fills it with zeros. */
TOCHA_API bool tocha_clear_grad(tocha_context *cx, tocha_tensor *tensor, bool set_to_none);
/* Gradients of the leaves below `tensor` are added to their grad. gradient may be NULL for a
 * tensor with one element. */
TOCHA_API bool tocha_backward(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *gradient,
                              bool retain_graph, bool create_graph);
/* d outputs / d inputs into gradients (count of inputs), owned by the scope; an unused input gives
 * NULL where allow_unused, else an error. grad_outputs may be NULL, and so may its entries. */
TOCHA_API bool tocha_gradients(tocha_context *cx, int output_count, tocha_tensor *const *outputs,
                               int input_count, tocha_tensor *const *inputs,
                               tocha_tensor *const *grad_outputs, bool retain_graph,
                               bool create_graph, bool allow_unused, tocha_tensor **gradients);
/* The node that made the tensor (borrowed; NULL for leaves) and its name, "AddBackward0". */
TOCHA_API tocha_node *tocha_grad_fn(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API const char *tocha_node_name(const tocha_node *node);

#ifdef __cplusplus
}
#endif
#endif

/* call.h: operators as data, and the entry point of every call.
 *
 * runtime/list/generate.lua reads the entries (runtime/ops/FAMILY) and writes, into the build
 * folder, a tocha_op for each entry and in-place form, the typed prototypes of <tocha/ops/NAME.h>,
 * the prototypes of the implementations (FAMILY/implementations.h) and the gradient rules as C
 * functions. */
#ifndef TOCHA_CALL_H
#define TOCHA_CALL_H

#include "core/internal.h"
#include "tocha/reflect.h"

static inline tocha_operand tocha_arg_operand(const tocha_arg *a) {
  tocha_operand o = {a->tensor, a->value.scalar};
  return o;
}

typedef enum tocha_autocast_class {
  TOCHA_AUTOCAST_NONE,          /* runs in the dtype of its inputs */
  TOCHA_AUTOCAST_LOWER,         /* casts its inputs to the region's dtype */
  TOCHA_AUTOCAST_FLOAT32,       /* casts its inputs to float32 */
  TOCHA_AUTOCAST_FLOAT32_DTYPE, /* uses dtype=float32 unless the call has a dtype= */
  TOCHA_AUTOCAST_WIDEST,        /* casts its inputs to the widest of their dtypes */
  TOCHA_AUTOCAST_REFUSE         /* fails: the result would be unsafe */
} tocha_autocast_class;
/* The value of tocha_operator.autocast: the CPU's class in the lower bits, CUDA's in the upper. */
#define TOCHA_AUTOCAST(cpu, cuda) (TOCHA_AUTOCAST_##cpu | TOCHA_AUTOCAST_##cuda << 4)

/* The memory that an in-place operator may read besides self (the entry's `memory`). */
typedef enum tocha_memory_rule {
  TOCHA_MEMORY_ANY,
  TOCHA_MEMORY_PARTIAL, /* self's very same elements, or none of its memory */
  TOCHA_MEMORY_APART,   /* none of self's memory */
  TOCHA_MEMORY_INPUTS,  /* none of self's memory; self's elements may share places */
} tocha_memory_rule;

typedef struct tocha_backward_frame tocha_backward_frame;
struct tocha_formula;   /* ops/pointwise/formula.h */
struct tocha_reduction; /* ops/reduction/kernels.h */

/* The tensors that an operator accepts as out=. */
typedef struct tocha_out_rule {
  enum {
    TOCHA_OUT_CAST, /* dtypes that the result's dtype can be cast to */
    TOCHA_OUT_SAME, /* the result's dtype */
    TOCHA_OUT_ANY,
    TOCHA_OUT_DTYPE /* any; out's dtype replaces an omitted dtype argument */
  } dtype;
  enum {
    TOCHA_OUT_OVERLAPS, /* may share memory with the inputs */
    TOCHA_OUT_PARTIAL,  /* may be an input with the same layout */
    TOCHA_OUT_APART     /* may share no memory */
  } memory;
  bool type_error;      /* a refused dtype is a TypeError */
  bool resizes;         /* an out with a refused dtype is still resized */
  bool keeps;           /* unless `first` refuses it: then its memory is refused */
  bool first;           /* out's dtype, the first input's, is checked before the inputs */
  bool only_out;        /* inputs may require grad, but out may not */
  bool contiguous;      /* out is row-major, for any strides of the result */
  bool counted;         /* an out with as many elements keeps its shape */
  bool floating;        /* out's dtype counts only if the first input is floating */
  const char *recorder; /* names the function that refuses to record; NULL: none does */
  const char *copies;   /* names the function that records out.copy_(result); NULL: none */
  const char *distinct; /* the message if two results' tensors share memory; NULL: they may */
  /* The messages for a refused dtype: for the first result, and for the others. {out} and {result}
   * stand for the dtypes, {out_c} and {result_c} for their names in C++. */
  const char *words[2];
  const char *uncastable; /* the message if the result cannot be cast; NULL: the same */
} tocha_out_rule;

/* The float8 dtypes that PyTorch's operator accepts, and its refusal of the others. In words, {dtype}
 * stands for the dtype ("Float8_e5m2"). */
typedef struct tocha_float8_rule {
  uint8_t accepted;                /* bit per float8 dtype, TOCHA_FLOAT8_E4M3FN's first */
  uint8_t code;                    /* tocha_error_code of the refusal */
  const char *words;               /* NULL: all are accepted */
  const char *words_beside_number; /* for a tensor and a number; NULL: the same rule */
} tocha_float8_rule;

/* A bit per parameter of an operator, by kind, for the loops over arguments that every call runs. */
typedef struct tocha_parameter_bits {
  uint32_t tensors; /* TENSOR and OPERAND */
  uint32_t lists;   /* TENSORS */
  uint32_t numbers; /* INTS, FLOATS, DIMS and SIZE */
  uint32_t strings;
  uint32_t needed; /* a program in C may have omitted the argument (NULL), unlike a plain number */
} tocha_parameter_bits;

/* Returns the bits of these parameters. The entries of the list have theirs from the generator. */
tocha_parameter_bits tocha_bits_of_parameters(const tocha_parameter *parameters, int count);

/* An operator: the data of its entry, and its functions. */
typedef struct tocha_operator {
  tocha_op op; /* first, because a tocha_op is always the beginning of a tocha_operator */
  tocha_parameter_bits bits;
  uint8_t autocast;            /* TOCHA_AUTOCAST(cpu, cuda); 0: not listed */
  uint8_t memory;              /* tocha_memory_rule */
  bool memory_first;           /* overlaps are checked before the operator's own checks */
  bool one_device;             /* CPU scalars are refused beside tensors of the meta device */
  const char *node_of_tensors; /* its node's name if an Operand is a tensor; NULL: the same */
  tocha_float8_rule float8;
  uint32_t constants;          /* bit per parameter that may not require grad */
  const char *constants_of;    /* the operator's name in the message about constants */
  uint32_t differentiable;     /* bit per parameter that has a gradient rule */
  uint32_t save_inputs;        /* bit per tensor parameter that a rule reads */
  const uint32_t *edge_inputs; /* save_inputs for each differentiable parameter; NULL: unknown */
  uint32_t save_results;       /* bit per result that a rule reads */
  uint32_t graphless;          /* bit per floating-point result that is not in the graph */
  bool tied; /* its gradients depend on its inputs in the graph (autograd/tied.c) */
  bool (*forward)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_results *results);
  const tocha_out_rule *out;                     /* NULL if there is no out= */
  const struct tocha_formula *formula;           /* NULL if not elementwise */
  const struct tocha_reduction *reduction;       /* NULL if not a reduction by a row */
  bool (*backward)(tocha_backward_frame *frame); /* NULL: not differentiable */
} tocha_operator;

static inline const tocha_operator *tocha_operator_of(const tocha_op *op) {
  return (const tocha_operator *)op;
}

/* The arguments of a gradient rule (generated from the list, or written by hand and named
 * there). */
struct tocha_backward_frame {
  tocha_context *cx;
  tocha_node *node;
  const tocha_op *op;
  /* The forward call's arguments. Tensors that were not saved are NULL. The count of a tensor is
   * nonzero if it was a column-major matrix. */
  const tocha_arg *args;
  tocha_tensor *const *results; /* the saved results; others are NULL */
  tocha_tensor *const *grads;   /* one per result; NULL: no gradient (grads[0] may be NULL) */
  /* One per edge, which the rule fills with tensors of the innermost scope (NULL: no gradient). The
   * edges are the differentiable parameters in order. A TENSORS parameter has one edge per tensor
   * and is its operator's only differentiable parameter. */
  tocha_tensor **out;
  int edge_count;
};
/* Rules that fail (autograd/no_derivative.c): for an operator whose derivative PyTorch lacks, for
 * one that has none in PyTorch's list, and for an in-place form if only the plain form has one
 * (asinh_). */
bool tocha_grad_not_implemented(tocha_backward_frame *frame);
bool tocha_grad_no_derivative(tocha_backward_frame *frame);
bool tocha_grad_inplace_not_implemented(tocha_backward_frame *frame);
/* Returns true if edge number `edge` needs a gradient. */
bool tocha_wants_grad(const tocha_backward_frame *frame, int edge);
/* The sizes, dtype and device of the forward input behind an edge that needs a gradient. */
typedef struct tocha_shape {
  int ndim;
  const int64_t *sizes;
  tocha_dtype dtype;
  tocha_device device;
} tocha_shape;
tocha_shape tocha_edge_shape(const tocha_backward_frame *frame, int edge);

/* Returns the next tensor among the arguments, including those in lists, or NULL after the last
 * one. *at begins as {0}, and receives the argument's number. */
typedef struct tocha_tensor_place {
  int parameter, element; /* element: the next one */
} tocha_tensor_place;
static inline tocha_tensor *tocha_next_tensor(const tocha_op *op, const tocha_arg *args,
                                              tocha_tensor_place *at) {
  for (; at->parameter < op->parameter_count; at->parameter++, at->element = 0) {
    const tocha_arg *a = &args[at->parameter];
    bool list = op->parameters[at->parameter].kind == TOCHA_KIND_TENSORS;
    tocha_tensor *const *tensors = list ? a->value.tensors : &a->tensor;
    for (int count = list ? a->count : 1; at->element < count;)
      if (tensors[at->element++]) return tensors[at->element - 1];
  }
  return NULL;
}

/* Returns true if the operator is differentiable by a tensor among args that requires grad. Every
 * call asks this. */
static inline bool tocha_any_requires_grad(const tocha_op *op, const tocha_arg *args) {
  for (uint32_t bits = tocha_operator_of(op)->differentiable; bits; bits &= bits - 1) {
    const tocha_arg *a = &args[__builtin_ctz(bits)];
    if (a->tensor) {
      if ((a->tensor->autograd || a->tensor->base) && tocha_requires_grad(a->tensor)) return true;
    } else if (op->parameters[__builtin_ctz(bits)].kind == TOCHA_KIND_TENSORS) {
      for (int i = 0; i < a->count; i++)
        if (a->value.tensors[i] && tocha_requires_grad(a->value.tensors[i])) return true;
    }
  }
  return false;
}

/* The operators of one family (generated). */
typedef struct tocha_op_family {
  const char *name;
  const tocha_operator *ops;
  int count;
} tocha_op_family;
/* Makes room in results->tensors for `count` tensors (all NULL). For implementations of
 * TOCHA_OP_LIST. */
bool tocha_results_list(tocha_context *cx, tocha_results *results, int64_t count);
/* Moves the results of a call to a list that the caller owns, and empties them. If memory is short,
 * fails and leaves an empty list. */
bool tocha_tensors_of_results(tocha_context *cx, tocha_results *results, tocha_tensors *list);
/* Copies result into self, whose shape may not change, at the end of in-place forms without a
 * formula. structured: PyTorch allocates the operator's outputs before it computes, and has another
 * message. */
tocha_tensor *tocha_write_self(tocha_context *cx, tocha_tensor *result, tocha_tensor *self,
                               bool structured);
/* Makes t row-major with these sizes, in new memory if its own is too small. (Views keep the old
 * memory.) The caller writes the elements. */
bool tocha_resize(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes);
/* Fails, in PyTorch's words, if a result of dtype `from` may not be written into a tensor of dtype
 * `to`. */
bool tocha_check_castable(tocha_context *cx, tocha_dtype from, tocha_dtype to);
/* Checks out's dtype and resizes it to the result's sizes, as PyTorch does before an operator
 * computes. */
bool tocha_prepare_out(tocha_context *cx, const tocha_op *op, tocha_dtype dtype, int ndim,
                       const int64_t *sizes, tocha_tensor *out);
/* Replaces the error that an operator would write memory that it reads, if one of its own checks,
 * which come first (unless memory_first), fails too. */
void tocha_fail_overlap(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
/* Works as tocha_call does. The result may be written directly into `into`, if that is not NULL. */
bool tocha_call_into(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, tocha_tensor *into);

/* Works as tocha_call does. unwanted: a bit for each result that the caller drops at once, so that it needs no history. */
bool tocha_call_for(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                    tocha_results *results, unsigned unwanted);

/* host_fallback.c: tocha_lacks_kernel returns true if the device of a call, which it writes, is a GPU that does not compute the
 * operator itself. */
bool tocha_lacks_kernel(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_device *device);
/* Returns true if a call on a device must be computed on the host, and writes the device. tocha_run_on_host computes it. */
static inline bool tocha_needs_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                                    tocha_device *device) {
  const uint32_t depends = TOCHA_OP_SOLVES | (cx->host_random ? TOCHA_OP_DRAWS : 0);
  if (op->flags & (TOCHA_OP_COMPOSITE | TOCHA_OP_VIEW)) return false;
  return (!(op->flags & TOCHA_OP_NATIVE) || op->flags & depends) &&
         tocha_lacks_kernel(cx, op, args, device);
}
bool tocha_run_on_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results, tocha_device device);

/* odd_bools.c: copies args, and replaces bools that may contain other bytes than 0 and 1 by clean
 * copies. A tensor that is written in place is cleaned itself. Returns false on failure. */
bool tocha_tidy_arguments(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_arg *tidy);

/* Releases the temporaries that an implementation left in the scope since mark, except for its
 * results. */
void tocha_keep_results(tocha_context *cx, size_t mark, const tocha_results *results);

/* The state of a recorded call between begin_record and end_record. */
typedef struct tocha_recording {
  bool records;           /* an input requires grad, so the call leaves a node */
  tocha_tensor *original; /* self's old value, for an in-place operator whose rule reads self */
} tocha_recording;

/* The functions of autograd/ and amp/ in a call (set by open.c). begin_record: refuses forbidden
 * in-place writes. end_record: counts the write, connects views to their bases, and adds the node.
 * fail_record: called if an operator failed that would have been recorded; if the graph is wrong
 * too, replaces the error. autocast: runs the call with operands in the dtypes that the open region
 * requires, by tocha_call_recorded. */
typedef struct tocha_call_hooks {
  bool (*begin_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_recording *recording);
  bool (*end_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, const tocha_recording *recording);
  void (*fail_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
  bool (*autocast)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                   tocha_results *results, tocha_tensor *into);
  const tocha_op_family *const *families; /* NULL-terminated */
} tocha_call_hooks;
/* Returns the operator of that name, or NULL if name is NULL or no family has it. */
const tocha_op *tocha_find_among(const tocha_op_family *const *families, const char *name);
static inline const tocha_op *tocha_operator_named(const tocha_context *cx, const char *name) {
  return tocha_find_among(cx->hooks->call->families, name);
}
/* Counts a write. Fails if self is an inference tensor that may not be written. */
bool tocha_count_write(tocha_context *cx, tocha_tensor *self);
/* Works as tocha_call_into does, but without autocast. */
bool tocha_call_recorded(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into);

/* Fails if t requires grad and lacks the dimension dim, whose size PyTorch's rule reads before the
 * operator checks t. */
bool tocha_check_size_read(tocha_context *cx, const tocha_tensor *t, int dim);

#endif

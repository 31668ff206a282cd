/* call.h: operators as data, and the one entry through which every call goes.
 *
 * runtime/list/generate.lua reads the entries (runtime/ops/FAMILY) and writes, into the build folder, one
 * tocha_op per entry and in-place form, the typed prototypes of <tocha/ops/NAME.h>, those of the
 * implementations (FAMILY/implementations.h) and the gradient rules as C functions. */
#ifndef TOCHA_CALL_H
#define TOCHA_CALL_H

#include "core/internal.h"
#include "tocha/reflect.h"

static inline tocha_operand tocha_arg_operand(const tocha_arg *a) {
  tocha_operand o = {a->tensor, a->value.scalar};
  return o;
}

typedef enum tocha_autocast_class {
  TOCHA_AUTOCAST_NONE,          /* runs in the type of its inputs */
  TOCHA_AUTOCAST_LOWER,         /* inputs are cast to the region's type */
  TOCHA_AUTOCAST_FLOAT32,       /* inputs are cast to float32 */
  TOCHA_AUTOCAST_FLOAT32_DTYPE, /* dtype=float32 unless the call says another */
  TOCHA_AUTOCAST_WIDEST,        /* inputs are cast to the widest of their types */
  TOCHA_AUTOCAST_REFUSE         /* an error: the result would not be safe */
} tocha_autocast_class;
/* tocha_operator.autocast: the CPU's class below, CUDA's above. */
#define TOCHA_AUTOCAST(cpu, cuda) (TOCHA_AUTOCAST_##cpu | TOCHA_AUTOCAST_##cuda << 4)

/* What an operator in place may read beside self (the entry's `memory`). */
typedef enum tocha_memory_rule {
  TOCHA_MEMORY_ANY,
  TOCHA_MEMORY_PARTIAL, /* the very same elements, or none of them */
  TOCHA_MEMORY_APART,   /* none of them */
  TOCHA_MEMORY_INPUTS,  /* none of them; but self's own may share a place */
} tocha_memory_rule;

typedef struct tocha_backward_frame tocha_backward_frame;
struct tocha_formula;   /* ops/pointwise/formula.h */
struct tocha_reduction; /* ops/reduction/kernels.h */

/* Which tensors an operator takes as out=. */
typedef struct tocha_out_rule {
  enum {
    TOCHA_OUT_CAST, /* those that the result's dtype can be cast to */
    TOCHA_OUT_SAME, /* those of the result's dtype */
    TOCHA_OUT_ANY,
    TOCHA_OUT_DTYPE /* any: its dtype is that of the parameter dtype, where that is not given */
  } dtype;
  enum {
    TOCHA_OUT_OVERLAPS, /* may share memory with the inputs */
    TOCHA_OUT_PARTIAL,  /* only as an input of the same layout */
    TOCHA_OUT_APART     /* may not */
  } memory;
  bool type_error;      /* a refused dtype is a TypeError */
  bool resizes;         /* an out of a refused dtype has got the result's shape all the same */
  bool keeps;           /* but of one that `first` refuses: that is where its memory is refused */
  bool first;           /* out's dtype is looked at before the inputs: it is that of the first */
  bool only_out;        /* inputs may require grad, only out may not */
  bool contiguous;      /* out is resized to row-major, whatever the result's strides are */
  bool counted;         /* an out of as many elements keeps its shape */
  bool floating;        /* its dtype is that of the result only if the first input is floating */
  const char *recorder; /* who refuses what requires grad; NULL: nobody */
  const char
      *copies; /* by whom out.copy_(result) is called, which the graph sees; NULL: it is not */
  const char
      *distinct; /* what is said where the tensors of two results share memory; NULL: they may */
  /* What is said of a refused dtype, one for each result, the last for the rest; {out} and {result} are the dtypes,
   * {out_c} and {result_c} their names in C++. */
  const char *words[2];
  const char *uncastable; /* what is said where the result cannot be cast; NULL: the same */
} tocha_out_rule;

/* All there is to an operator: what its entry says, and what it does. */
typedef struct tocha_operator {
  tocha_op op;       /* first: a tocha_op is always the beginning of a tocha_operator */
  uint8_t autocast;  /* TOCHA_AUTOCAST(cpu, cuda); 0: not listed */
  uint8_t memory;    /* tocha_memory_rule */
  bool memory_first; /* overlaps are checked before the operator's own checks */
  bool one_device;   /* scalars of the CPU are refused beside tensors of the meta device */
  const char *node_of_tensors; /* its node's name if an Operand is a tensor; NULL: the same */
  uint32_t constants;          /* bit per parameter that may not require grad */
  const char *constants_of;    /* the operator that the message about them names */
  uint32_t differentiable;     /* bit per parameter that has a gradient rule */
  uint32_t save_inputs;        /* bit per tensor parameter that a rule reads */
  const uint32_t *edge_inputs; /* the same for each differentiable parameter; NULL: not known */
  uint32_t save_results;       /* bit per result that a rule reads */
  uint32_t graphless;          /* bit per floating-point result that takes no part in the graph */
  bool tied; /* its gradients depend on its inputs in the graph, if only by 0 (autograd/tied.c) */
  bool (*forward)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_results *results);
  const tocha_out_rule *out;                     /* of one that takes out=, else NULL */
  const struct tocha_formula *formula;           /* of an elementwise operator, else NULL */
  const struct tocha_reduction *reduction;       /* of a reduction by its row, else NULL */
  bool (*backward)(tocha_backward_frame *frame); /* NULL: not differentiable */
} tocha_operator;

static inline const tocha_operator *tocha_operator_of(const tocha_op *op) {
  return (const tocha_operator *)op;
}

/* What a gradient rule sees (generated from the list, or written by hand and named there). */
struct tocha_backward_frame {
  tocha_context *cx;
  tocha_node *node;
  const tocha_op *op;
  /* As the forward call had them; tensors not saved are NULL. The count of a tensor says whether it was a
   * matrix whose columns lie one after the other. */
  const tocha_arg *args;
  tocha_tensor *const *results; /* saved results; the others NULL */
  tocha_tensor *const *grads;   /* one per result; NULL: no gradient arrived (grads[0] may be) */
  /* One per edge, to be filled with tensors of the innermost scope (NULL: no gradient). The edges
   * are the differentiable parameters in order; a TENSORS parameter has one edge per tensor and is
   * the only differentiable one of its operator. */
  tocha_tensor **out;
  int edge_count;
};
/* Rules that refuse (autograd/no_derivative.c): of an operator whose derivative PyTorch lacks, of one that PyTorch's list says
 * has none, and of an in-place form whose plain form has one (asinh_). */
bool tocha_grad_not_implemented(tocha_backward_frame *frame);
bool tocha_grad_no_derivative(tocha_backward_frame *frame);
bool tocha_grad_inplace_not_implemented(tocha_backward_frame *frame);
/* Whether edge number `edge` wants a gradient. */
bool tocha_wants_grad(const tocha_backward_frame *frame, int edge);
/* The sizes, dtype, device of the forward input behind an edge that wants a gradient. */
typedef struct tocha_shape {
  int ndim;
  const int64_t *sizes;
  tocha_dtype dtype;
  tocha_device device;
} tocha_shape;
tocha_shape tocha_edge_shape(const tocha_backward_frame *frame, int edge);

/* The next tensor among the arguments, also those of lists; NULL: there is no more. *at begins as {0}, and then says which
 * argument it was. */
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

/* Returns true if the operator is differentiable in a tensor among args that requires a gradient. Every call asks. */
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
/* For implementations of TOCHA_OP_LIST: makes results->tensors hold count tensors (all NULL). */
bool tocha_results_list(tocha_context *cx, tocha_results *results, int64_t count);
/* Puts result into self, whose shape may not change: how in-place forms without a formula end. structured: one of
 * those operators that PyTorch gives its outputs before they compute, which say so in other words. */
tocha_tensor *tocha_write_self(tocha_context *cx, tocha_tensor *result, tocha_tensor *self,
                               bool structured);
/* Makes t row-major with these sizes, in new memory where its own is too small (views of the old memory keep
 * that). Its elements are to be written. */
bool tocha_resize(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes);
/* Whether a result of one dtype may be written into a tensor of another; false with PyTorch's words. */
bool tocha_check_castable(tocha_context *cx, tocha_dtype from, tocha_dtype to);
/* What PyTorch does with out= before an operator computes: refuses its dtype, and gives it the result's sizes. */
bool tocha_prepare_out(tocha_context *cx, const tocha_op *op, tocha_dtype dtype, int ndim,
                       const int64_t *sizes, tocha_tensor *out);
/* Of an operator that was refused because what it writes shares memory: if one of its own checks, which come first
 * (unless memory_first), fails as well, its error is told instead. */
void tocha_fail_overlap(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
/* tocha_call; the result may be written into `into` (NULL: none) at once. */
bool tocha_call_into(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, tocha_tensor *into);

/* host_fallback.c: whether a call on a device must be computed on the host (and which device it is), and
 * doing so. */
bool tocha_needs_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                      tocha_device *device);
bool tocha_run_on_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results, tocha_device device);

/* odd_bools.c: copies args, with tidy copies of the bools that may be other bytes than 0 and 1. A tensor that is written in
 * place is tidied itself. Returns false on failure. */
bool tocha_tidy_arguments(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_arg *tidy);

/* Releases the temporaries an implementation left in the scope since mark; its results stay. */
void tocha_keep_results(tocha_context *cx, size_t mark, const tocha_results *results);

/* What a recorded call remembers between its beginning and its end. */
typedef struct tocha_recording {
  bool records;           /* an input requires grad: a node will be left */
  tocha_tensor *original; /* of an in-place operator whose rule reads self: its value before */
} tocha_recording;

/* What autograd/ and amp/ do in a call (given by open.c). begin_record: refuses forbidden in-place writes.
 * end_record: counts the write, ties views to their bases, leaves the node. fail_record: of an operator
 * that failed and would have been recorded, tells what is wrong with the graph instead, if anything is. autocast: the call with its
 * operands in the dtypes that the open region wants, ending in tocha_call_recorded. */
typedef struct tocha_call_hooks {
  bool (*begin_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_recording *recording);
  bool (*end_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, const tocha_recording *recording);
  void (*fail_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
  bool (*autocast)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                   tocha_results *results, tocha_tensor *into);
  const tocha_op_family *const *families; /* all of them; the last is NULL */
} tocha_call_hooks;
/* Returns the operator of that name, or NULL if none of the families has it, or name is NULL. */
const tocha_op *tocha_find_among(const tocha_op_family *const *families, const char *name);
static inline const tocha_op *tocha_operator_named(const tocha_context *cx, const char *name) {
  return tocha_find_among(cx->hooks->call->families, name);
}
/* Counts a write; false, with an error, where self is an inference tensor that may not be written. */
bool tocha_count_write(tocha_context *cx, tocha_tensor *self);
/* tocha_call after autocast. */
bool tocha_call_recorded(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into);

/* Where t wants a gradient, PyTorch reads its size in dim for the rule before the operator looks at t: it must have that
 * dimension. */
bool tocha_check_size_read(tocha_context *cx, const tocha_tensor *t, int dim);

#endif

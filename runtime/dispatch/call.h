/* call.h: operators as data, and the one entry through which every call goes.
 *
 * runtime/list/generate.lua reads the entries (runtime/ops/FAMILY) and writes, into the build folder, one
 * tocha_op per entry and in-place form, the typed prototypes of <tocha/ops/NAME.h>, those of the
 * implementations (FAMILY/implementations.h) and the gradient rules as C functions. */
#ifndef TOCHA_CALL_H
#define TOCHA_CALL_H

#include "core/internal.h"
#include "tocha/limits.h"

/* What an argument may be. The optional form of a kind is a flag of the parameter. */
typedef enum tocha_kind {
  TOCHA_KIND_TENSOR,
  TOCHA_KIND_OPERAND, /* a tensor, or a number */
  TOCHA_KIND_SCALAR,  /* a number whose kind is kept */
  TOCHA_KIND_INT,
  TOCHA_KIND_DIM,   /* an int that names a dimension: from 0, negative from the end */
  TOCHA_KIND_INDEX, /* an int that names a position: from 0, negative from the end */
  TOCHA_KIND_FLOAT,
  TOCHA_KIND_BOOL,
  TOCHA_KIND_STRING,
  TOCHA_KIND_DTYPE,
  TOCHA_KIND_DEVICE,
  TOCHA_KIND_INTS, /* a list of ints; variadic: also spelled out, reshape(2, 3) */
  TOCHA_KIND_DIMS, /* a list of dimensions, or one */
  TOCHA_KIND_TENSORS,
  TOCHA_KIND_GENERATOR,
  TOCHA_KIND_SIZE, /* a list of sizes (as INTS; spelled `size...` in the list) */
  TOCHA_KIND_ANY, /* a value of the host's language: no operator takes one, a binding's functions do */
  TOCHA_KIND_COUNT
} tocha_kind;

/* One argument as every call carries it. Which member counts is decided by the parameter. */
typedef struct tocha_arg {
  tocha_tensor *tensor; /* TENSOR; OPERAND: NULL when a number was given */
  union {
    tocha_scalar scalar; /* OPERAND, SCALAR */
    int64_t integer;     /* INT, DIM, INDEX; ANY: what the binding makes of it */
    double real;         /* FLOAT */
    bool flag;           /* BOOL */
    const char *string;
    tocha_dtype dtype;
    tocha_device device;
    const int64_t *ints;          /* INTS, DIMS, SIZE: count of them */
    tocha_tensor *const *tensors; /* TENSORS: count of them */
    tocha_generator *generator;
  } value;
  int32_t count;
  bool given; /* false: an optional argument that was left out (its members are then zero) */
} tocha_arg;

static inline tocha_operand tocha_arg_operand(const tocha_arg *a) {
  tocha_operand o = {a->tensor, a->value.scalar};
  return o;
}

typedef struct tocha_parameter {
  const char *name;
  uint8_t kind;  /* tocha_kind */
  bool optional; /* may be nil: spelled `kind?` */
  bool has_default;
  bool keyword_only;
  bool variadic;           /* spelled `int...`: numbers in a row or one table */
  tocha_arg default_value; /* the default, where has_default */
  const char *python;      /* its type as PyTorch's messages call it: "Tensor", "tuple of ints" */
} tocha_parameter;

enum tocha_op_flags {
  TOCHA_OP_COMPOSITE = 1,    /* made of operators: records nothing itself */
  TOCHA_OP_INPLACE = 2,      /* writes its first argument and returns it */
  TOCHA_OP_VIEW = 4,         /* the result may share memory with the first argument */
  TOCHA_OP_ANY_DEVICE = 8,   /* operands may be on different devices */
  TOCHA_OP_LIST = 16,        /* the result is a list of tensors whose length the call decides */
  TOCHA_OP_OUT = 32,         /* takes out= */
  TOCHA_OP_VALUE = 64,       /* the result is a plain value (tocha_results.value), not a tensor */
  TOCHA_OP_OVERLOADED = 128, /* PyTorch has several signatures of this name (error texts) */
  TOCHA_OP_ONE_SHOWN = 256,  /* and shows only one of them */
  TOCHA_OP_NATIVE = 512,     /* runs on a device itself; without it, by way of the host */
  TOCHA_OP_DRAWS = 2048,     /* draws random numbers */
  /* What PyTorch's messages depend on: */
  TOCHA_OP_OVERLOADED_METHOD = 4096, /* its method has several signatures, too */
  TOCHA_OP_HIDES = 8192,             /* `hides` counts beside entries of the same name, too */
  TOCHA_OP_PYTHON = 16384,           /* what stands in a namespace is a Python function */
  TOCHA_OP_PYTHON_METHOD = 32768     /* so is the method */
};

typedef enum tocha_autocast_class {
  TOCHA_AUTOCAST_NONE,          /* runs in the type of its inputs */
  TOCHA_AUTOCAST_LOWER,         /* inputs are cast to the region's type */
  TOCHA_AUTOCAST_FLOAT32,       /* inputs are cast to float32 */
  TOCHA_AUTOCAST_FLOAT32_DTYPE, /* dtype=float32 unless the call says another */
  TOCHA_AUTOCAST_WIDEST,        /* inputs are cast to the widest of their types */
  TOCHA_AUTOCAST_REFUSE         /* an error: the result would not be safe */
} tocha_autocast_class;
/* tocha_op.autocast: the CPU's class below, CUDA's above. */
#define TOCHA_AUTOCAST(cpu, cuda) (TOCHA_AUTOCAST_##cpu | TOCHA_AUTOCAST_##cuda << 4)

enum tocha_op_forms {
  TOCHA_FORM_TORCH = 1,
  TOCHA_FORM_METHOD = 2,
  TOCHA_FORM_FUNCTIONAL = 4,
  TOCHA_FORM_ATTRIBUTE = 8 /* t.T */
};

/* What a call gives back. tensors points to fixed[] or, for TOCHA_OP_LIST, to a block that belongs
 * to the caller: released with tocha_results_free. */
typedef struct tocha_results {
  int count;
  tocha_tensor **tensors;
  tocha_tensor *fixed[TOCHA_MAX_RESULTS];
  tocha_arg value;    /* TOCHA_OP_VALUE */
  uint8_t value_kind; /* BOOL, INT, FLOAT, SCALAR, DTYPE, ... */
  tocha_tensor *into; /* tocha_call_out: where the result may be written at once; else NULL */
} tocha_results;

typedef struct tocha_backward_frame tocha_backward_frame;
typedef struct tocha_op tocha_op;
struct tocha_formula; /* ops/pointwise/formula.h */

/* A signature that PyTorch has of a function, and Tocha refuses. */
typedef struct tocha_refused_signature {
  const char *name; /* PyTorch's, "mm.dtype" */
  const tocha_parameter *parameters;
  uint8_t parameter_count, positional;
} tocha_refused_signature;

/* How messages of a Python function differ from its operator's. */
typedef struct tocha_python_words {
  const char *name;  /* the function's; NULL: as lua_name */
  const char *inner; /* the operator that complains of a value's kind; NULL: the same */
  const char *const
      *attributes; /* per parameter: what Python asks a tensor for first; may be NULL */
  const char *const *inner_parameters; /* per parameter: what `inner` calls it; NULL: the same */
} tocha_python_words;

struct tocha_op {
  const char *name;       /* "max.dim": unique */
  const char *lua_name;   /* "max" */
  const char *namespace_; /* where the torch form lives: "" for torch, "nn.functional", ... */
  const char *node_name;  /* "MaxBackward0": what grad_fn prints */
  const char *signature;  /* as in the list */
  const char *doc;
  const tocha_parameter *parameters;
  uint8_t parameter_count;
  uint8_t positional; /* parameters before `*` */
  uint8_t result_count;
  uint32_t flags;
  uint8_t forms;
  uint8_t hides;    /* from so many arguments on PyTorch has several signatures of it; 0: one */
  uint8_t autocast; /* TOCHA_AUTOCAST(cpu, cuda); 0: not listed */
  uint32_t differentiable;                /* bit per parameter that has a gradient rule */
  uint32_t save_inputs;                   /* bit per tensor parameter that a rule reads */
  const tocha_python_words *words;        /* NULL: none */
  const tocha_refused_signature *refused; /* NULL: none */
  const char *symbol, *reversed; /* of Python's operator; with a number on the left; or NULL */
  const char *lua_alias;         /* its other name in Lua, where lua_name is a keyword; or NULL */
  const uint32_t *edge_inputs;   /* the same for each differentiable parameter; NULL: not known */
  uint32_t save_results;         /* bit per result that a rule reads */
  bool (*forward)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_results *results);
  const struct tocha_formula *formula;           /* of an elementwise operator, else NULL */
  bool (*backward)(tocha_backward_frame *frame); /* NULL: not differentiable */
};

/* What a gradient rule sees (generated from the list, or written by hand and named there). */
struct tocha_backward_frame {
  tocha_context *cx;
  tocha_node *node;
  const tocha_op *op;
  const tocha_arg *args;        /* as the forward call had them; tensors not saved are NULL */
  tocha_tensor *const *results; /* saved results; the others NULL */
  tocha_tensor *const *grads;   /* one per result; NULL: no gradient arrived (grads[0] may be) */
  /* One per edge, to be filled with tensors of the innermost scope (NULL: no gradient). The edges
   * are the differentiable parameters in order; a TENSORS parameter has one edge per tensor and is
   * the only differentiable one of its operator. */
  tocha_tensor **out;
  int edge_count;
};
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

/* The operators of one family, and the families (generated; the last is NULL). */
typedef struct tocha_op_family {
  const char *name;
  const tocha_op *ops;
  int count;
} tocha_op_family;
extern const tocha_op_family *const tocha_op_families[];
/* The operator of a full name ("max.dim"); NULL where there is none. */
const tocha_op *tocha_find_operator(const char *name);

/* The one entry: checks devices, prepares autograd, runs the implementation, records.
 * args: parameter_count entries, complete (defaults filled in). */
bool tocha_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                tocha_results *results);
/* The call with out=: nothing is recorded, the result goes to out (resized as PyTorch does, cast
 * where allowed), by way of a temporary only where that must be. */
bool tocha_call_out(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                    tocha_tensor *out);
void tocha_results_free(tocha_context *cx, tocha_results *results);
/* For implementations of TOCHA_OP_LIST: makes results->tensors hold count tensors (all NULL). */
bool tocha_results_list(tocha_context *cx, tocha_results *results, int count);
/* Puts result into out (resized as PyTorch does, cast where allowed): what `out=` does. Returns out. */
tocha_tensor *tocha_write_out(tocha_context *cx, tocha_tensor *result, tocha_tensor *out);
/* Puts result into self, whose shape may not change: how in-place forms without a formula end. */
tocha_tensor *tocha_write_self(tocha_context *cx, tocha_tensor *result, tocha_tensor *self);

/* host_fallback.c: whether a call on a device must be computed on the host (and which device it is), and
 * doing so. */
bool tocha_needs_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                      tocha_device *device);
bool tocha_run_on_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results, tocha_device device);

/* Releases the temporaries an implementation left in the scope since mark; its results stay. */
void tocha_keep_results(tocha_context *cx, size_t mark, const tocha_results *results);

/* What a recorded call remembers between its beginning and its end. */
typedef struct tocha_recording {
  bool records;           /* an input requires grad: a node will be left */
  tocha_tensor *original; /* of an in-place operator whose rule reads self: its value before */
} tocha_recording;

/* What autograd/ and amp/ do in a call (given by open.c). begin_record: refuses forbidden in-place writes.
 * end_record: counts the write, ties views to their bases, leaves the node. autocast: the call with its
 * operands in the dtypes that the open region wants, ending in tocha_call_recorded. */
typedef struct tocha_call_hooks {
  bool (*begin_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_recording *recording);
  bool (*end_record)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, const tocha_recording *recording);
  bool (*autocast)(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                   tocha_results *results, tocha_tensor *into);
} tocha_call_hooks;
/* tocha_call after autocast. */
bool tocha_call_recorded(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into);

#endif

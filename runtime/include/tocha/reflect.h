/* reflect.h: the lists of operators, module classes and initializers with their parameters, as
 * data for language bindings, and calls whose arguments are assembled at run time.
 *
 * All data of this file is constant and lives as long as the process. */
#ifndef TOCHA_REFLECT_H
#define TOCHA_REFLECT_H

#include "tocha/limits.h"
#include "tocha/nn.h"
#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- parameters and arguments ---------------------------------------------------------------- */

/* The kind of an argument. A parameter may be optional besides (`optional`). */
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
  TOCHA_KIND_INTS,   /* a list of ints; variadic: also spelled out, reshape(2, 3) */
  TOCHA_KIND_FLOATS, /* a list of numbers */
  TOCHA_KIND_DIMS,   /* a list of dimensions, or one */
  TOCHA_KIND_TENSORS,
  TOCHA_KIND_GENERATOR,
  TOCHA_KIND_SIZE,   /* a list of sizes (as INTS; spelled `size...` in the list) */
  TOCHA_KIND_ANY,    /* a value of the host's language: operators have no such parameters, only a
                    * binding's functions do */
  TOCHA_KIND_MODULE, /* only constructors of modules have such parameters */
  TOCHA_KIND_COUNT
} tocha_kind;

#define TOCHA_ABSENT INT64_MIN /* an omitted element of a list */
/* The only element of a list that stands for a word: padding='same', padding='valid'. */
#define TOCHA_PADDING_SAME (INT64_MIN + 1)
#define TOCHA_PADDING_VALID (INT64_MIN + 2)

/* One argument of a call. The parameter decides which member is used. */
typedef struct tocha_arg {
  tocha_tensor *tensor; /* TENSOR; OPERAND: NULL if the argument is a number */
  union {
    tocha_scalar scalar; /* OPERAND, SCALAR */
    int64_t integer;     /* INT, DIM, INDEX; ANY: defined by the binding */
    double real;         /* FLOAT */
    bool flag;           /* BOOL */
    const char *string;
    tocha_dtype dtype;
    tocha_device device;
    const int64_t *ints;          /* INTS, DIMS, SIZE: `count` of them */
    const double *reals;          /* FLOATS: `count` of them */
    tocha_tensor *const *tensors; /* TENSORS: `count` of them */
    tocha_generator *generator;
    tocha_module *module;
  } value;
  int32_t count;
  bool given; /* false: an optional argument that was omitted (the other members are then zero) */
} tocha_arg;

typedef struct tocha_parameter {
  const char *name;
  uint8_t kind;  /* tocha_kind */
  bool optional; /* may be nil: spelled `kind?` */
  bool stated; /* a call must say nil (spelled `kind?!`); a list must be spelled out (`kind...!`) */
  bool has_default;
  bool keyword_only;
  bool variadic; /* spelled `int...`: numbers in a row or one table */
  bool single;   /* spelled `int[2]`: one number stands for a list of it */
  bool holes;    /* spelled `int?[2]`: elements may be nil or "None", which is TOCHA_ABSENT */
  tocha_arg default_value; /* the default, if has_default */
  const char *python;      /* the type's name in PyTorch's messages: "Tensor", "tuple of ints" */
  bool words; /* spelled `padding[2]`: 'same' or 'valid', which are TOCHA_PADDING_SAME or _VALID */
} tocha_parameter;

/* --- operators ------------------------------------------------------------------------------- */

enum tocha_op_flags {
  TOCHA_OP_COMPOSITE = 1,    /* made of operators: records no operation itself */
  TOCHA_OP_INPLACE = 2,      /* writes its first argument and returns it */
  TOCHA_OP_VIEW = 4,         /* the result may share memory with the first argument */
  TOCHA_OP_ANY_DEVICE = 8,   /* operands may be on different devices */
  TOCHA_OP_LIST = 16,        /* the result is a list of tensors, whose length depends on the call */
  TOCHA_OP_OUT = 32,         /* takes out=, the parameter after the counted ones */
  TOCHA_OP_VALUE = 64,       /* the result is a plain value (tocha_results.value), not a tensor */
  TOCHA_OP_OVERLOADED = 128, /* PyTorch has several signatures of this name (error texts) */
  TOCHA_OP_ONE_SHOWN = 256,  /* PyTorch shows only one of these signatures */
  TOCHA_OP_NATIVE =
      512, /* runs on a device itself; without it, its operands are copied to the CPU */
  TOCHA_OP_ONE_SHOWN_METHOD = 1024, /* PyTorch shows only one of the method's signatures */
  TOCHA_OP_DRAWS = 2048,            /* draws random numbers */
  /* Properties that PyTorch's messages depend on: */
  TOCHA_OP_OVERLOADED_METHOD = 4096, /* the method has several signatures too */
  TOCHA_OP_HIDES = 8192,             /* `hides` counts even if other entries have the same name */
  TOCHA_OP_PYTHON = 16384,           /* the function in its namespace is a Python function */
  TOCHA_OP_PYTHON_METHOD = 32768,    /* the method is a Python function */
  TOCHA_OP_UNLISTED = 65536,         /* a signature that messages do not show */
  TOCHA_OP_LEAF = 131072,            /* works in place on a leaf that requires grad, too */
  TOCHA_OP_FACTORY =
      262144, /* makes a tensor out of numbers: layout= and pin_memory= are a binding's to read */
  TOCHA_OP_OUT_ALONE = 524288,      /* only one of the signatures that it stands for takes out= */
  TOCHA_OP_UNINITIALIZED = 1048576, /* takes a parameter of a lazy module that has no values yet */
  TOCHA_OP_SOLVES = 2097152 /* native only if the device has its library of linear algebra */
};

enum tocha_op_forms {
  TOCHA_FORM_TORCH = 1,
  TOCHA_FORM_METHOD = 2,
  TOCHA_FORM_FUNCTIONAL = 4,
  TOCHA_FORM_ATTRIBUTE = 8 /* t.T */
};

/* A signature that a function has in PyTorch, and that Tocha refuses. */
typedef struct tocha_refused_signature {
  const char *name; /* PyTorch's, "mm.dtype" */
  const tocha_parameter *parameters;
  uint8_t parameter_count, positional;
} tocha_refused_signature;

/* Differences between the messages of a Python function and those of its operator. The arrays
 * have one entry per parameter, also for out=. */
typedef struct tocha_python_words {
  const char *name;        /* the function's; NULL: lua_name */
  const char *inner;       /* the operator that reports a value of the wrong kind; NULL: this one */
  const char *const *uses; /* Python's first use of a value, see list/facts.lua; may be NULL */
  const char *const *inner_parameters; /* the names that `inner` has for them; NULL: the same */
  const char *const *inner_kinds;      /* the kinds that `inner` wants; NULL: the parameters' own */
  const char *const *names; /* the names that the function has for them; NULL: the same */
} tocha_python_words;

/* The entry of an operator (or of its in-place form) in the list. */
typedef struct tocha_op {
  const char *name;       /* "max.dim": unique */
  const char *lua_name;   /* "max" */
  const char *namespace_; /* the namespace of the torch form: "" for torch, "nn.functional", ... */
  const char *node_name;  /* "MaxBackward0": the name that grad_fn prints */
  const char *signature;  /* in the list's notation */
  const char *doc;        /* a description; more paragraphs may follow on other lines */
  const tocha_parameter *parameters;
  uint8_t parameter_count;
  uint8_t positional; /* parameters before `*` */
  uint8_t result_count;
  uint8_t forms;
  uint32_t flags;
  uint8_t hides; /* PyTorch has several signatures if a call has at least this many arguments; 0:
                  * one */
  const tocha_python_words *words;        /* NULL: none */
  const tocha_refused_signature *refused; /* NULL: none */
  const char *symbol, *reversed;          /* Python's operator, and its reversed form, or NULL */
  const char *lua_alias; /* its other name in Lua if lua_name is a keyword, or NULL */
  const char *same_as;   /* "torch.cat": the function of which it is another name or a
                          * copy, or NULL */
} tocha_op;

/* Returns operator number `index`, in the order in which overloads of one name are tried, or
 * NULL after the last. */
TOCHA_API const tocha_op *tocha_op_at(int index);
/* Returns the operator of a full name ("max.dim"), or NULL if there is none. */
TOCHA_API const tocha_op *tocha_find_operator(const char *name);

/* The results of a call. `tensors` points to fixed[] or, for TOCHA_OP_LIST, to a block that the
 * caller owns and frees with tocha_results_free. */
typedef struct tocha_results {
  int count;
  tocha_tensor **tensors;
  tocha_tensor *fixed[TOCHA_MAX_RESULTS];
  tocha_arg value;    /* TOCHA_OP_VALUE */
  uint8_t value_kind; /* BOOL, INT, FLOAT, SCALAR, DTYPE, ... */
  bool single;        /* TOCHA_OP_LIST: return the only tensor itself, not a list of one */
  uint8_t unwanted;   /* private: a bit for each result that the caller drops at once */
  tocha_tensor *into; /* private: a tensor to which the result may be written directly, or NULL */
} tocha_results;

/* Runs an operator, for every kind of caller: checks devices, prepares autograd, runs the
 * implementation, records. args: parameter_count entries, complete (defaults filled in). Results
 * belong to the scope. */
TOCHA_API bool tocha_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_results *results);
/* Runs an operator with out=. Records no operation, and fails if the call would have to be
 * recorded. The results are written to `outs`, one for each, which are resized as PyTorch does,
 * and cast if that is allowed. */
TOCHA_API bool tocha_call_out(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                              tocha_tensor *const *outs);
TOCHA_API void tocha_results_free(tocha_context *cx, tocha_results *results);
/* Returns true if the call would be recorded: gradients are on, and an input that has a rule
 * requires one. */
TOCHA_API bool tocha_would_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args);

/* --- modules --------------------------------------------------------------------------------- */

typedef enum tocha_container {
  TOCHA_CONTAINER_NONE,
  TOCHA_CONTAINER_SEQUENTIAL,
  TOCHA_CONTAINER_LIST,
  TOCHA_CONTAINER_DICT,
  TOCHA_CONTAINER_PARAMETER_LIST,
  TOCHA_CONTAINER_PARAMETER_DICT
} tocha_container;

/* A parameter of an operator that has another name among a module's options. */
typedef struct tocha_rename {
  const char *parameter, *option;
} tocha_rename;

/* The arguments and results of a class's forward, if they are more than tensors, or several. */
typedef struct tocha_module_call_signature {
  const tocha_parameter *parameters;
  uint8_t parameter_count, positional, result_count;
} tocha_module_call_signature;

/* The entry of a class of modules in the list. The arguments of the constructor are kept with
 * the module as options, one tocha_arg per parameter. */
struct tocha_module_class {
  const char *name;
  const char *base;                /* the class it extends; NULL: Module */
  const char *declared;            /* the class whose __init__ messages name: "_DropoutNd" */
  const tocha_python_words *words; /* the constructor's; NULL: none */
  const char *doc;
  const char *signature;
  const tocha_parameter *parameters; /* the constructor's */
  uint8_t parameter_count, positional;
  uint8_t container;           /* tocha_container */
  uint8_t size_count;          /* number of leading parameters that are sizes of a tensor: errors in
                                * torch.empty's words */
  bool takes_anything;         /* the constructor takes any arguments, and forward any value, which
                                * it returns */
  uint8_t input_count;         /* number of forward's arguments */
  uint8_t optional_inputs;     /* number of these, at the end, that may be omitted */
  uint8_t space;               /* number of spatial dimensions of the input; 0: any */
  uint8_t list_length;         /* one number in place of a list becomes a list of this length; 0: it
                                * stays a number */
  const char *const *inputs;   /* the names of forward's arguments */
  const char *op;              /* the operator that forward calls, or NULL */
  const int8_t *op_arguments;  /* the source of each of its arguments (nn/construct.h) */
  const tocha_rename *renames; /* ends with {NULL, NULL}; or NULL */
  const tocha_rename *defaults; /* options that default to the value of another option */
  bool in_lua;                  /* the class of this name in Lua's torch.nn is written in Lua */
  const char *script;           /* Lua code for inputs that are not tensors, or NULL */
  const tocha_module_call_signature *call; /* NULL: forward takes `inputs`, and returns a tensor */
  const char *repr; /* "p={p}, inplace={inplace}"; {x?}: "x=True" if true; "" for an empty text */
  const char *later_member;             /* a member that states of an earlier version lack; or
                                         * NULL */
  int64_t version;                      /* version of the module's state */
  const struct tocha_module_code *code; /* private */
};

/* Returns class number `index`, or NULL after the last. Number 0 is Module. */
TOCHA_API const tocha_module_class *tocha_module_class_at(int index);
/* Returns true if modules of the class can be called without a host object. */
TOCHA_API bool tocha_module_class_has_forward(const tocha_module_class *class_);
/* Runs the constructor of the class for a module made with tocha_module_new. `args` are complete
 * arguments of the class. */
TOCHA_API bool tocha_module_init(tocha_context *cx, tocha_module *module, const tocha_arg *args);
/* Returns the argument that the constructor received for the parameter of this name, or NULL if
 * there is no such parameter. */
TOCHA_API tocha_arg *tocha_module_option(const tocha_module *module, const char *name);
/* Replaces the option of parameter number `index` by `value`; strings and lists are copied. */
TOCHA_API bool tocha_module_set_option(tocha_context *cx, tocha_module *module, int index,
                                       const tocha_arg *value);
/* Returns true if an option that may be a list was given as one number and stays a number
 * (kernel_size=2). */
static inline bool tocha_option_is_number(const tocha_module_class *class_,
                                          const tocha_parameter *parameter,
                                          const tocha_arg *option) {
  return parameter->single && option->count == 1 && !class_->list_length;
}
/* Calls the forward of the class and not that of the host object. The forward of a class that
 * extends it calls this. */
TOCHA_API tocha_tensor *tocha_module_forward_builtin(tocha_context *cx, tocha_module *module,
                                                     int count, tocha_tensor *const *inputs);
/* Calls the forward with complete arguments of the class's call signature (class->call). All
 * results are in results->fixed, NULL for one that was not asked for; they belong to the scope.
 * builtin: the forward of the class, not that of the host object. */
TOCHA_API bool tocha_module_call_arguments(tocha_context *cx, tocha_module *module,
                                           const tocha_arg *args, bool builtin,
                                           tocha_results *results);
/* Calls the forward with tensors and returns all results: results->count tensors in results->fixed, owned by the
 * scope. */
TOCHA_API bool tocha_module_forward_results(tocha_context *cx, tocha_module *module, int count,
                                            tocha_tensor *const *inputs, tocha_results *results);
/* Copies a module without its children. Class, name, options, mode and host object are the same;
 * each parameter and buffer is the tensor that `replace` returns for it, which may be the result
 * of an operator. The caller owns the copy. */
TOCHA_API tocha_module *
tocha_module_replica(tocha_context *cx, const tocha_module *module,
                     tocha_tensor *(*replace)(void *user, tocha_tensor *tensor), void *user);

/* A function of torch.nn.init: fills its first argument and returns it. */
typedef struct tocha_initializer {
  const char *name;
  const tocha_parameter *parameters;
  int parameter_count, positional;
  tocha_tensor *(*call)(tocha_context *cx, const tocha_arg *args);
} tocha_initializer;

/* Returns initializer number `index`, or NULL after the last. */
TOCHA_API const tocha_initializer *tocha_initializer_at(int index);

#ifdef __cplusplus
}
#endif
#endif

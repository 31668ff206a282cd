/* arguments.h: the reader of arguments, from the values of a call to the arguments of a
 * signature. Every function of torch uses it. arguments.c reads; argument_errors.c and
 * overload_errors.c refuse; tensor/operators.c and functions.c call. */
#ifndef TOCHA_ARGUMENTS_H
#define TOCHA_ARGUMENTS_H

#include "lua/binding.h"

/* The signature that a call is checked against. */
typedef struct signature {
  const char *function; /* the name in messages: "zeros", "Module.zero_grad", "Linear.__init__" */
  const tocha_parameter *parameters;
  uint8_t count, positional;
  /* 1 for a method, whose first parameter is self (not counted in messages of C++), else 0. */
  uint8_t self_count;
  /* The number of leading parameters, self included, for which a table is a value, not keywords. */
  uint8_t taken;
  bool any_keyword; /* also takes keywords that are not among the parameters */
  bool constructor; /* Python counts a self that is not among the parameters */
  bool python;      /* a Python function in PyTorch, whose errors are worded as Python's */
  bool aliases;     /* an operator, which also takes "input" for self, "axis" for dim */
  /* For Lua: only ints are converted. Other values are checked, and given by their stack index, as
   * for ANY. */
  bool values;
  bool spread;              /* a list may be given as one number, or spelled out in numbers */
  const char *hint;         /* for a call with too many arguments; may be NULL, like the next two */
  const char *keyword_hint; /* the hint if keywords were given */
  const tocha_python_words *words;
} signature;

/* The values of a call: n positional ones from stack index `first` on, and the keywords in the
 * table at index kw (0: none). */
typedef struct call {
  int first, n, kw;
} call;

/* The reason why a call does not fit. Its message is formatted only when it is raised. */
typedef struct mismatch {
  enum { FITS, TOO_MANY, MISSING, WRONG_KIND, WRONG_ELEMENT, UNKNOWN_KEYWORD, TWICE } reason;
  int parameter, position, index;
  int element; /* > 0: number of the element in a list (WRONG_ELEMENT: from 0, in a table) */
  bool by_keyword;
  const char *keyword;
} mismatch;

/* The signatures behind one name of an operator. */
typedef struct overloads {
  binding *binding;
  int count, self_count; /* self_count: 1 for a method */
  struct overload {
    signature signature;
    const tocha_op *op;
    bool refused; /* PyTorch has this signature, but Tocha does not implement it */
  } items[];
} overloads;

/* Memory for the lists of one call: an array on the C stack, then userdata on the Lua stack. */
typedef struct argument_arena {
  int64_t numbers[128];
  int used;
} argument_arena;

/* Applies the keyword rule to the arguments from `first` to the top, except the first `taken`
 * ones: a last table with nothing but string keys holds keywords. A table with string keys that
 * is the only argument is unpacked onto the stack. [-0, +?, e] */
call split_call(lua_State *L, int first, int taken);
/* Fits a call to a signature. If that succeeds, args (s->count of them) are complete, defaults
 * included. They point to values on the Lua stack and into a. Otherwise returns false with the
 * reason in *why. [-0, +?, e] */
bool fit_arguments(lua_State *L, const signature *s, const call *c, argument_arena *a,
                   tocha_arg *args, mismatch *why);
/* Fits a call likewise, but takes an empty last table, which may be an argument or keywords, as
 * an argument if one is missing: f(x, {}, {}). Changes *c accordingly. [-0, +?, e] */
bool fit_call(lua_State *L, const signature *s, call *c, argument_arena *a, tocha_arg *args,
              mismatch *why);
/* Splits and fits the arguments from `first` on, with the arena on the Lua stack. Raises if they
 * do not fit. [-0, +?, e] */
void read_arguments(lua_State *L, const signature *s, int first, tocha_arg *args);
/* Reads the value at `index`, which is assigned to a field called `name`. Raises if it does not
 * fit p. [-0, +?, e] */
void read_field(lua_State *L, const char *name, const tocha_parameter *p, int index,
                tocha_arg *arg);

bool is_list_parameter(const tocha_parameter *p);
/* Reads an integer, or a tensor that holds one. Returns false for another value. [-0, +0, e] */
bool to_integer(lua_State *L, int index, int64_t *value);
/* Returns the stack index of an argument of kind ANY, or 0 if it was omitted. */
static inline int any_index(const tocha_arg *arg) {
  return arg->given ? (int)arg->value.integer : 0;
}
int count_keywords(lua_State *L, int kw);
/* Returns the keyword that follows `after` (NULL: the first one) in alphabetical order, because
 * a table has no order. [-0, +0, e] */
const char *next_keyword(lua_State *L, int kw, const char *after);
bool is_required(const tocha_parameter *p);
/* Returns PyTorch's name of a parameter: "input" for self, and "end" for stop, because `end` is
 * not a name in Lua. */
const char *public_name(const tocha_parameter *p);
/* Returns the name that PyTorch's Python function has for a parameter, if it is another one, or
 * NULL. */
const char *python_name(const signature *s, int parameter);
/* Pushes the value given for the parameter `name`, under this name or another spelling of it.
 * Returns the value's index, or 0 if none was given. [-0, +(0|1), e] */
int push_keyword(lua_State *L, const signature *s, int kw, const char *name);
/* Returns true if `key`, a keyword in the table at kw, is the name of parameter p, or another
 * spelling of it. [-0, +0, e] */
bool is_name_of(lua_State *L, const signature *s, const tocha_parameter *p, const char *key,
                int kw);
/* Returns a keyword that matches no parameter, or NULL. [-0, +0, e] */
const char *unknown_keyword(lua_State *L, const signature *s, int kw);

/* Raises Python's error for a method that was called with a dot, without its object, and the
 * hint to write a colon. */
int raise_without_self(lua_State *L, const char *class, const char *method);
/* The functions for hints return a text or NULL. They may leave values on the stack, because an
 * error follows. [-0, +?, m]
 *
 * Returns the hint for a value that should be an integer and is a whole float, a string of digits
 * or a list with one of those. */
const char *number_hint(lua_State *L, int index);
/* Returns the hint for a value that should fit the parameter. */
const char *kind_hint(lua_State *L, const tocha_parameter *p, int index);
/* Returns the hint for a call whose last two arguments look like the two results of another call,
 * values and their indices. */
const char *results_hint(lua_State *L, const call *c);
/* Returns the hint for the first argument of a call that is a whole float or a string of digits, or
 * NULL. */
const char *call_hint(lua_State *L, const call *c);
/* Returns the hint for torch:randn(3), a method call of a table at index 1, or NULL. */
const char *colon_of_namespace_hint(lua_State *L);
/* Raises PyTorch's error for the mismatch. */
int raise_mismatch(lua_State *L, const signature *s, const call *c, const mismatch *why);
/* Raises Python's error for a wrong name or number of arguments, which Python checks before it
 * looks at any value. Returns if both are right. [-0, +?, e] */
void complain_as_python(lua_State *L, const signature *s, const call *c);
/* Raises the error of the first operation that a Python function performs on an argument of the
 * wrong kind, if that operation fails. */
void complain_of_use(lua_State *L, const signature *s, const mismatch *why);
/* Raises the error of the operator behind a Python function for nil in a required place. The
 * operator checks such places before later ones. */
void complain_of_nil(lua_State *L, const signature *s, const mismatch *why, const tocha_arg *args);
/* Raises PyTorch's error for a call that fits no signature: about the first plausible signature,
 * or a list of all of them. args: space for the arguments of any of them. */
int raise_no_overload(lua_State *L, const overloads *o, const call *c, argument_arena *a,
                      tocha_arg *args);

#endif

/* arguments.h: from the values of a call to the arguments of a signature: what arguments.c (reading), argument_errors.c
 * (refusing), tensor/operators.c and functions.c (calling) share. Every function of torch reads its arguments here. */
#ifndef TOCHA_ARGUMENTS_H
#define TOCHA_ARGUMENTS_H

#include "lua/binding.h"

/* What a call is held against. */
typedef struct signature {
  const char *function; /* as messages have it: "zeros", "Module.zero_grad", "Linear.__init__" */
  const tocha_parameter *parameters;
  uint8_t count, positional;
  uint8_t
      self_count; /* 1: a method, whose first parameter is self (not counted in messages of C++) */
  uint8_t taken; /* leading parameters, self among them, that a table is a value of, not keywords */
  bool any_keyword;         /* takes keywords that no parameter goes by, too */
  bool constructor;         /* Python counts a self that is not among the parameters */
  bool python;              /* a Python function in PyTorch: refused in Python's words */
  bool aliases;             /* an operator: "input" for self, "axis" for dim */
  bool values;              /* for Lua: all but an int is only checked, and given as an ANY is */
  bool spread;              /* a list may be given as one number, or spelled out in numbers */
  const char *hint;         /* for a call with too many arguments; may be NULL, as what follows */
  const char *keyword_hint; /* the same where keywords were given */
  const tocha_python_words *words;
} signature;

/* The values of a call: n positional ones from stack slot `first` on, keywords in the table at kw (0: none). */
typedef struct call {
  int first, n, kw;
} call;

/* Why a call does not fit; formatted only when it is raised. */
typedef struct mismatch {
  enum { FITS, TOO_MANY, MISSING, WRONG_KIND, WRONG_ELEMENT, UNKNOWN_KEYWORD, TWICE } reason;
  int parameter, position, index;
  int element; /* > 0: number `element` of a list (WRONG_ELEMENT: from 0, of a table) */
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
    bool refused; /* PyTorch has this signature; a call that fits it is not implemented */
  } items[];
} overloads;

/* Memory for the lists of one call: a piece of the C stack, then userdata on the Lua stack. */
typedef struct argument_arena {
  int64_t numbers[128];
  int used;
} argument_arena;

/* Applies the keyword rule (design 5.3) to the arguments from `first` to the top, except the `taken` first ones. A single
 * table of arguments is unpacked onto the stack. */
call split_call(lua_State *L, int first, int taken);
/* Fits a call to a signature: args (s->count of them) are complete, defaults included. Leaves what they point into on the
 * Lua stack and in a. */
bool fit_arguments(lua_State *L, const signature *s, const call *c, argument_arena *a,
                   tocha_arg *args, mismatch *why);
/* Does the same, but takes an empty last table, which may be an argument or keywords, as an argument if one is missing:
 * f(x, {}, {}). Changes *c accordingly. */
bool fit_call(lua_State *L, const signature *s, call *c, argument_arena *a, tocha_arg *args,
              mismatch *why);
/* Both, of the arguments from first on, with a on the Lua stack; raises where the call does not fit. */
void read_arguments(lua_State *L, const signature *s, int first, tocha_arg *args);
/* The same for one value, the assigned one of a field called name. */
void read_field(lua_State *L, const char *name, const tocha_parameter *p, int index,
                tocha_arg *arg);

bool is_list_parameter(const tocha_parameter *p);
/* An integer, or a tensor that holds one. */
bool to_integer(lua_State *L, int index, int64_t *value);
/* Where a value of kind ANY lies on the stack; 0 where it was left out. */
static inline int any_index(const tocha_arg *arg) {
  return arg->given ? (int)arg->value.integer : 0;
}
int count_keywords(lua_State *L, int kw);
/* Pushes the value given for a parameter's name (or another spelling of it): its index, or 0 and nothing. */
int push_keyword(lua_State *L, const signature *s, int kw, const char *name);
/* Whether a keyword among those at kw means parameter p. */
bool is_name_of(lua_State *L, const signature *s, const tocha_parameter *p, const char *key,
                int kw);
/* A keyword that no parameter goes by, or NULL. */
const char *unknown_keyword(lua_State *L, const signature *s, int kw);

/* A method was called with a dot, its object left out: raises what Python says of it, and the form with a colon. */
int raise_without_self(lua_State *L, const char *class, const char *method);
/* These return a hint for values that do not fit, or NULL. They may leave values on the stack, because an error follows.
 * [-0, +?, m]
 * For a value that should be an integer and is a whole float, a string of digits or a list with one number: */
const char *number_hint(lua_State *L, int index);
/* For a value that should fit the parameter: */
const char *kind_hint(lua_State *L, const tocha_parameter *p, int index);
/* For a call whose last two arguments look like the two results of another call, values and their indices: */
const char *results_hint(lua_State *L, const call *c);
/* Returns the hint for torch:randn(3), a method call of a table at index 1, or NULL. */
const char *colon_of_namespace_hint(lua_State *L);
/* Raises PyTorch's error for the mismatch. */
int raise_mismatch(lua_State *L, const signature *s, const call *c, const mismatch *why);
/* Python looks at the names and numbers of all arguments before anyone looks at a value: raises what it complains of
 * first, if it does. */
void complain_as_python(lua_State *L, const signature *s, const call *c);
/* No signature fits: raises what PyTorch says of its first plausible one, or of all. args: room for any of them. */
int raise_no_overload(lua_State *L, const overloads *o, const call *c, argument_arena *a,
                      tocha_arg *args);

#endif

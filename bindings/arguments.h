/* arguments.h: what arguments.c (reading), argument_errors.c (refusing) and
 * operators.c (calling) share. */
#ifndef TOCHA_ARGUMENTS_H
#define TOCHA_ARGUMENTS_H

#include "binding.h"

/* Why a list of arguments does not fit; formatted only when it is raised. */
typedef struct mismatch {
  enum { FITS, TOO_MANY, MISSING, WRONG_KIND, WRONG_ELEMENT, UNKNOWN_KEYWORD, TWICE } reason;
  int parameter, position, index;
  int element; /* > 0: number `element` of a list (WRONG_ELEMENT: from 0, of a table) */
  bool by_keyword;
  const char *keyword;
} mismatch;

/* The signatures behind one Lua name. */
typedef struct overloads {
  int count, self_count; /* self_count: 1 for a method */
  bool python;           /* a Python function in PyTorch: refused in Python's words */
  const tocha_op *ops[12];
} overloads;

/* Memory for the lists of one call: a piece of the C stack, then userdata on the Lua stack. */
typedef struct argument_arena {
  int64_t numbers[128];
  int used;
} argument_arena;

/* Fits arguments to parameters. Leaves what args point into on the Lua stack. alone: whether a list may
 * be spelled out in numbers (it is the only positional argument). */
bool fit_arguments(lua_State *L, const tocha_parameter *parameters, int count, int positional,
                   bool alone, int first, int n, int kw, argument_arena *a, tocha_arg *args,
                   mismatch *why);
bool is_list_parameter(const tocha_parameter *p);
/* An integer, or a tensor that holds one. */
bool to_integer(lua_State *L, int index, int64_t *value);
int count_keywords(lua_State *L, int kw);
/* Pushes the value given for a parameter's name or its alias: its index, or 0 and nothing. */
int push_keyword(lua_State *L, int kw, const char *name);
/* Quoted names as Python lists them: 'a', 'b', and 'c'. */
void list_python_names(char *text, size_t room, const char *const *names, int count);

int raise_mismatch(lua_State *L, const char *name, const tocha_parameter *parameters, int count,
                   int positional, int n, int self_count, const mismatch *why);
/* No signature fits: raises what PyTorch says of its first plausible one, or of all. */
int raise_no_overload(lua_State *L, const overloads *o, int first, int n, int kw,
                      const mismatch *whys);

#endif

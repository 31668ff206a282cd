/* python_arguments.c: the arguments of what is a Python function in PyTorch: constructors, methods
 * of modules and optimizers. The rule for keywords is the binding's; the messages are Python's. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "module.h"

static bool given(lua_State *L, int kw, const char *name) {
  bool found = kw && lua_getfield(L, kw, name) != LUA_TNIL;
  if (kw) lua_pop(L, 1);
  return found;
}

static void check_keywords(lua_State *L, const char *function, const tocha_parameter *parameters,
                           int count, int kw) {
  const char *names[33];
  int k = 0;
  for (int i = 0; i < count && k < 32; i++) names[k++] = parameters[i].name;
  names[k] = NULL;
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *key = lua_tostring(L, -1);
    bool known = false;
    for (int i = 0; i < count && !known; i++) known = strcmp(parameters[i].name, key) == 0;
    if (known) continue;
    const char *near = nearest_name(key, names);
    const char *hint = near ? lua_pushfstring(L, "did you mean '%s'?", near) : NULL;
    raise_hinted(L, TOCHA_TYPE_ERROR, hint, "%s() got an unexpected keyword argument '%s'",
                 function, key);
  }
}

/* "'a'", "'a' and 'b'", "'a', 'b', and 'c'" */
void list_python_names(char *text, size_t room, const char *const *names, int count) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && used < room; i++) {
    const char *before = i == 0 ? "" : i + 1 < count ? ", " : count == 2 ? " and " : ", and ";
    used += (size_t)snprintf(text + used, room - used, "%s'%s'", before, names[i]);
  }
}

static void check_numbers(lua_State *L, const char *function, const tocha_parameter *parameters,
                          int count, int positional, int n, int kw) {
  const char *missing[32];
  char names[512];
  int required = 0, absent = 0;
  for (int i = 0; i < count; i++) {
    bool needed = !parameters[i].optional && !parameters[i].has_default;
    if (needed && i < positional) required++;
    if (needed && i >= n && absent < 32 && !given(L, kw, parameters[i].name))
      missing[absent++] = parameters[i].name;
    if (i < n && given(L, kw, parameters[i].name))
      raise_message(L, TOCHA_TYPE_ERROR, "%s() got multiple values for argument '%s'", function,
                    parameters[i].name);
  }
  bool variadic = positional && parameters[positional - 1].variadic;
  if (n > positional && !variadic) {
    if (required < positional)
      raise_message(L, TOCHA_TYPE_ERROR,
                    "%s() takes from %d to %d positional arguments but %d were given", function,
                    required + 1, positional + 1, n + 1);
    raise_message(L, TOCHA_TYPE_ERROR, "%s() takes %d positional argument%s but %d were given",
                  function, positional + 1, positional ? "s" : "", n + 1);
  }
  if (absent) {
    list_python_names(names, sizeof names, missing, absent);
    raise_message(L, TOCHA_TYPE_ERROR, "%s() missing %d required positional argument%s: %s",
                  function, absent, absent > 1 ? "s" : "", names);
  }
}

/* A size that is no number reaches torch.empty in PyTorch, whose message says so. */
static void check_sizes(lua_State *L, const tocha_parameter *parameters, int count, int first,
                        int n) {
  if (count < 2 || strcmp(parameters[0].name, "in_features") != 0) return;
  for (int i = 1; i >= 0; i--) {
    if (i < n && lua_type(L, first + i) != LUA_TNUMBER && !to_tensor(L, first + i))
      raise_message(L, TOCHA_TYPE_ERROR,
                    "empty(): argument 'size' failed to unpack the object at pos %d with error "
                    "\"type must be tuple of ints,but got %s\"",
                    2 - i, python_type(L, first + i));
  }
}

int check_python_arguments(lua_State *L, const char *function, const tocha_parameter *parameters,
                           int count, int positional, int first, int *kw) {
  int n = split_arguments(L, first, kw);
  if (*kw) check_keywords(L, function, parameters, count, *kw);
  check_numbers(L, function, parameters, count, positional, n, *kw);
  return n;
}

void read_python_arguments(lua_State *L, const char *function, const tocha_parameter *parameters,
                           int count, int positional, int first, tocha_arg *args) {
  int kw, n = check_python_arguments(L, function, parameters, count, positional, first, &kw);
  check_sizes(L, parameters, count, first, n);
  read_arguments(L, function, parameters, count, positional, first, n, kw, 0, args);
}

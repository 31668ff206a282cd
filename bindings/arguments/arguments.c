/* arguments.c: Lua values as the arguments of a parameter list: positions, keywords, kinds. */
#include <string.h>

#include "arguments/arguments.h"

/* --- splitting ------------------------------------------------------------------------------------- */

/* Replaces a table that is the only argument by its array part, which is placed below the table.
 * [-0, +count, v] */
static call unpack_table(lua_State *L, int table) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, table);
  if (count > 250) luaL_error(L, "too many arguments in a table");
  luaL_checkstack(L, (int)count + 8, "too many arguments");
  for (lua_Integer i = 1; i <= count; i++) lua_rawgeti(L, table, i);
  lua_rotate(L, table, (int)count);
  call c = {table, (int)count, table + (int)count};
  return c;
}

call split_call(lua_State *L, int first, int taken) {
  call c = {first, lua_gettop(L) - first + 1, 0};
  int strings, others, last = lua_gettop(L);
  if (c.n <= taken || lua_type(L, last) != LUA_TTABLE) {
    if (c.n < 0) c.n = 0;
    return c;
  }
  if (!lua_istable(L, last) || !is_plain_table(L, last, &strings, &others)) return c;
  if (c.n == taken + 1 && strings > 0) {
    c = unpack_table(L, last);
    c.first -= taken;
    c.n += taken;
  } else if (c.n > taken + 1 && others == 0) {
    c.kw = last;
    c.n--;
  }
  return c;
}

/* --- one value ---------------------------------------------------------------------------------------- */

static void *take(lua_State *L, argument_arena *a, size_t count) {
  if (count <= (size_t)(TOCHA_COUNT(a->numbers) - a->used)) {
    void *p = a->numbers + a->used;
    a->used += (int)count;
    return p;
  }
  need_stack(L, 2);
  return lua_newuserdatauv(L, count * 8, 0);
}

bool to_integer(lua_State *L, int index, int64_t *value) {
  int is_number;
  if (lua_isinteger(L, index)) {
    *value = lua_tointegerx(L, index, &is_number);
    return true;
  }
  tocha_tensor *t = to_tensor(L, index);
  tocha_scalar s;
  if (!t || tocha_numel(t) != 1 || tocha_dtype_is_floating(tocha_dtype_of(t)) ||
      tocha_device_of(t).type == TOCHA_META)
    return false;
  if (!tocha_item(CX(L), t, &s)) return false;
  *value = s.value.integer;
  return true;
}

/* Reads element i of a list, which is at stack index `index`. A boolean counts as an integer, as
 * in Python, except in first place, by which PyTorch chooses a signature. A bool tensor never
 * counts. Returns false for another value. */
static bool to_element(lua_State *L, int index, int i, int64_t *value) {
  tocha_tensor *t = to_tensor(L, index);
  if (t && tocha_dtype_of(t) == TOCHA_BOOL) return false;
  if (i == 0 || lua_type(L, index) != LUA_TBOOLEAN) return to_integer(L, index, value);
  *value = lua_toboolean(L, index);
  return true;
}

/* Returns true if the element on top is nil or "None" and the list may have absent elements. */
static bool is_hole(lua_State *L, const tocha_parameter *p) {
  if (!p->holes) return false;
  if (lua_type(L, -1) != LUA_TSTRING) return lua_isnil(L, -1);
  return strcmp(lua_tostring(L, -1), "None") == 0;
}

/* Returns true if the table at `index`, whose array part is empty, has entries: keywords in the
 * wrong place, not an empty list. [-0, +0, -] */
static bool is_dict(lua_State *L, int index) {
  lua_pushnil(L);
  if (!lua_next(L, index)) return false;
  lua_pop(L, 2);
  return true;
}

static bool to_ints(lua_State *L, int index, const tocha_parameter *p, argument_arena *a,
                    tocha_arg *arg) {
  int ndim;
  const int64_t *sizes = tocha_lua_to_size(L, index, &ndim);
  if (sizes || ndim == 0) {
    arg->value.ints = sizes;
    arg->count = ndim;
    return true;
  }
  if (lua_type(L, index) != LUA_TTABLE) return false;
  int count = table_length(L, index);
  if (count == 0 && is_dict(L, index)) return false;
  int64_t *numbers = take(L, a, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    bool hole = is_hole(L, p), ok = hole || to_element(L, -1, i, &numbers[i]);
    if (hole) numbers[i] = TOCHA_ABSENT;
    lua_pop(L, 1);
    if (!ok) return false;
  }
  arg->value.ints = numbers;
  arg->count = count;
  return true;
}

/* Reads a list of floats. A single number is a list of one. Returns false for another value. */
static bool to_floats(lua_State *L, int index, argument_arena *a, tocha_arg *arg) {
  bool one = lua_type(L, index) == LUA_TNUMBER;
  if (!one && lua_type(L, index) != LUA_TTABLE) return false;
  int count = one ? 1 : table_length(L, index);
  double *numbers = take(L, a, (size_t)count + 1);
  if (one) numbers[0] = lua_tonumber(L, index);
  for (int i = 0; i < count && !one; i++) {
    lua_rawgeti(L, index, i + 1);
    bool ok = lua_type(L, -1) == LUA_TNUMBER;
    numbers[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (!ok) return false;
  }
  arg->value.reals = numbers;
  arg->count = count;
  return true;
}

static bool to_tensors(lua_State *L, int index, argument_arena *a, tocha_arg *arg) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  int count = table_length(L, index);
  tocha_tensor **tensors = take(L, a, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1); /* the table keeps the tensor alive */
    tensors[i] = to_tensor(L, -1);
    lua_pop(L, 1);
    if (!tensors[i]) return false;
  }
  arg->value.tensors = tensors;
  arg->count = count;
  return true;
}

/* Reads a word for a convolution's padding as the number that stands for it. Returns false if
 * the value is not a text; raises for an unknown word. */
static bool to_word(lua_State *L, int index, int64_t *value) {
  if (lua_type(L, index) != LUA_TSTRING) return false;
  const char *word = lua_tostring(L, index);
  bool same = strcmp(word, "same") == 0;
  if (!same && strcmp(word, "valid") != 0)
    raise_message(L, TOCHA_VALUE_ERROR,
                  "Invalid padding string '%s', should be one of {'valid', 'same'}", word);
  *value = same ? TOCHA_PADDING_SAME : TOCHA_PADDING_VALID;
  return true;
}

static bool add_one(lua_State *L, int64_t one, argument_arena *a, tocha_arg *arg) {
  int64_t *number = take(L, a, 1);
  *number = one;
  arg->value.ints = number;
  arg->count = 1;
  return true;
}

/* Reads a list of integers. A single number is a list of one if the parameter allows it (for
 * variadic parameters: if `spread`). Returns false for another value. */
static bool read_list(lua_State *L, int index, const tocha_parameter *p, bool spread,
                      argument_arena *a, tocha_arg *arg) {
  int64_t one;
  if (to_ints(L, index, p, a, arg)) return true;
  if (p->words && to_word(L, index, &one)) return add_one(L, one, a, arg);
  bool one_is_enough = p->variadic ? spread : p->single || p->kind == TOCHA_KIND_DIMS;
  if (!one_is_enough || !to_integer(L, index, &one)) return false;
  return add_one(L, one, a, arg);
}

/* Reads the value at `index` for parameter p. Returns false if the value is of another kind. */
static bool read_value(lua_State *L, int index, const tocha_parameter *p, bool spread,
                       argument_arena *a, tocha_arg *arg) {
  memset(arg, 0, sizeof *arg);
  arg->given = true;
  switch (p->kind) {
  case TOCHA_KIND_ANY:
    arg->value.integer = index;
    return true;
  case TOCHA_KIND_TENSOR:
    return (arg->tensor = to_tensor(L, index)) != NULL;
  case TOCHA_KIND_OPERAND:
    return (arg->tensor = to_tensor(L, index)) != NULL || to_scalar(L, index, &arg->value.scalar);
  case TOCHA_KIND_SCALAR: {
    if (to_scalar(L, index, &arg->value.scalar)) return true;
    tocha_tensor *t = to_tensor(L, index);
    return t && tocha_ndim(t) == 0 && !tocha_requires_grad(t) &&
           tocha_item(CX(L), t, &arg->value.scalar);
  }
  case TOCHA_KIND_INT:
  case TOCHA_KIND_DIM:
  case TOCHA_KIND_INDEX:
    return to_integer(L, index, &arg->value.integer);
  case TOCHA_KIND_FLOAT: {
    if (lua_isboolean(L, index)) { /* in Python a bool is an int */
      arg->value.real = lua_toboolean(L, index);
      return true;
    }
    if (lua_type(L, index) != LUA_TNUMBER) {
      tocha_tensor *t = to_tensor(L, index);
      tocha_scalar s;
      if (!t || tocha_ndim(t) != 0 || !tocha_item(CX(L), t, &s)) return false;
      arg->value.real = tocha_scalar_real(s);
      return true;
    }
    arg->value.real = lua_tonumber(L, index);
    return true;
  }
  case TOCHA_KIND_BOOL:
    arg->value.flag = lua_toboolean(L, index);
    return lua_type(L, index) == LUA_TBOOLEAN;
  case TOCHA_KIND_STRING:
    if (lua_type(L, index) != LUA_TSTRING) return false;
    arg->value.string = check_c_string(L, index);
    return true;
  case TOCHA_KIND_DTYPE:
    return tocha_lua_to_dtype(L, index, &arg->value.dtype);
  case TOCHA_KIND_DEVICE:
    return tocha_lua_to_device(L, index, &arg->value.device);
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_SIZE:
    return read_list(L, index, p, spread, a, arg);
  case TOCHA_KIND_FLOATS:
    return to_floats(L, index, a, arg);
  case TOCHA_KIND_TENSORS:
    return !(p->variadic && p->stated) && to_tensors(L, index, a, arg);
  case TOCHA_KIND_GENERATOR:
    return (arg->value.generator = to_generator(L, index)) != NULL;
  default:
    return false;
  }
}

/* --- a complete call ----------------------------------------------------------------------------------- */

/* Other spellings that PyTorch allows for the name of a parameter. */
static const char *const aliases[][2] = {{"self", "input"},
                                         {"stop", "end"},
                                         {"dim", "axis"},
                                         {"keepdim", "keepdims"},
                                         {"tensors", "seq"}};

const char *python_name(const signature *s, int parameter) {
  bool own = s->python && !s->self_count && s->words && s->words->names;
  return own ? s->words->names[parameter] : NULL;
}

/* Pushes the value given under PyTorch's own name of a parameter, as push_keyword does. */
static int push_python_keyword(lua_State *L, const signature *s, int kw, const char *name) {
  for (int i = 0; i < s->count; i++) {
    const char *own = python_name(s, i);
    if (!own || strcmp(s->parameters[i].name, name) != 0) continue;
    if (lua_getfield(L, kw, own) != LUA_TNIL) return lua_gettop(L);
    lua_pop(L, 1);
  }
  return 0;
}

int push_keyword(lua_State *L, const signature *s, int kw, const char *name) {
  if (lua_getfield(L, kw, name) != LUA_TNIL) return lua_gettop(L);
  lua_pop(L, 1);
  if (s->python && s->words && s->words->names && push_python_keyword(L, s, kw, name))
    return lua_gettop(L);
  if (!s->aliases) return 0;
  for (int i = 0; i < TOCHA_COUNT(aliases); i++) {
    if (name[0] != aliases[i][0][0] || strcmp(name, aliases[i][0]) != 0) continue;
    if (lua_getfield(L, kw, aliases[i][1]) != LUA_TNIL) return lua_gettop(L);
    lua_pop(L, 1);
  }
  return 0;
}

const char *next_keyword(lua_State *L, int kw, const char *after) {
  const char *first = NULL;
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name && (!after || strcmp(name, after) > 0) && (!first || strcmp(name, first) < 0))
      first = name;
    lua_pop(L, 1);
  }
  return first;
}

/* The keywords of a call: their number, and a bit for each letter with which one begins. */
typedef struct keyword_set {
  int count;
  uint32_t letters;
} keyword_set;

static uint32_t letter_of(const char *name) { return 1U << (name[0] & 31); }

static keyword_set keywords_in(lua_State *L, int kw) {
  keyword_set set = {0, 0};
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    set.count++;
    set.letters |= letter_of(lua_tostring(L, -1));
  }
  return set;
}

int count_keywords(lua_State *L, int kw) { return keywords_in(L, kw).count; }

/* Returns false if no keyword begins as the name of the parameter or as another spelling of it does, so that
 * push_keyword, which makes a string in Lua for each spelling, would find none. */
static bool may_be_given(const signature *s, const char *name, uint32_t letters) {
  if (letters & letter_of(name) || (s->python && s->words && s->words->names)) return true;
  for (int i = 0; s->aliases && i < TOCHA_COUNT(aliases); i++)
    if (name[0] == aliases[i][0][0] && letters & letter_of(aliases[i][1])) return true;
  return false;
}

bool is_name_of(lua_State *L, const signature *s, const tocha_parameter *p, const char *key,
                int kw) {
  if (strcmp(p->name, key) == 0) return true;
  const char *own = python_name(s, (int)(p - s->parameters));
  if (own && strcmp(own, key) == 0) return true;
  for (int i = 0; s->aliases && i < TOCHA_COUNT(aliases); i++) {
    if (strcmp(p->name, aliases[i][0]) != 0 || strcmp(key, aliases[i][1]) != 0) continue;
    bool both = lua_getfield(L, kw, p->name) != LUA_TNIL; /* then the alias is an unknown keyword */
    lua_pop(L, 1);
    return !both;
  }
  return false;
}

const char *unknown_keyword(lua_State *L, const signature *s, int kw) {
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *key = lua_tostring(L, -1);
    bool known = false;
    for (int i = 0; i < s->count && !known; i++)
      known = is_name_of(L, s, &s->parameters[i], key, kw);
    if (known) continue;
    lua_pop(L, 1); /* the table keeps the text */
    return key;
  }
  return NULL;
}

bool is_list_parameter(const tocha_parameter *p) {
  return p->kind == TOCHA_KIND_INTS || p->kind == TOCHA_KIND_DIMS || p->kind == TOCHA_KIND_SIZE;
}

/* Reads the numbers from argument `at` on as one list: zeros(2, 3). Returns false with the
 * reason in *why if one of them is something else. */
static bool gather_numbers(lua_State *L, const call *c, int at, argument_arena *a, tocha_arg *arg,
                           mismatch *why) {
  int64_t *numbers = take(L, a, (size_t)(c->n - at) + 1);
  for (int i = at; i < c->n; i++) {
    if (!to_element(L, c->first + i, i - at, &numbers[i - at])) {
      why->reason = WRONG_KIND;
      why->index = c->first + i;
      why->element = i - at;
      return false;
    }
  }
  arg->value.ints = numbers;
  return true;
}

/* Reads the tensors from argument `at` on as one list: broadcast_tensors(a, b). Returns false
 * with the reason in *why if one of them is something else. */
static bool gather_tensors(lua_State *L, const call *c, int at, argument_arena *a, tocha_arg *arg,
                           mismatch *why) {
  tocha_tensor **tensors = take(L, a, (size_t)(c->n - at) + 1);
  for (int i = at; i < c->n; i++) {
    tensors[i - at] = to_tensor(L, c->first + i);
    if (!tensors[i - at]) {
      why->reason = WRONG_KIND;
      why->index = c->first + i;
      why->position = i;
      return false;
    }
  }
  arg->value.tensors = tensors;
  return true;
}

/* Returns true if the values from argument `at` on are the elements of parameter i, which takes
 * a list. */
static bool is_spelled_out(lua_State *L, const signature *s, const call *c, int i, int at) {
  const tocha_parameter *p = &s->parameters[i];
  if (p->kind == TOCHA_KIND_ANY) return true;
  if (p->kind == TOCHA_KIND_TENSORS) return to_tensor(L, c->first + at) || c->n - at > 1;
  int64_t ignored;
  return s->spread && i + 1 == s->positional &&
         (lua_isinteger(L, c->first + at) ||
          (c->n - at > 1 && to_element(L, c->first + at, 0, &ignored)));
}

/* Reads the values from argument `at` on as one list. Returns false with the reason in *why if
 * they do not fit, or if a keyword has the parameter's name. */
static bool gather(lua_State *L, const signature *s, const call *c, int i, int at,
                   argument_arena *a, tocha_arg *arg, mismatch *why) {
  const tocha_parameter *p = &s->parameters[i];
  if (c->kw && push_keyword(L, s, c->kw, p->name)) {
    why->reason = TWICE;
    return false;
  }
  memset(arg, 0, sizeof *arg);
  arg->given = true;
  arg->count = c->n - at;
  if (p->kind == TOCHA_KIND_TENSORS) return gather_tensors(L, c, at, a, arg, why);
  if (p->kind != TOCHA_KIND_ANY) return gather_numbers(L, c, at, a, arg, why);
  arg->value.integer = c->first + at;
  return true;
}

/* Returns true if a table of the wrong kind begins as a list of integers. PyTorch looks at the
 * first element to choose a signature, and complains of the others afterwards. */
static bool finds_wrong_element(lua_State *L, const tocha_parameter *p, mismatch *why) {
  int64_t ignored;
  if (!is_list_parameter(p) || lua_type(L, why->index) != LUA_TTABLE) return false;
  int count = table_length(L, why->index);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, why->index, i + 1);
    bool ok = to_element(L, -1, i, &ignored);
    lua_pop(L, 1);
    if (ok) continue;
    why->element = i;
    return i > 0;
  }
  return false;
}

/* Returns true if PyTorch refuses None for a parameter with a default. Its parser in C++ does. A
 * Python function does if it passes a list on to that parser, or uses the value. */
static bool refuses_none(const signature *s, const tocha_parameter *p) {
  if (!s->aliases || p->optional) return false;
  bool asked = s->words && s->words->uses && s->words->uses[p - s->parameters];
  return !s->python || asked || (s->words && s->words->inner && is_list_parameter(p));
}

/* Fills the argument of a parameter that was omitted (`index` 0), or given as nil at `index`.
 * Returns false if that is not allowed. */
static bool take_default(const signature *s, const tocha_parameter *p, int index, tocha_arg *arg,
                         mismatch *why) {
  why->reason = MISSING;
  /* if nil is given, it is None, if the parameter allows None */
  if (p->has_default && !(index && (p->optional || refuses_none(s, p)))) {
    *arg = p->default_value;
    arg->given = true;
    return true;
  }
  memset(arg, 0, sizeof *arg);
  why->reason = index ? WRONG_KIND : MISSING;
  why->index = index;
  if (p->kind == TOCHA_KIND_ANY && index) { /* nil is a value, too */
    arg->value.integer = index;
    arg->given = true;
    return true;
  }
  return p->optional && (index || !p->stated);
}

/* Returns true if the last positional parameter takes all values that follow. */
static bool takes_the_rest(const signature *s) {
  if (s->positional == 0) return false;
  const tocha_parameter *last = &s->parameters[s->positional - 1];
  return last->variadic && (s->spread || !is_list_parameter(last));
}

bool fit_arguments(lua_State *L, const signature *s, const call *c, argument_arena *a,
                   tocha_arg *args, mismatch *why) {
  int at = 0, keywords = 0, twice = -1;
  why->reason = TOO_MANY;
  why->element = 0;
  if (c->kw) need_stack(L, s->count + 8); /* the values of keywords stay on the stack */
  if (c->n > s->positional && !takes_the_rest(s)) return false;
  const keyword_set given = c->kw ? keywords_in(L, c->kw) : (keyword_set){0, 0};
  for (int i = 0; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    int index = 0;
    why->parameter = i;
    why->position = at;
    why->by_keyword = false;
    if (!p->keyword_only && at < c->n) {
      if (p->variadic && is_spelled_out(L, s, c, i, at)) {
        if (!gather(L, s, c, i, at, a, &args[i], why)) return false;
        at = c->n;
        continue;
      }
      index = c->first + at++;
    }
    if (keywords < given.count && may_be_given(s, p->name, given.letters)) {
      int found = push_keyword(L, s, c->kw, p->name);
      bool both =
          found && index && !lua_isnil(L, index); /* reported after values of a wrong kind */
      if (both && twice < 0) twice = i;
      why->by_keyword = found && !both;
      keywords += found != 0;
      if (found && !both) index = found;
    }
    if (!index || lua_isnil(L, index)) {
      if (!take_default(s, p, index, &args[i], why)) return false;
    } else if (!read_value(L, index, p, s->spread && !why->by_keyword, a, &args[i])) {
      bool more = p->variadic && is_list_parameter(p) && lua_istable(L, index) && at < c->n;
      why->index = index;
      why->reason = more                             ? TOO_MANY /* a list stands alone */
                    : finds_wrong_element(L, p, why) ? WRONG_ELEMENT
                                                     : WRONG_KIND;
      return false;
    } else if (s->values && p->kind != TOCHA_KIND_INT) {
      args[i].value.integer = index;
    }
  }
  why->reason = TOO_MANY;
  if (at < c->n) return false;
  why->reason = UNKNOWN_KEYWORD;
  if (keywords < given.count && !s->any_keyword && (why->keyword = unknown_keyword(L, s, c->kw)))
    return false;
  why->reason = TWICE;
  why->parameter = twice;
  return twice < 0;
}

bool fit_call(lua_State *L, const signature *s, call *c, argument_arena *a, tocha_arg *args,
              mismatch *why) {
  if (fit_arguments(L, s, c, a, args, why)) return true;
  if (why->reason != MISSING || !c->kw || c->kw != c->first + c->n || count_keywords(L, c->kw))
    return false;
  const call whole = {c->first, c->n + 1, 0};
  mismatch other;
  a->used = 0;
  bool fits = fit_arguments(L, s, &whole, a, args, &other);
  if (!fits && other.reason != MISSING) return false;
  *c = whole;
  *why = other;
  return fits;
}

void read_arguments(lua_State *L, const signature *s, int first, tocha_arg *args) {
  call c = split_call(L, first, s->taken);
  argument_arena *a = lua_newuserdatauv(L, sizeof *a, 0); /* the arena must outlive this function */
  mismatch why;
  a->used = 0;
  if (fit_call(L, s, &c, a, args, &why)) return;
  if (tocha_failed(CX(L))) raise_error(L);
  raise_mismatch(L, s, &c, &why);
}

void read_field(lua_State *L, const char *name, const tocha_parameter *p, int index,
                tocha_arg *arg) {
  tocha_parameter field = *p;
  field.keyword_only = false;
  signature s = {
      .function = name, .parameters = &field, .count = 1, .positional = 1, .spread = true};
  call c = {index, 1, 0};
  argument_arena *a = lua_newuserdatauv(L, sizeof *a, 0);
  mismatch why;
  a->used = 0;
  if (!fit_arguments(L, &s, &c, a, arg, &why)) raise_mismatch(L, &s, &c, &why);
}

/* error.c: the runtime's errors as Lua errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/interrupt.h"
#include "sandbox/confined.h"

static const char ERROR_TYPE[] = "tocha.error";
/* Registry: the Lua error that C functions are passing on, the context's error number
 * binding.pending_number, or this address itself if there is none. The entry is never nil, so that
 * setting it needs no memory. */
static const char pending_key = 0;

static const char *const code_names[] = {"",
                                         "RuntimeError",
                                         "IndexError",
                                         "TypeError",
                                         "ValueError",
                                         "KeyError",
                                         "AttributeError",
                                         "NotImplementedError",
                                         "OutOfMemoryError",
                                         "KeyboardInterrupt",
                                         "AssertionError",
                                         "OSError",
                                         "FileNotFoundError",
                                         "EOFError",
                                         "BufferError",
                                         "DistError",
                                         "DistBackendError",
                                         "DistStoreError",
                                         "DistNetworkError"};

tocha_error_code error_code(const char *name) {
  for (int i = 1; i < TOCHA_COUNT(code_names); i++)
    if (strcmp(name, code_names[i]) == 0) return (tocha_error_code)i;
  return TOCHA_RUNTIME_ERROR;
}

bool push_position(lua_State *L) {
  lua_Debug ar;
  if (find_program_level(L, 1, &ar) < 0) return false;
  lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
  return true;
}

static void set_text(lua_State *L, const char *field, const char *text) {
  if (!text || !text[0]) return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, field);
}

static void push_error(lua_State *L, tocha_error_code code, const char *message, const char *hint,
                       const char *op, const char *path) {
  if (code == TOCHA_MEMORY_ERROR) end_for_memory(L);
  need_stack(L, 10);
  if (!hint || !hint[0]) hint = cure_of(message);
  path = binding_of(L)->hooks->push_module_path(L, path);
  lua_createtable(L, 0, 8);
  set_text(L, "message", message[0] ? message : " ");
  set_text(L, "code", code_names[code]);
  set_text(L, "hint", hint);
  set_text(L, "op", op);
  set_text(L, "path", path);
  if (push_position(L)) lua_setfield(L, -2, "position");
  push_traceback(L, 1);
  lua_setfield(L, -2, "traceback");
  luaL_setmetatable(L, ERROR_TYPE);
  lua_remove(L, -2); /* the path */
}

void push_hinted_error(lua_State *L, tocha_error_code code, const char *hint, const char *message) {
  push_error(L, code, message, hint, NULL, NULL);
}

TOCHA_NORETURN static void raise(lua_State *L, tocha_error_code code, const char *message,
                                 const char *hint, const char *op, const char *path) {
  binding *b = binding_of(L);
  end_left_scopes(L, b);
  if (code == TOCHA_INTERRUPTED && b->interruptible) note_interrupted(L, b->interruptible);
  push_error(L, code, message, hint, op, path);
  lua_error(L);
  for (;;) { /* lua_error does not return, and cannot say so */
  }
}

static void forget_pending(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&pending_key);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &pending_key);
}

/* Pushes the Lua error that is the context's and returns true, or pushes another value and returns
 * false if the context's error is not Lua's. [-0, +1, -] */
static bool push_pending(lua_State *L, const binding *b) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &pending_key);
  return tocha_failed(b->cx) && tocha_error_number(b->cx) == b->pending_number &&
         lua_touserdata(L, -1) != &pending_key;
}

/* Keeps the Lua error on top, which has become the context's. [-1, +0, -] */
static void keep_pending(lua_State *L) {
  binding *b = binding_of(L);
  b->pending_number = tocha_error_number(b->cx);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &pending_key);
}

void push_context_error(lua_State *L) {
  binding *b = binding_of(L);
  tocha_context *cx = b->cx;
  need_stack(L, 8);
  end_left_scopes(L, b);
  if (push_pending(L, b)) {
    tocha_clear_error(cx);
    forget_pending(L);
    return;
  }
  lua_pop(L, 1);
  const tocha_error_info *e = tocha_error(cx);
  /* the texts must outlive the clearing: they move to the Lua stack first */
  tocha_error_code code = e->code;
  const char *message = lua_pushstring(L, e->message);
  const char *hint = lua_pushstring(L, e->hint);
  const char *op = lua_pushstring(L, e->op);
  const char *path = lua_pushstring(L, e->path);
  tocha_clear_error(cx);
  if (code == TOCHA_INTERRUPTED && b->interruptible) note_interrupted(L, b->interruptible);
  push_error(L, code, message, hint, op, path);
  lua_replace(L, -5);
  lua_pop(L, 3);
}

int raise_error(lua_State *L) {
  push_context_error(L);
  lua_error(L);
  for (;;) { /* lua_error does not return, and cannot say so */
  }
}

static int copy_text(lua_State *L) {
  lua_pushstring(L, lua_touserdata(L, 1));
  return 1;
}

int push_text(lua_State *L, char *text) {
  if (!text) return raise_error(L);
  lua_pushcfunction(L, copy_text);
  lua_pushlightuserdata(L, text);
  int status = lua_pcall(L, 1, 1, 0);
  free(text);
  return status == LUA_OK ? 1 : lua_error(L);
}

int raise_long(lua_State *L, tocha_error_code code, const char *hint, const char *message) {
  raise(L, code, message, hint, NULL, NULL);
}

int raise_message(lua_State *L, tocha_error_code code, const char *format, ...) {
  char message[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  raise(L, code, message, NULL, NULL, NULL);
}

int raise_hinted(lua_State *L, tocha_error_code code, const char *hint, const char *format, ...) {
  char message[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  raise(L, code, message, hint, NULL, NULL);
}

bool is_torch_error(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  luaL_getmetatable(L, ERROR_TYPE);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

static int text_of(lua_State *L);

/* Returns true if the text is asked for an error that was not caught. The asking function is
 * then a C function (the message handler of `lua`, `tocha` or a host), called by the C function
 * that raises the error. tostring and print are not such handlers. [-0, +0, e] */
static bool is_uncaught(lua_State *L) {
  static const char *const others[] = {"tostring", "print"};
  lua_Debug handler, raiser;
  if (!lua_getstack(L, 1, &handler) || !lua_getstack(L, 2, &raiser)) return false;
  lua_getinfo(L, "Sf", &handler);
  lua_getinfo(L, "S", &raiser);
  bool uncaught = *handler.what == 'C' && *raiser.what == 'C' && lua_tocfunction(L, -1) != text_of;
  for (int i = 0; i < TOCHA_COUNT(others); i++) {
    lua_getglobal(L, others[i]);
    uncaught = uncaught && !lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return uncaught;
}

/* Pushes the message, then the place of the error, then the hint. [-0, +1, e] */
void push_error_text(lua_State *L, int index) {
  static const char *const fields[][2] = {
      {"message", ""}, {"path", "\nin "}, {"position", "\nat "}, {"hint", "\nhint: "}};
  index = lua_absindex(L, index);
  lua_pushliteral(L, "");
  for (int i = 0; i < TOCHA_COUNT(fields); i++) {
    lua_pushstring(L, fields[i][1]);
    if (lua_getfield(L, index, fields[i][0]) == LUA_TSTRING)
      lua_concat(L, 3);
    else
      lua_pop(L, 2);
  }
}

/* Returns the text of an error, with its stack if the error was not caught. */
static int error_tostring(lua_State *L) {
  lua_settop(L, 1);
  bool uncaught = is_uncaught(L);
  push_error_text(L, 1);
  if (!uncaught || lua_getfield(L, 1, "traceback") != LUA_TSTRING) {
    lua_settop(L, 2);
    return 1;
  }
  lua_pushliteral(L, "\n");
  lua_insert(L, -2);
  lua_concat(L, 3);
  return 1;
}

/* Calls a function of the library string, its upvalue, with an error replaced by its text. */
static int call_string_method(lua_State *L) {
  if (is_torch_error(L, 1)) {
    push_error_text(L, 1);
    lua_replace(L, 1);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* Makes the methods of strings work on an error's text: e:match "shape". */
static int error_index(lua_State *L) {
  lua_pushliteral(L, "");
  if (luaL_getmetafield(L, -1, "__index") != LUA_TTABLE) return 0;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TFUNCTION) return 0;
  lua_pushcclosure(L, call_string_method, 1);
  return 1;
}

static int error_len(lua_State *L) {
  push_error_text(L, 1);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
  return 1;
}

static int error_concat(lua_State *L) {
  show_value(L, 1, NULL);
  show_value(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

static int text_of(lua_State *L) {
  show_value(L, 1, NULL);
  return 1;
}

const char *error_field(lua_State *L, int index, const char *field) {
  lua_pushstring(L, field);
  const char *text = lua_rawget(L, index) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  lua_pop(L, 1); /* the error keeps the text */
  return text;
}

/* (error, light userdata: context) Makes the fields of an error of torch the context's error. */
static int fail_with_fields(lua_State *L) {
  tocha_context *cx = lua_touserdata(L, 2);
  tocha_error_code code = error_code(error_field(L, 1, "code"));
  const char *message = error_field(L, 1, "message"), *hint = error_field(L, 1, "hint");
  const char *path = error_field(L, 1, "path");
  tocha_fail(cx, code, "%s", message);
  if (*hint) tocha_hint(cx, "%s", hint);
  if (*path) tocha_fail_in(cx, path);
  return 0;
}

void fail_with_lua_error(lua_State *L, tocha_context *cx) {
  bool shown = lua_type(L, -1) ==
               LUA_TSTRING; /* a string needs no conversion: there may be no memory for a call */
  if (is_torch_error(L, -1)) {
    lua_pushcfunction(L, fail_with_fields);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, cx);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) {
      keep_pending(L);
      return;
    }
    lua_pop(L, 1);
  }
  if (shown) {
    lua_pushvalue(L, -1);
  } else {
    lua_pushcfunction(L, text_of);
    lua_pushvalue(L, -2);
    shown = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s",
             shown ? lua_tostring(L, -1) : "(error object is not a string)");
  lua_pop(L, 1);
  if (shown && !lua_isnil(L, -1)) {
    keep_pending(L);
  } else { /* error(nil), or the object could not be shown */
    lua_pop(L, 1);
    forget_pending(L);
  }
}

void open_errors(lua_State *L) {
  forget_pending(L);
  static const luaL_Reg events[] = {{"__tostring", error_tostring},
                                    {"__concat", error_concat},
                                    {"__index", error_index},
                                    {"__len", error_len},
                                    {NULL, NULL}};
  new_metatable(L, ERROR_TYPE, events);
  lua_createtable(L, 0, 1); /* the metatable that scripts see: libraries for tests read it */
  lua_pushcfunction(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, "torch.Error");
  lua_setfield(L, -2, "__name");
  lua_pop(L, 1);
}

/* Returns the Levenshtein distance of `a` and `b`, or `limit` if the distance is larger or a
 * text is longer than 62 bytes. */
static int distance(const char *a, const char *b, int limit) {
  int n = (int)strlen(b), row[64];
  if (n > 62 || strlen(a) > 62) return limit;
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n] < limit ? row[n] : limit;
}

nearest nearest_to(const char *text) {
  size_t length = strlen(text);
  nearest n = {text, NULL, length <= 1 ? 1 : length <= 3 ? 2 : length <= 6 ? 3 : 4};
  return n;
}

void compare_name(nearest *n, const char *name) {
  int d = distance(n->text, name, n->best);
  if (d >= n->best) return;
  n->best = d;
  n->name = name;
}

void compare_keys(lua_State *L, int index, nearest *n) {
  index = lua_absindex(L, index);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && (lua_tostring(L, -2)[0] != '_' || n->text[0] == '_'))
      compare_name(n, lua_tostring(L, -2)); /* the table keeps the text */
}

const char *nearest_key(lua_State *L, int index, const char *text) {
  nearest n = nearest_to(text);
  compare_keys(L, index, &n);
  return n.name;
}

/* support.c: functions in C for the parts written in Lua: errors in PyTorch's words, the clock,
 * how the library was built, the digits. */
#include <string.h>

#include "lua/binding.h"
#include "platform/platform.h"
#include "sandbox/confined.h"

/* --- errors -------------------------------------------------------------------------------------- */

/* torch._raise(kind, message [, hint]) raises an error like the library's own. kind:
 * "ValueError", ... */
static int raise_from_lua(lua_State *L) {
  tocha_error_code code = error_code(luaL_checkstring(L, 1));
  return raise_long(L, code, luaL_optstring(L, 3, NULL), luaL_checkstring(L, 2));
}

/* torch._python_type(value) returns the name of a value's type in Python: "int", "str",
 * "Tensor", ... */
static int type_of_value(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, python_type(L, 1));
  return 1;
}

/* torch._nearest(text, {names}) returns the name that was probably meant, or nil. */
static int nearest_in(lua_State *L) {
  nearest near = nearest_to(luaL_checkstring(L, 1));
  luaL_checktype(L, 2, LUA_TTABLE);
  int count = table_length(L, 2);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, 2, i);
    if (lua_type(L, -1) == LUA_TSTRING) compare_name(&near, lua_tostring(L, -1));
    lua_pop(L, 1); /* the table keeps the text */
  }
  lua_pushstring(L, near.name);
  return 1;
}

/* --- the machine --------------------------------------------------------------------------------- */

/* torch._clock() returns the seconds of a clock that is never set. */
static int clock_seconds(lua_State *L) {
  lua_pushnumber(L, 1e-9 * (lua_Number)platform_nanoseconds());
  return 1;
}

static void set_string(lua_State *L, const char *field, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, field);
}

/* torch._processors() returns the number of processors that this process may use. */
static int processors(lua_State *L) {
  lua_pushinteger(L, platform_usable_processors());
  return 1;
}

/* torch._process() returns the name of the machine, the number of this process, and the folder in
 * which it works; to a sandbox "localhost", 1 and ".". */
static int process(lua_State *L) {
  char text[4096];
  if (is_sandboxed(L)) {
    lua_pushliteral(L, "localhost");
    lua_pushinteger(L, 1);
    lua_pushliteral(L, ".");
    return 3;
  }
  lua_pushstring(L, platform_machine_name(text, sizeof text) ? text : "localhost");
  lua_pushinteger(L, platform_process_number());
  lua_pushstring(L, platform_current_folder(text, sizeof text) ? text : ".");
  return 3;
}

/* torch._onednn() opens oneDNN and returns its version, or nil if it is missing. */
static int onednn(lua_State *L) {
  char text[64];
  lua_pushstring(L, tocha_onednn_version(CX(L), text, sizeof text));
  return 1;
}

/* torch._blas() opens OpenBLAS and returns its version, or nil if it is missing. */
static int blas(lua_State *L) {
  char text[64];
  lua_pushstring(L, tocha_blas_version(text, sizeof text));
  return 1;
}

/* torch._build() returns a table: how this library was built, and the processor's instructions
 * in use. */
static int build(lua_State *L) {
  lua_createtable(L, 0, 9);
  set_string(L, "version", tocha_version());
  set_string(L, "lua", LUA_RELEASE);
#if defined(__clang__)
  set_string(L, "compiler", "clang " __clang_version__);
#elif defined(__GNUC__)
  set_string(L, "compiler", "gcc " __VERSION__);
#else
  set_string(L, "compiler", "unknown");
#endif
  set_string(L, "kernels", tocha_instruction_set());
  set_string(L, "bfloat16", tocha_has_bfloat16_products() ? "AVX512-BF16" : "float32");
#ifdef TOCHA_BUILD_FLAGS
  set_string(L, "flags", TOCHA_BUILD_FLAGS);
#endif
#ifdef TOCHA_BUILD_SLEEF
  set_string(L, "sleef", TOCHA_BUILD_SLEEF);
#endif
  return 1;
}

/* --- the digits ---------------------------------------------------------------------------------- */

enum { DIGIT_VALUES = 64, DIGIT_ROW = DIGIT_VALUES + 1 };

/* torch._digits() returns the images, grey values / 16 as float32 (1797, 1, 8, 8), and the
 * labels, int64 (1797). */
static int digits(lua_State *L) {
  tocha_context *cx = CX(L);
  int64_t n = (int64_t)(digits_size / DIGIT_ROW), sizes[4] = {n, 1, 8, 8};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *images = tocha_new(cx, 4, sizes, TOCHA_FLOAT32, tocha_cpu());
  tocha_tensor *labels = images ? tocha_new(cx, 1, &n, TOCHA_INT64, tocha_cpu()) : NULL;
  if (labels) {
    float *image = tocha_data(images);
    int64_t *label = tocha_data(labels);
    for (int64_t i = 0; i < n; i++) {
      const unsigned char *row = digits_data + i * DIGIT_ROW;
      for (int k = 0; k < DIGIT_VALUES; k++) image[i * DIGIT_VALUES + k] = (float)row[k] / 16.0F;
      label[i] = row[DIGIT_VALUES];
    }
    push_tensor(L, images);
    push_tensor(L, labels);
  }
  tocha_scope_end(cx, scope, NULL);
  return labels ? 2 : raise_error(L);
}

/* --- registration -------------------------------------------------------------------------------- */

void open_support(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"_raise", raise_from_lua},
                                       {"_keep_traceback", keep_traceback},
                                       {"_python_type", type_of_value},
                                       {"_nearest", nearest_in},
                                       {"_clock", clock_seconds},
                                       {"_build", build},
                                       {"_onednn", onednn},
                                       {"_blas", blas},
                                       {"_digits", digits},
                                       {"_processors", processors},
                                       {"_process", process},
                                       {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

/* lua_batches_test.c: the loader in C gives the batches of Lua's DataLoader, which are PyTorch's (spec/lua), and leaves the
 * generators as it does. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tocha/data.h"
#include "tocha/lua.h"
#include "tocha/tocha.h"

static const char SCRIPT[] =
    "local torch = require 'torch'\n"
    "local data = torch.utils.data\n"
    "return function(n, batch_size, shuffle, drop_last, given)\n"
    "  torch.manual_seed(7)\n"
    "  local generator = given and torch.Generator():manual_seed(3) or nil\n"
    "  local set = data.TensorDataset(torch.arange(n))\n"
    "  local loader = data.DataLoader(set, {batch_size = batch_size, shuffle = shuffle, drop_last "
    "= drop_last, generator = generator})\n"
    "  local seen = {}\n"
    "  for pass = 1, 2 do\n"
    "    for x in loader do\n"
    "      for _, v in ipairs(x:tolist()) do seen[#seen + 1] = v end\n"
    "      seen[#seen + 1] = -1\n"
    "    end\n"
    "  end\n"
    "  seen[#seen + 1] = torch.randint(1000, {1}):item()\n"
    "  seen[#seen + 1] = given and torch.randint(1000, {1}, {generator = generator}):item() or 0\n"
    "  seen[#seen + 1] = #loader\n"
    "  return seen\n"
    "end\n";

enum { ROOM = 400 };

static int64_t draw(tocha_context *cx, tocha_generator *generator) {
  int64_t one = 1;
  tocha_tensor *t =
      tocha_randint_full(cx, 0, 1000, 1, &one, generator, TOCHA_INT64, tocha_cpu(), false);
  return *(const int64_t *)tocha_data(t);
}

/* Does in C what the script does. Returns the number of numbers. */
static int read_in_c(tocha_context *cx, const tocha_data_options *like, bool given, int64_t n,
                     int64_t *seen) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_manual_seed(cx, 7);
  tocha_generator *generator = given ? tocha_generator_new(cx, tocha_cpu()) : NULL;
  tocha_generator_reseed(generator, 3);
  tocha_tensor *all = tocha_arange(cx, tocha_int(n)), *batch;
  tocha_data_options options = *like;
  options.parts = 1;
  options.tensors = &all;
  options.generator = generator;
  tocha_data_loader *l = tocha_data_loader_new(cx, &options);
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    while (tocha_data_loader_next(cx, l, &batch)) {
      for (int64_t i = 0; i < tocha_numel(batch); i++)
        seen[count++] = ((const int64_t *)tocha_data(batch))[i];
      seen[count++] = -1;
    }
  seen[count++] = draw(cx, NULL);
  seen[count++] = given ? draw(cx, generator) : 0;
  seen[count++] = tocha_data_loader_length(l);
  tocha_data_loader_free(l);
  tocha_generator_free(cx, generator);
  tocha_scope_end(cx, scope, NULL);
  CHECK(!tocha_failed(cx));
  return count;
}

static void compare(lua_State *L, const tocha_data_options *o, bool given, int64_t n) {
  int64_t seen[ROOM];
  lua_pushvalue(L, 1);
  lua_pushinteger(L, n);
  lua_pushinteger(L, o->batch_size);
  lua_pushboolean(L, o->shuffle);
  lua_pushboolean(L, o->drop_last);
  lua_pushboolean(L, given);
  CHECK(lua_pcall(L, 5, 1, 0) == LUA_OK);
  int count = read_in_c(tocha_lua_context(L), o, given, n, seen);
  CHECK((lua_Unsigned)count == lua_rawlen(L, -1));
  bool same = true;
  for (int i = 0; i < count; i++) {
    same &= lua_rawgeti(L, -1, i + 1) == LUA_TNUMBER && lua_tointeger(L, -1) == seen[i];
    lua_pop(L, 1);
  }
  CHECK(same);
  lua_settop(L, 1);
}

static char warning[500];

static void keep_warning(void *user, int level, const char *text) {
  (void)user, (void)level;
  snprintf(warning, sizeof warning, "%s", text);
}

/* A host that refuses threads gets a loader that works without them. */
static void refuse_workers(void) {
  char message[200] = "";
  tocha_lua_options options = {.runtime = {.refuse = TOCHA_REFUSE_ALL, .log = keep_warning}};
  lua_State *L = tocha_lua_new_state(&options, message, sizeof message);
  CHECK(L && luaL_dostring(L, "local data, sum = torch.utils.data, 0\n"
                              "local set = data.TensorDataset(torch.arange(10))\n"
                              "for x in data.DataLoader(set, {batch_size = 2, num_workers = 2}) do "
                              "sum = sum + x:sum():item() end\n"
                              "return sum") == LUA_OK);
  CHECK(lua_tointeger(L, -1) == 45);
  CHECK(strstr(warning, "could not create its 2 workers"));
  lua_close(L);
}

int main(void) {
  static const int64_t sizes[] = {1, 7, 10, 40};
  char message[200] = "";
  lua_State *L = tocha_lua_new_state(NULL, message, sizeof message);
  CHECK(L && luaL_dostring(L, SCRIPT) == LUA_OK);
  for (int way = 0; way < 8; way++)
    for (int i = 0; i < 4; i++)
      for (int64_t batch_size = 1; batch_size < 12; batch_size += 2) {
        tocha_data_options o = {
            .batch_size = batch_size, .shuffle = (way & 1) != 0, .drop_last = (way & 2) != 0};
        compare(L, &o, (way & 4) != 0, sizes[i]);
      }
  lua_close(L);
  refuse_workers();
  return finish();
}

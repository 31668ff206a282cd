/* device.c: devices in Lua: "cuda:0" as PyTorch reads and prints it. */
#include <stdlib.h>
#include <string.h>

#include "function_table.h"

static const char DEVICE[] = "torch.device";

void tocha_lua_push_device(lua_State *L, tocha_device device) {
  tocha_device *u = lua_newuserdatauv(L, sizeof *u, 0);
  *u = device;
  luaL_setmetatable(L, DEVICE);
}

/* Returns the device that a text such as "cuda:0" names, as PyTorch reads it. Raises for any
 * other text. [-0, +0, e] */
static tocha_device parse_device(lua_State *L, const char *text) {
  if (!*text) raise_message(L, TOCHA_RUNTIME_ERROR, "Device string must not be empty");
  static const char *const names[] = {"cpu", "cuda", "meta", "mps"};
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  for (int i = 0; i < TOCHA_COUNT(names); i++) {
    if (strlen(names[i]) != length || strncmp(names[i], text, length) != 0) continue;
    tocha_device d = {(int16_t)i, -1};
    if (!colon) return d;
    char *end;
    long index = strtol(colon + 1, &end, 10);
    bool digits = strspn(colon + 1, "0123456789") == strlen(colon + 1);
    if (*end || !digits || !colon[1] || (colon[1] == '0' && colon[2]) || index > 127) break;
    d.index = (int16_t)index;
    return d;
  }
  size_t start = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  bool word = start == length && length > 0;
  nearest near = nearest_to(text);
  for (int i = 0; i < TOCHA_COUNT(names); i++) compare_name(&near, names[i]);
  if (strncmp(text, "gpu", 3) == 0) near.name = names[1];
  const char *hint = near.name ? lua_pushfstring(L, "did you mean \"%s\"?", near.name) : NULL;
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) word = false;
  if (word)
    raise_hinted(L, TOCHA_RUNTIME_ERROR, hint,
                 "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, "
                 "fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type "
                 "at start of device string: %.*s",
                 (int)length, text);
  else
    raise_hinted(L, TOCHA_RUNTIME_ERROR, hint, "Invalid device string: '%s'", text);
  return tocha_cpu();
}

bool tocha_lua_to_device(lua_State *L, int index, tocha_device *device) {
  const tocha_device *d = luaL_testudata(L, index, DEVICE);
  if (d) {
    *device = *d;
  } else if (lua_type(L, index) == LUA_TSTRING) {
    *device = parse_device(L, check_c_string(L, index));
  } else {
    return false;
  }
  if (device->type == TOCHA_CPU) device->index = -1; /* cpu:0 is cpu */
  if (device->type == TOCHA_META) device->index = -1;
  return true;
}

static int device_tostring(lua_State *L) {
  char text[24];
  lua_pushstring(L, tocha_device_text(*(tocha_device *)luaL_checkudata(L, 1, DEVICE), text));
  return 1;
}

static int device_eq(lua_State *L) {
  const tocha_device *a = luaL_testudata(L, 1, DEVICE), *b = luaL_testudata(L, 2, DEVICE);
  lua_pushboolean(L, a && b && a->type == b->type && a->index == b->index);
  return 1;
}

static int device_index(lua_State *L) {
  tocha_device d = *(tocha_device *)luaL_checkudata(L, 1, DEVICE);
  const char *key = luaL_checkstring(L, 2);
  char text[24];
  if (strcmp(key, "type") == 0) {
    d.index = -1;
    lua_pushstring(L, tocha_device_text(d, text));
  } else if (strcmp(key, "index") == 0) {
    if (d.index < 0)
      lua_pushnil(L);
    else
      lua_pushinteger(L, d.index);
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.device' object has no attribute '%s'",
                         key);
  }
  return 1;
}

/* Returns a device: torch.device("cuda", 1), torch.device("cuda:1"), torch.device(other). With a
 * block, calls the block with that device as the default device. */
int torch_device(lua_State *L, const tocha_arg *args) {
  tocha_device d;
  int type = any_index(&args[0]);
  if (!tocha_lua_to_device(L, type, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "device(): argument 'type' (position 1) must be str, not %s",
                         python_type(L, type));
  if (lua_isstring(L, type))
    d = parse_device(L, check_c_string(L, type)); /* keeps the index of "cpu:0" */
  if (args[1].given) {
    int64_t index = args[1].value.integer;
    if (index < 0)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "Device index must not be negative");
    if (index > 127)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "Device index must not exceed 127");
    d.index = (int16_t)index;
  }
  if (args[2].given) return binding_of(L)->hooks->under_device(L, d, 1);
  tocha_lua_push_device(L, d);
  return 1;
}

void open_devices(lua_State *L) {
  static const luaL_Reg events[] = {{"__tostring", device_tostring},
                                    {"__eq", device_eq},
                                    {"__index", device_index},
                                    {NULL, NULL}};
  make_metatable(L, DEVICE, events);
}

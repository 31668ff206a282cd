/* tools.c: the functions of <tocha/device_tools.h> for lua/torch/cuda. */
#include "tocha/device_tools.h"

#include "cuda/index.h"

static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void *pointer_at(lua_State *L, int index) {
  return (void *)(intptr_t)luaL_checkinteger(L, index); // NOLINT(performance-no-int-to-ptr)
}

/* torch._cuda.external_stream(address, device) returns the stream of a cudaStream_t. */
static int external_stream(lua_State *L) {
  void *handle = pointer_at(L, 1);
  return push_stream(L, tocha_external_stream(CX(L), check_device_index(L, 2), handle));
}

static int blas_handle(lua_State *L) {
  void *handle = tocha_blas_handle(CX(L), check_device_index(L, 1));
  if (!handle) return raise_error(L);
  lua_pushinteger(L, (lua_Integer)(intptr_t)handle);
  return 1;
}

static int record_profile(lua_State *L) {
  return tocha_record_profile(CX(L), lua_toboolean(L, 1)) ? 0 : raise_error(L);
}

static int push_status(lua_State *L, int status) {
  if (status < 0) return raise_error(L);
  lua_pushinteger(L, status);
  return 1;
}

/* torch._cuda.host_register(address, bytes, flags) returns CUDA's error number. */
static int host_register(lua_State *L) {
  void *data = pointer_at(L, 1);
  lua_Integer bytes = luaL_checkinteger(L, 2), flags = luaL_optinteger(L, 3, 0);
  return push_status(
      L, tocha_host_register(CX(L), data, bytes < 0 ? 0 : (size_t)bytes, (uint32_t)flags));
}

static int host_unregister(lua_State *L) {
  return push_status(L, tocha_host_unregister(CX(L), pointer_at(L, 1)));
}

/* torch._cuda.set_hidden_waits(mode) and hidden_waits(): 0, 1 (warns) or 2 (fails). */
static int set_hidden_waits(lua_State *L) {
  lua_Integer mode = luaL_checkinteger(L, 1);
  return tocha_set_hidden_waits(CX(L), (tocha_wait_mode)mode) ? 0 : raise_error(L);
}

static int hidden_waits(lua_State *L) {
  tocha_wait_mode mode;
  if (!tocha_hidden_waits(CX(L), &mode)) return raise_error(L);
  lua_pushinteger(L, mode);
  return 1;
}

/* torch._cuda.details(device) returns further properties of a GPU. */
static int details(lua_State *L) {
  tocha_device_details d;
  if (!tocha_get_device_details(CX(L), check_device_index(L, 1), &d)) return raise_error(L);
  lua_createtable(L, 0, 13);
  lua_pushstring(L, d.uuid);
  lua_setfield(L, -2, "uuid");
  set_integer(L, "pci_bus_id", d.pci_bus);
  set_integer(L, "pci_device_id", d.pci_device);
  set_integer(L, "pci_domain_id", d.pci_domain);
  set_integer(L, "is_integrated", d.integrated);
  set_integer(L, "is_multi_gpu_board", d.multi_gpu_board);
  set_integer(L, "max_threads_per_block", d.max_threads_per_block);
  set_integer(L, "regs_per_multiprocessor", d.registers_per_processor);
  set_integer(L, "shared_memory_per_block_optin", (lua_Integer)d.shared_memory_per_block_optin);
  set_integer(L, "shared_memory_per_multiprocessor", (lua_Integer)d.shared_memory_per_processor);
  set_integer(L, "memory_bus_width", d.memory_bus_width);
  set_integer(L, "clock_rate", d.clock_rate);
  set_integer(L, "memory_clock_rate", d.memory_clock_rate);
  return 1;
}

/* torch._cuda.sensor(name, device) reads a sensor of the driver. */
static int sensor(lua_State *L) {
  static const char *const names[] = {"utilization", "memory_usage", "temperature",
                                      "power_draw",  "clock_rate",   "device_memory_used",
                                      NULL};
  int which = luaL_checkoption(L, 1, NULL, names);
  int64_t value;
  if (!tocha_read_sensor(CX(L), check_device_index(L, 2), (tocha_sensor)which, &value))
    return raise_error(L);
  lua_pushinteger(L, value);
  return 1;
}

/* torch._cuda.processes(device) returns a list of {id, bytes}; bytes -1: unknown. */
static int processes(lua_State *L) {
  enum { MAX_PROCESSES = 256 };
  tocha_gpu_process found[MAX_PROCESSES];
  int count = tocha_gpu_processes(CX(L), check_device_index(L, 1), found, MAX_PROCESSES);
  if (count < 0) return raise_error(L);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_createtable(L, 0, 2);
    set_integer(L, "id", found[i].id);
    set_integer(L, "bytes", found[i].bytes);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void open_cuda_tools(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"external_stream", external_stream},
                                       {"blas_handle", blas_handle},
                                       {"record_profile", record_profile},
                                       {"host_register", host_register},
                                       {"host_unregister", host_unregister},
                                       {"set_hidden_waits", set_hidden_waits},
                                       {"hidden_waits", hidden_waits},
                                       {"details", details},
                                       {"sensor", sensor},
                                       {"processes", processes},
                                       {NULL, NULL}};
  lua_getfield(L, torch, "_cuda");
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

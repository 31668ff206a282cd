/* static_host.c: a host that links Lua and libtocha_lua.a into itself, and has functions whose names are those of functions
 * within the binding. They must never be called by it. */
#include <stdio.h>
#include <stdlib.h>

#include <tocha/lua.h>
#include <tocha/tocha.h>

#define MINE(name)                                                                                 \
  void name(void);                                                                                 \
  void name(void) {                                                                                \
    puts("a function of the host was called: " #name);                                             \
    exit(3);                                                                                       \
  }
MINE(binding_of)
MINE(get)
MINE(add_group)
MINE(is_open)
MINE(index_tensor)
MINE(push_tensor)
MINE(raise_error)
MINE(call_back)
MINE(platform_nanoseconds)

int main(void) {
  char message[256];
  lua_State *L = tocha_lua_new_state(NULL, message, sizeof message);
  if (!L) return puts(message), 1;
  const char text[] =
      "local net = torch.nn.Linear(3, 1) local o = torch.optim.SGD(net:parameters(), {lr = 0.1}) "
      "local x = torch.ones(2, 3) net(x)[{0}]:sum():backward() o:step() return x + 1";
  if (!tocha_lua_load(L, text, sizeof text - 1, "=static") || !tocha_lua_call(L, 0, 1))
    return puts(tocha_error(tocha_lua_context(L))->message), 1;
  char *shown = tocha_to_string(tocha_lua_context(L), tocha_lua_to_tensor(L, -1));
  puts(shown ? shown : "no text");
  free(shown);
  lua_close(L);
  return 0;
}

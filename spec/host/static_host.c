/* static_host.c: a host that links Lua and libtocha_lua.a into itself. A second file has a function for every inner name of the
 * binding and of libtocha, none of which they may call. */
#include <stdio.h>
#include <stdlib.h>

#include <tocha/lua.h>
#include <tocha/tocha.h>

/* Called by each of the functions in names.c, which static_spec.lua writes. */
void called(const char *name);
void called(const char *name) {
  printf("a function of the host was called: %s\n", name);
  exit(3);
}

int main(void) {
  char message[256];
  lua_State *L = tocha_lua_new_state(NULL, message, sizeof message);
  if (!L) return puts(message), 1;
  const char text[] =
      "local net = torch.nn.Linear(3, 1) local o = torch.optim.SGD(net:parameters(), {lr = 0.1}) "
      "local x = torch.ones(2, 3) net(x)[{0}]:sum():backward() o:step() "
      "assert(not pcall(torch.mm, x, x) and torch.linalg.inv(torch.eye(3)):sort()) "
      "local file = os.tmpname() torch.save(net:state_dict(), file) torch.load(file) "
      "os.remove(file) "
      "torch.rand(300, 300):mm(torch.rand(300, 300)):softmax(1):std() torch.nn.Conv2d(1, 2, "
      "3)(torch.ones(1, 1, 5, 5)) "
      "return x + 1";
  if (!tocha_lua_load(L, text, sizeof text - 1, "=static") || !tocha_lua_call(L, 0, 1))
    return puts(tocha_error(tocha_lua_context(L))->message), 1;
  char *shown = tocha_to_string(tocha_lua_context(L), tocha_lua_to_tensor(L, -1));
  puts(shown ? shown : "no text");
  free(shown);
  lua_close(L);
  return 0;
}

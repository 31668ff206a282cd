/* no_launch.c: stands for launch/ in a build without torch.distributed, as that of a page, which starts no other programs. */
#include "interpreter/launch/launch.h"

bool wants_launch(char **argv) {
  (void)argv;
  return false;
}

int run_launch(char **argv) {
  (void)argv;
  return 1;
}

void join_launch(void) {}

bool tell_launcher(lua_State *L, const char *message, const char *kind) {
  (void)L, (void)message, (void)kind;
  return false;
}

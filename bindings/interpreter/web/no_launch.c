/* no_launch.c: stands for launch/ in a build without torch.distributed, as that of a page, which starts no other programs. */
#include <stdlib.h>

#include "interpreter/interpreter.h"
#include "interpreter/launch/launch.h"

const char *const launch_usage = "";

int run_launch(char **argv) {
  (void)argv;
  print_message("cannot start processes: this build has no torch.distributed (it was made with "
                "TOCHA_DISTRIBUTED=OFF)");
  return EXIT_FAILURE;
}

void join_launch(void) {}

bool tell_launcher(lua_State *L, const char *message, const char *kind) {
  (void)L, (void)message, (void)kind;
  return false;
}

/* wanted.c: tells the launcher's command lines from others. */
#include <string.h>

#include "interpreter/launch/launch.h"
#include "lua/binding.h"

/* Returns true if the program was started under the name tocharun. */
static bool is_tocharun(const char *path) {
  const char *slash = strrchr(path, '/');
  return strcmp(slash ? slash + 1 : path, "tocharun") == 0;
}

bool wants_launch(char **argv) {
  static const char *const first[] = {"--nproc", "--nnodes", "--standalone",
                                      "--hosts", "--mpi",    "--trace"};
  if (!argv[0]) return false;
  if (is_tocharun(argv[0])) return true;
  for (int i = 0; argv[1] && i < TOCHA_COUNT(first); i++)
    if (strncmp(argv[1], first[i], strlen(first[i])) == 0) return true;
  return false;
}

/* replace.c: another file behind a number, such as a standard stream's: what a program does, and no library. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "platform/platform.h"

bool platform_replace(int file, int by) { return dup2(by, file) >= 0; }

/* open_flags.h: the system's numbers for PLATFORM_READ and the others. */
#ifndef TOCHA_PLATFORM_OPEN_FLAGS_H
#define TOCHA_PLATFORM_OPEN_FLAGS_H

#include <fcntl.h>
#include <stddef.h>

#include "platform/files.h"

static inline int platform_open_flags(int how) {
  static const struct {
    int ours, theirs;
  } options[] = {{PLATFORM_CREATE, O_CREAT},     {PLATFORM_NEW, O_EXCL},
                 {PLATFORM_EMPTY, O_TRUNC},      {PLATFORM_APPEND, O_APPEND},
                 {PLATFORM_NO_LINK, O_NOFOLLOW}, {PLATFORM_AT_ONCE, O_NONBLOCK}};
  int flags = how & PLATFORM_WRITE ? how & PLATFORM_READ ? O_RDWR : O_WRONLY : O_RDONLY;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (how & options[i].ours) flags |= options[i].theirs;
  return flags | O_CLOEXEC;
}

#endif

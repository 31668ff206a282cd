/* random.c: the system's unpredictable bytes. */
#define _DEFAULT_SOURCE /* getentropy */
#include <unistd.h>

#include "platform/platform.h"

bool platform_random_bytes(void *to, size_t count) { return getentropy(to, count) == 0; }

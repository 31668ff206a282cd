/* backends.h: the engines that a group's name of a backend stands for ("cpu:gloo,cuda:nccl"). */
#ifndef TOCHA_BACKENDS_H
#define TOCHA_BACKENDS_H

#include "distributed/engine.h"

enum { TOCHA_BACKEND_NAME_SIZE = 64, TOCHA_ENGINE_NAME_SIZE = 16 };

typedef struct tocha_backends {
  char text[TOCHA_BACKEND_NAME_SIZE]; /* as get_backend says it */
  /* The engine's name by the device of the tensors; "" if there is none. */
  char engines[TOCHA_DEVICE_TYPE_COUNT][TOCHA_ENGINE_NAME_SIZE];
} tocha_backends;

/* Reads a backend's name; NULL is PyTorch's default. `offered`: an engine of the host's own, or NULL. Returns false with an
 * error if it is unknown. */
bool tocha_backends_parse(tocha_context *cx, const char *text, const tocha_engine *offered,
                          tocha_backends *backends);

#endif

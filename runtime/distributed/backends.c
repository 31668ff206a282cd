/* backends.c: reads names of backends. */
#include "distributed/backends.h"

#include <stdio.h>
#include <string.h>

typedef struct known_engine {
  const char *name;
  bool takes_cpu, takes_gpu;
} known_engine;

static const known_engine known[] = {
    {"gloo", true, true}, {"mpi", true, true}, {"nccl", false, true}, {"fake", true, true}};

static void lower(const char *from, size_t length, char *to, size_t capacity) {
  size_t i = 0;
  for (; i < length && i + 1 < capacity; i++)
    to[i] = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] - 'A' + 'a' : from[i]);
  to[i] = '\0';
}

static bool find(const char *name, const tocha_engine *offered, known_engine *engine) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) {
      *engine = known[i];
      return true;
    }
  *engine = (known_engine){name, true, false};
  return offered && strcmp(offered->name, name) == 0;
}

static bool refuse(tocha_context *cx, const char *name) {
  tocha_fail(cx, TOCHA_ASSERTION_ERROR, "Unknown backend type %s", name);
  tocha_hint(cx, "the backends are gloo, mpi, nccl and fake, or one for each device: "
                 "cpu:gloo,cuda:nccl");
  return false;
}

/* Reads "cpu:gloo" or "cuda:nccl", `length` bytes. */
static bool parse_pair(tocha_context *cx, const char *pair, size_t length,
                       const tocha_engine *offered, tocha_backends *b) {
  char text[TOCHA_BACKEND_NAME_SIZE];
  known_engine engine;
  lower(pair, length, text, sizeof text);
  char *colon = strchr(text, ':');
  if (!colon) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "The custom backend string argument is invalid: %s.\n"
               "                Custom backend string is an experimental feature where the backend "
               "string must be in the format:\n"
               "                \"<device_type1>:<backend1>,<device_type2>:<backend2>...\". e.g. "
               "'cpu:gloo,cuda:nccl'",
               b->text);
    return false;
  }
  *colon = '\0';
  if (!find(colon + 1, offered, &engine)) return refuse(cx, colon + 1);
  tocha_device_type device = strcmp(text, "cpu") == 0    ? TOCHA_CPU
                             : strcmp(text, "cuda") == 0 ? TOCHA_CUDA
                                                         : TOCHA_DEVICE_TYPE_COUNT;
  if (device == TOCHA_DEVICE_TYPE_COUNT) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Unknown device type %s in the backend %s", text, b->text);
    return false;
  }
  snprintf(b->engines[device], sizeof b->engines[device], "%s", engine.name);
  return true;
}

bool tocha_backends_parse(tocha_context *cx, const char *text, const tocha_engine *offered,
                          tocha_backends *b) {
  memset(b, 0, sizeof *b);
  if (!text || !text[0]) {
    snprintf(b->text, sizeof b->text, "undefined");
    text = "cpu:gloo,cuda:nccl";
  } else {
    lower(text, strlen(text), b->text, sizeof b->text);
  }
  if (!strchr(text, ':')) {
    known_engine engine;
    if (!find(b->text, offered, &engine)) return refuse(cx, b->text);
    if (engine.takes_cpu)
      snprintf(b->engines[TOCHA_CPU], sizeof b->engines[TOCHA_CPU], "%s", engine.name);
    if (engine.takes_gpu)
      snprintf(b->engines[TOCHA_CUDA], sizeof b->engines[TOCHA_CUDA], "%s", engine.name);
    return true;
  }
  for (const char *at = text;;) {
    size_t length = strcspn(at, ",");
    if (!parse_pair(cx, at, length, offered, b)) return false;
    if (!at[length]) return true;
    at += length + 1;
  }
}

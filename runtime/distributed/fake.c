/* fake.c: the engine of a rank whose world is not there. Nothing is sent, each operation succeeds at once, and what other ranks
 * would have sent is taken from this rank's own input. */
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "distributed/group.h"

struct tocha_channel {
  int rank, size;
};

static const char *library(void) { return "fake"; }

static bool takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  (void)kind, (void)dtype, (void)op;
  return true;
}

static tocha_channel *open_channel(const tocha_channel_options *options,
                                   tocha_engine_failure *failure) {
  tocha_channel *channel = malloc(sizeof *channel);
  if (!channel) {
    *failure =
        (tocha_engine_failure){.kind = TOCHA_ENGINE_FAILED, .peer = -1, .message = "no memory"};
    return NULL;
  }
  *channel = (tocha_channel){options->rank, options->size};
  return channel;
}

static void close_channel(tocha_channel *channel) { free(channel); }

static void copy(void *to, const void *from, int64_t bytes) {
  if (bytes && to && from && to != from) memmove(to, from, (size_t)bytes);
}

/* Gives each rank's part of the output what this rank has for that one, as far as both reach. */
static void exchange(const tocha_channel *channel, const tocha_transfer *t) {
  int64_t item = tocha_item_size(t->dtype);
  const char *from = t->input;
  char *to = t->output;
  for (int i = 0; i < channel->size; i++) {
    int64_t in = t->input_counts[i] * item, out = t->output_counts[i] * item;
    copy(to, from, in < out ? in : out);
    from += in;
    to += out;
  }
}

static bool run(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  (void)failure;
  int64_t bytes = t->count * tocha_item_size(t->dtype);
  const char *input = t->input;
  if (t->kind == TOCHA_ALL_GATHER || (t->kind == TOCHA_GATHER && t->root == channel->rank))
    for (int i = 0; i < channel->size; i++) copy((char *)t->output + i * bytes, input, bytes);
  else if ((t->kind == TOCHA_SCATTER && t->root == channel->rank) ||
           t->kind == TOCHA_REDUCE_SCATTER)
    copy(t->output, input + channel->rank * bytes, bytes);
  else if (t->kind == TOCHA_ALL_TO_ALL)
    exchange(channel, t);
  else if (t->kind == TOCHA_RECV)
    t->source = t->root >= 0 ? t->root : 0;
  return true;
}

static void abort_channel(tocha_channel *channel) { (void)channel; }

const tocha_engine *tocha_fake_engine(void) {
  static const tocha_engine engine = {.version = TOCHA_ENGINE_VERSION,
                                      .name = "fake",
                                      .library = library,
                                      .takes = takes,
                                      .open = open_channel,
                                      .close = close_channel,
                                      .run = run,
                                      .abort = abort_channel};
  return &engine;
}

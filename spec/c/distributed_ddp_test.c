/* distributed_ddp_test.c: DistributedDataParallel without Lua: two threads with a context each are two ranks. */
#include <pthread.h>

#include "check.h"
#include "distributed/group.h"
#include "distributed_local_engine.h"
#include "tocha/autograd.h"
#include "tocha/context.h"
#include "tocha/ddp.h"
#include "tocha/nn/linear.h"
#include "tocha/ops/full.h"
#include "tocha/ops/sum.h"

enum { RANKS = 2, PASSES = 3, FEATURES = 3 };

typedef struct rank_thread {
  pthread_t thread;
  int rank;
  tocha_store *store;
  float weight, grad[PASSES],
      alone; /* the first element of the weight, and of its gradient after each pass */
  int buckets, members, operations; /* operations: of the last pass */
  bool rebuilt, ok;
} rank_thread;

/* One pass with inputs that are all rank + 1: the weight's gradient on this rank alone is rank + 1. */
static float pass(tocha_context *cx, tocha_ddp *ddp, tocha_module *model, tocha_tensor *weight,
                  int rank) {
  const int64_t shape[] = {1, FEATURES};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_set_grad(cx, weight, NULL);
  tocha_ddp_before_forward(cx, ddp);
  tocha_tensor *output =
      tocha_module_call(cx, model, tocha_full(cx, 2, shape, tocha_float(rank + 1)));
  tocha_ddp_before_backward(cx, ddp, 1, &output);
  tocha_backward(cx, tocha_sum(cx, output), NULL, false, false);
  const tocha_tensor *grad = tocha_grad(weight);
  float first = grad ? *(float *)tocha_data(grad) : -1;
  tocha_scope_end(cx, scope, NULL);
  return first;
}

static void train(tocha_context *cx, rank_thread *self) {
  tocha_module *model = tocha_nn_linear(cx, FEATURES, 2, true, tocha_cpu(), TOCHA_FLOAT32);
  tocha_tensor *weight = tocha_module_tensor(model, TOCHA_MEMBER_PARAMETER, 0);
  tocha_ddp *ddp = tocha_ddp_new(cx, &(tocha_ddp_options){.module = model});
  self->weight = *(float *)tocha_data(weight);
  for (int i = 0; i < PASSES; i++) {
    uint64_t before = tocha_default_group(cx)->collectives;
    self->grad[i] = pass(cx, ddp, model, weight, self->rank);
    self->operations = (int)(tocha_default_group(cx)->collectives - before);
  }
  self->buckets = tocha_ddp_bucket_count(ddp);
  self->members = tocha_ddp_bucket_parameters(ddp, 0);
  self->rebuilt = tocha_ddp_has_rebuilt_buckets(ddp);
  bool before = tocha_ddp_set_sync(ddp, false);
  self->alone = before ? pass(cx, ddp, model, weight, self->rank) : -1;
  tocha_ddp_free(ddp);
  tocha_module_release(model);
}

static void *run_rank(void *user) {
  rank_thread *self = user;
  tocha_context *cx = tocha_open(NULL);
  tocha_offer_engine(cx, &local_engine);
  tocha_distributed_options o = {.backend = "cpu:local",
                                 .store = self->store,
                                 .rank = self->rank,
                                 .world_size = RANKS,
                                 .timeout = 20};
  tocha_manual_seed(cx, (uint64_t)self->rank);
  if (tocha_distributed_init(cx, &o)) train(cx, self);
  self->ok = !tocha_failed(cx) && tocha_distributed_end(cx);
  char text[1024];
  if (tocha_failed(cx))
    printf("rank %d: %s\n", self->rank, tocha_error_text(cx, text, sizeof text));
  tocha_close(cx);
  return NULL;
}

int main(void) {
  rank_thread ranks[RANKS];
  tocha_context *cx = tocha_open(NULL);
  tocha_store *store = tocha_hash_store_new(cx);
  for (int r = 0; r < RANKS; r++) {
    ranks[r] = (rank_thread){.rank = r, .store = store};
    pthread_create(&ranks[r].thread, NULL, run_rank, &ranks[r]);
  }
  for (int r = 0; r < RANKS; r++) pthread_join(ranks[r].thread, NULL);
  for (int r = 0; r < RANKS; r++) {
    EXPECT(ranks[r].ok, "no error");
    EXPECT(ranks[r].weight == ranks[0].weight, "all ranks begin with the parameters of rank 0");
    for (int i = 0; i < PASSES; i++)
      EXPECT(ranks[r].grad[i] == 1.5f, "the gradient is the mean of 1 and 2");
    EXPECT(ranks[r].alone == (float)(r + 1), "without synchronization it is the rank's own");
    EXPECT(ranks[r].buckets == 1 && ranks[r].members == 2, "weight and bias are one bucket");
    EXPECT(ranks[r].operations == 1, "a pass waits for other ranks once for each bucket");
    EXPECT(ranks[r].rebuilt, "which follows the order of the first pass");
  }
  tocha_store_free(store);
  CHECK(tocha_ddp_new(cx, NULL) == NULL && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_close(cx);
  return finish();
}

/* lua_threads_test.c: contexts and Lua states on four threads, for ThreadSanitizer (TOCHA_SANITIZE=thread); without it, the
 * results are checked all the same.
 *
 *   lua_threads_test [rounds]
 *
 * Each part runs `rounds` times on each thread. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lualib.h>

#include "check.h"
#include "tocha/dlpack.h"
#include "tocha/lua.h"
#include "tocha/modules.h"
#include "tocha/ops.h"
#include "tocha/share.h"
#include "tocha/tocha.h"

enum { THREADS = 4 };

#ifdef __SANITIZE_THREAD__
static int rounds = 10;
#else
static int rounds = 3;
#endif

/* One of the threads: its number, what all of them use, and how many of its results were wrong. */
typedef struct worker {
  int number, wrong;
  void *common;
  void *(*part)(void *worker);
  pthread_t thread;
} worker;

static pthread_barrier_t
    start; /* of a part: races are only seen between threads that run at once */

static void expect(worker *w, bool holds, const char *what) {
  if (holds) return;
  w->wrong++;
  printf("# thread %d: %s\n", w->number, what);
}

static void *run_part(void *user) {
  worker *w = user;
  pthread_barrier_wait(&start);
  return w->part(w);
}

/* Runs a part on all threads at once, and counts the results. */
static void on_all_threads(const char *name, void *(*part)(void *worker), void *common) {
  worker workers[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.number = i, .common = common, .part = part};
    CHECK(pthread_create(&workers[i].thread, NULL, run_part, &workers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    EXPECT(workers[i].wrong == 0, name);
  }
  pthread_barrier_destroy(&start);
}

static void a_moment(int milliseconds) {
  nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

static double number(tocha_context *cx, tocha_tensor *t) {
  tocha_scalar value = {0};
  return tocha_item(cx, t, &value) ? tocha_scalar_real(value) : -1;
}

/* --- contexts ---------------------------------------------------------------------------------- */

/* Draws numbers, and sorts, sums and prints them. */
static void compute(worker *w, tocha_context *cx) {
  int64_t sizes[] = {300, 200};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_manual_seed(cx, 7);
  tocha_tensor *x = tocha_rand(cx, 2, sizes);
  tocha_tensor *product = tocha_matmul(cx, x, tocha_t(cx, x));
  tocha_tensor *powers = tocha_exp(cx, tocha_sin(cx, product));
  double first = number(cx, tocha_sum(cx, powers)), second;
  second = number(cx, tocha_sum(cx, tocha_exp(cx, tocha_sin(cx, product))));
  expect(w, first > 0 && first == second, "the same sum twice");
  char *text = tocha_to_string(cx, powers);
  expect(w, text && strstr(text, "tensor([["), "a text");
  tocha_free(text);
  tocha_scope_end(cx, scope, NULL);
}

/* Trains a small network for a few steps. */
static void train(worker *w, tocha_context *cx) {
  tocha_conv2d_options conv = tocha_conv2d_defaults(1, 4, 3);
  tocha_linear_options linear = tocha_linear_defaults(144, 3);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_manual_seed(cx, 1);
  tocha_module *layers[] = {tocha_nn_conv2d_with(cx, &conv), tocha_nn_tanh(cx),
                            tocha_nn_flatten(cx, 1, -1), tocha_nn_linear_with(cx, &linear)};
  tocha_module *model = tocha_nn_sequential(cx);
  for (int i = 0; i < 4; i++) {
    tocha_module_insert(cx, model, i, layers[i]);
    tocha_module_release(layers[i]);
  }
  tocha_tensor *x = tocha_ones(cx, 4, (int64_t[]){4, 1, 8, 8}), *loss = NULL;
  for (int step = 0; step < 3; step++) {
    loss = tocha_mean(cx, tocha_square(cx, tocha_module_call(cx, model, x)));
    tocha_module_zero_grad(cx, model, true);
    expect(w, loss && tocha_backward(cx, loss, NULL, false, false), "a backward pass");
  }
  expect(w, number(cx, loss) > 0, "a loss");
  tocha_module_release(model);
  tocha_scope_end(cx, scope, NULL);
}

static void *use_contexts(void *user) {
  worker *w = user;
  for (int i = 0; i < rounds; i++) {
    tocha_context *cx = tocha_open(&(tocha_options){.threads = 1 + i % 3});
    compute(w, cx);
    train(w, cx);
    expect(
        w,
        !tocha_matmul(cx, tocha_ones(cx, 1, (int64_t[]){3}), tocha_ones(cx, 1, (int64_t[]){4})) &&
            tocha_failed(cx),
        "an error");
    tocha_close(cx);
  }
  return NULL;
}

/* --- shared weights ---------------------------------------------------------------------------- */

typedef struct weights {
  const tocha_shared *tensor;
  const tocha_shared_module *module;
  double sum, answer;
} weights;

static double answer(tocha_context *cx, tocha_module *model) {
  return number(cx,
                tocha_sum(cx, tocha_module_call(cx, model, tocha_ones(cx, 2, (int64_t[]){5, 64}))));
}

static void *read_weights(void *user) {
  worker *w = user;
  const weights *shared = w->common;
  for (int i = 0; i < rounds; i++) {
    tocha_context *cx = tocha_open(NULL);
    tocha_tensor *t = tocha_from_shared(cx, shared->tensor);
    tocha_module *model = tocha_module_from_shared(cx, shared->module);
    expect(w, number(cx, tocha_sum(cx, t)) == shared->sum, "the sum of shared weights");
    expect(w, answer(cx, model) == shared->answer, "the answer of a shared model");
    tocha_module_release(model);
    tocha_close(cx);
  }
  return NULL;
}

static void test_shared_weights(void) {
  tocha_linear_options options = tocha_linear_defaults(64, 64);
  tocha_context *cx = tocha_open(NULL);
  tocha_module *model = tocha_nn_linear_with(cx, &options);
  tocha_tensor *t = tocha_rand(cx, 2, (int64_t[]){100, 100});
  tocha_shared *tensor = tocha_share(cx, t);
  tocha_shared_module *module = tocha_module_share(cx, model);
  weights shared = {tensor, module, number(cx, tocha_sum(cx, t)), answer(cx, model)};
  CHECK(tensor && module && shared.sum > 0);
  tocha_module_release(model);
  tocha_close(cx);
  on_all_threads("weights are shared", read_weights, &shared);
  tocha_shared_free(tensor);
  tocha_shared_module_free(module);
}

/* Runs a chunk that returns a module, and shares that. Returns NULL with the context's error. */
static tocha_shared_module *share_from_lua(lua_State *L, const char *text) {
  CHECK(luaL_dostring(L, text) == LUA_OK);
  tocha_shared_module *shared =
      tocha_module_share(tocha_lua_context(L), tocha_lua_to_module(L, -1));
  lua_settop(L, 0);
  return shared;
}

/* Modules of torch.nn that Lua has made can be shared, and pushed into another state. What Lua code
 * computes belongs to its state. */
static void test_modules_of_lua(void) {
  lua_State *L = tocha_lua_new_state(NULL, NULL, 0), *other = tocha_lua_new_state(NULL, NULL, 0);
  tocha_context *cx = tocha_lua_context(L);
  tocha_shared_module *shared = share_from_lua(
      L, "local net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU()) "
         "torch.no_grad(function() net[0].weight:fill_(3) net[0].bias:fill_(1) end) return net");
  CHECK(shared != NULL);
  tocha_module *net = tocha_module_from_shared(tocha_lua_context(other), shared);
  tocha_lua_push_module(other, net);
  lua_setglobal(other, "net");
  CHECK(luaL_dostring(other, "assert(net(torch.ones(2)):item() == 7) assert(#net == 2)") == LUA_OK);
  tocha_module_release(net);
  tocha_shared_module_free(shared);
  CHECK(!share_from_lua(L,
                        "local Net = torch.nn.Module:extend 'Net' function Net:forward(x) return "
                        "x end return torch.nn.Sequential(Net())"));
  CHECK(strstr(tocha_error(cx)->message,
               "module 0 (Net) cannot be shared: its forward or a hook is"));
  tocha_clear_error(cx);
  CHECK(!share_from_lua(L, "local net = torch.nn.Linear(2, 2) net:register_forward_hook(function() "
                           "end) return net"));
  CHECK(strstr(tocha_error(cx)->message, "module Linear cannot be shared"));
  CHECK(strstr(tocha_error(cx)->hint, "run its script there"));
  lua_close(other);
  lua_close(L);
}

/* --- memory that other libraries have borrowed --------------------------------------------------- */

/* Arrays on their way to the thread that gives them back. */
typedef struct queue {
  pthread_mutex_t lock;
  struct DLManagedTensorVersioned *lent[64];
  int count;
  bool closed;
} queue;

static void *give_back(void *user) {
  queue *q = user;
  for (bool closed = false; !closed;) {
    struct DLManagedTensorVersioned *lent = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->count > 0)
      lent = q->lent[--q->count];
    else
      closed = q->closed;
    pthread_mutex_unlock(&q->lock);
    if (lent)
      tocha_dlpack_free(lent);
    else
      a_moment(1);
  }
  return NULL;
}

static void *lend(void *user) {
  worker *w = user;
  queue *q = w->common;
  for (int i = 0; i < rounds; i++) {
    tocha_context *cx = tocha_open(NULL);
    for (int64_t n = 10; n < 100000; n *= 20) {
      struct DLManagedTensorVersioned *lent = tocha_to_dlpack(cx, tocha_ones(cx, 1, &n), false);
      tocha_tensor *view = tocha_from_dlpack(cx, lent);
      expect(w, number(cx, tocha_sum(cx, view)) == (double)n, "a borrowed array");
      lent = tocha_to_dlpack(cx, view, false);
      pthread_mutex_lock(&q->lock);
      if (q->count < 64) {
        q->lent[q->count++] = lent;
        lent = NULL;
      }
      pthread_mutex_unlock(&q->lock);
      if (lent) tocha_dlpack_free(lent);
    }
    tocha_close(cx); /* before all of it is back */
  }
  return NULL;
}

static void test_dlpack(void) {
  queue q = {.lock = PTHREAD_MUTEX_INITIALIZER};
  pthread_t receiver;
  pthread_create(&receiver, NULL, give_back, &q);
  on_all_threads("arrays are lent", lend, &q);
  pthread_mutex_lock(&q.lock);
  q.closed = true;
  pthread_mutex_unlock(&q.lock);
  pthread_join(receiver, NULL);
}

/* --- Lua states ---------------------------------------------------------------------------------- */

static const char TRAINING[] =
    "local nn = torch.nn torch.manual_seed(1) "
    "local net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)) "
    "local optimizer = torch.optim.SGD(net:parameters(), {lr = 0.05}) "
    "local x = torch.rand(32, 8) local y = x:sum{dim = 1, keepdim = true} local first, last "
    "for step = 1, 10 do local loss = nn.functional.mse_loss(net(x), y) optimizer:zero_grad() "
    "loss:backward() optimizer:step() last = loss:item() first = first or last end "
    "assert(last < first) assert(not pcall(torch.mm, x, x)) collectgarbage()";
static const char ENDLESS[] =
    "local x = torch.rand(200, 200) while true do pcall(function() x = torch.tanh(x:mm(x)) for i = "
    "1, 1000 do end end) end";

/* The state that a worker has open, which another thread interrupts. */
typedef struct target {
  pthread_mutex_t lock;
  lua_State *L; /* NULL: none */
  bool done;
} target;

static void aim(target *t, lua_State *L) {
  pthread_mutex_lock(&t->lock);
  t->L = L;
  pthread_mutex_unlock(&t->lock);
}

static void *interrupt_often(void *user) {
  target *t = user;
  for (bool done = false; !done;) {
    a_moment(5);
    pthread_mutex_lock(&t->lock);
    if (t->L) tocha_lua_interrupt(t->L);
    done = t->done;
    pthread_mutex_unlock(&t->lock);
  }
  return NULL;
}

static bool run(lua_State *L, const char *text) {
  return tocha_lua_load(L, text, strlen(text), "=script") && tocha_lua_call(L, 0, 0);
}

static lua_State *open_state(worker *w, const tocha_lua_options *options) {
  char message[256] = "";
  lua_State *L = tocha_lua_new_state(options, message, sizeof message);
  expect(w, L != NULL, message);
  return L;
}

/* Trains in a state, then is interrupted in another one. */
static void *use_states(void *user) {
  worker *w = user;
  target t = {.lock = PTHREAD_MUTEX_INITIALIZER};
  pthread_t interrupter;
  pthread_create(&interrupter, NULL, interrupt_often, &t);
  for (int i = 0; i < rounds; i++) {
    lua_State *L = open_state(w, &(tocha_lua_options){.runtime = {.threads = 2}});
    if (!L) break;
    expect(w, run(L, TRAINING), tocha_error(tocha_lua_context(L))->message);
    lua_close(L);
    L = open_state(w, &(tocha_lua_options){.insistent = true, .memory = 64 << 20});
    if (!L) break;
    aim(&t, L);
    expect(w, !run(L, ENDLESS), "an interrupt");
    expect(w, tocha_error(tocha_lua_context(L))->code == TOCHA_INTERRUPTED,
           tocha_error(tocha_lua_context(L))->message);
    aim(&t, NULL);
    lua_close(L);
  }
  pthread_mutex_lock(&t.lock);
  t.done = true;
  pthread_mutex_unlock(&t.lock);
  pthread_join(interrupter, NULL);
  return NULL;
}

static void drop(void *user, const char *text, size_t length, bool warning) {
  (void)user, (void)text, (void)length, (void)warning;
}

/* A limit on time has a thread of its own. */
static void *use_sandboxes(void *user) {
  worker *w = user;
  tocha_lua_sandbox sandbox = {.seconds = 0.1, .print = drop, .output = 1000};
  for (int i = 0; i < rounds; i++) {
    lua_State *L = open_state(w, &(tocha_lua_options){.sandbox = &sandbox, .memory = 64 << 20});
    if (!L) break;
    bool ok = luaL_loadstring(L, ENDLESS) == LUA_OK && tocha_lua_sandbox_call(L, 0, 0, 0) != LUA_OK;
    const char *why = tocha_lua_sandbox_ended(L);
    expect(w, ok && why && strstr(why, "limit on time"), "a limit on time");
    tocha_lua_sandbox_restart(L);
    lua_settop(L, 0);
    ok = luaL_loadstring(L, "print(torch.ones(3):sum():item())") == LUA_OK &&
         tocha_lua_sandbox_call(L, 0, 0, 0) == LUA_OK;
    expect(w, ok, "a state that runs again");
    lua_close(L);
  }
  return NULL;
}

/* Opens states as Lua's require does, without options, and closes them: 100 with all threads. */
static void *open_and_close(void *user) {
  worker *w = user;
  for (int i = 0; i < 100 / THREADS; i++) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    luaL_requiref(L, "torch", luaopen_torch, 1);
    expect(w, luaL_dostring(L, "assert(torch.arange(4):sum():item() == 6)") == LUA_OK, "a state");
    lua_close(L);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = atoi(argv[1]);
  on_all_threads("contexts", use_contexts, NULL);
  test_shared_weights();
  test_modules_of_lua();
  test_dlpack();
  on_all_threads("states", use_states, NULL);
  on_all_threads("sandboxed states", use_sandboxes, NULL);
  on_all_threads("100 states", open_and_close, NULL);
  return finish();
}

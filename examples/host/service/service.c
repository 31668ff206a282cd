/* service.c: the threads, their states, and the queue. */
#define _POSIX_C_SOURCE 200809L
#include "service.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tocha/lua.h>
#include <tocha/modules.h>
#include <tocha/share.h>
#include <tocha/tocha.h>

enum { THREADS = 4, SCRIPT_SIZE = 8192, OUTPUTS = 3 };

/* A state with a model. Only its thread uses it, but for tocha_lua_interrupt. */
typedef struct worker {
  service *s;
  lua_State *L;
  tocha_context *cx;
  tocha_module *base, *model; /* model: NULL until a script is loaded */
  int version;                /* of the script that `model` comes from */
  bool started;
  pthread_t thread;
} worker;

struct service {
  int inputs;
  tocha_shared_module *base;
  worker workers[THREADS];
  pthread_mutex_t reloading; /* of `trial`, in which new scripts are tried */
  worker trial;
  pthread_mutex_t lock; /* of what follows, and of the state of all requests */
  pthread_cond_t sent, done;
  request *first, **last; /* the queue */
  bool stops;
  char script[SCRIPT_SIZE];
  int version; /* counts the scripts */
};

/* --- a state with a model ------------------------------------------------------------------------ */

/* What scripts print goes nowhere. */
static void drop(void *user, const char *text, size_t length, bool warning) {
  (void)user, (void)text, (void)length, (void)warning;
}

static bool open_worker(worker *w, service *s, char *message, size_t capacity) {
  const tocha_lua_sandbox sandbox = {.seconds = 1, .print = drop, .output = 65536};
  const tocha_lua_options options = {
      .sandbox = &sandbox, .memory = 64 << 20, .runtime = {.threads = 1}};
  *w = (worker){.s = s, .L = tocha_lua_new_state(&options, message, capacity)};
  if (!w->L) return false;
  w->cx = tocha_lua_context(w->L);
  tocha_set_inference_mode(w->cx, true);
  w->base = tocha_module_from_shared(w->cx, s->base);
  if (!w->base) snprintf(message, capacity, "%s", tocha_error(w->cx)->message);
  return w->base != NULL;
}

static void close_worker(worker *w) {
  tocha_module_release(w->model);
  tocha_module_release(w->base);
  if (w->L) lua_close(w->L);
}

/* Writes the cause of the last failure, and forgets it. A limit that ended the script is the cause of all that failed after. */
static void take_error(worker *w, char *text, size_t capacity) {
  const char *limit = tocha_lua_sandbox_ended(w->L);
  snprintf(text, capacity, "%s", limit ? limit : tocha_error(w->cx)->message);
  tocha_clear_error(w->cx);
}

/* Runs a script, which gets the base layer and returns a module. Returns false with the context's error if it does not; the
 * old model stays. */
static bool load(worker *w, const char *script) {
  if (!tocha_lua_load(w->L, script, strlen(script), "=model")) return false;
  tocha_lua_push_module(w->L, w->base);
  if (!tocha_lua_call(w->L, 1, 1)) return false;
  tocha_module *model = tocha_module_retain(tocha_lua_to_module(w->L, -1));
  lua_pop(w->L, 1);
  if (!model) return tocha_fail(w->cx, TOCHA_TYPE_ERROR, "the script must return a module") != NULL;
  tocha_module_release(w->model);
  w->model = model;
  return true;
}

/* Writes the model's answer to `text`. Returns false with the context's error if there is none. */
static bool ask(worker *w, const float *numbers, int count, char *text, size_t capacity) {
  const int64_t size[] = {count};
  tocha_scope scope = tocha_scope_begin(w->cx);
  tocha_tensor *x = tocha_from_values(w->cx, numbers, 1, size, TOCHA_FLOAT32);
  char *answer = tocha_to_string(w->cx, tocha_module_call(w->cx, w->model, x));
  if (answer) snprintf(text, capacity, "%s", answer);
  tocha_scope_end(w->cx, scope, NULL);
  tocha_free(answer);
  return answer != NULL;
}

/* --- the queue ------------------------------------------------------------------------------------- */

/* The request is done. Called with the lock. */
static void finish(service *s, request *r) {
  r->state = REQUEST_DONE;
  r->worker = NULL;
  pthread_cond_broadcast(&s->done);
}

/* Takes the next request, and the script if there is a new one. Returns NULL if the service stops. */
static request *next_request(worker *w, char *script) {
  service *s = w->s;
  pthread_mutex_lock(&s->lock);
  while (!s->first && !s->stops) pthread_cond_wait(&s->sent, &s->lock);
  request *r = s->first;
  if (r) {
    s->first = r->next;
    if (!s->first) s->last = &s->first;
    tocha_lua_sandbox_restart(w->L); /* the full time; from now on an interrupt is meant for r */
    r->state = REQUEST_RUNS;
    r->worker = w;
    script[0] = '\0';
    if (w->version != s->version) memcpy(script, s->script, SCRIPT_SIZE);
    w->version = s->version;
  }
  pthread_mutex_unlock(&s->lock);
  return r;
}

static void *work(void *user) {
  worker *w = user;
  char script[SCRIPT_SIZE];
  for (request *r; (r = next_request(w, script)) != NULL;) {
    bool loaded = !script[0] || load(w, script);
    if (!loaded) w->version = 0; /* it worked when it was tried: the next request tries again */
    r->ok = loaded && ask(w, r->numbers, r->count, r->text, sizeof r->text);
    if (!r->ok) take_error(w, r->text, sizeof r->text);
    lua_gc(w->L, LUA_GCSTEP, 0);
    pthread_mutex_lock(&w->s->lock);
    finish(w->s, r);
    pthread_mutex_unlock(&w->s->lock);
  }
  return NULL;
}

void service_send(service *s, request *r) {
  pthread_mutex_lock(&s->lock);
  r->state = REQUEST_WAITS;
  r->next = NULL;
  *s->last = r;
  s->last = &r->next;
  pthread_cond_signal(&s->sent);
  pthread_mutex_unlock(&s->lock);
}

void service_wait(service *s, request *r) {
  pthread_mutex_lock(&s->lock);
  while (r->state != REQUEST_DONE) pthread_cond_wait(&s->done, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

bool service_runs(service *s, const request *r) {
  pthread_mutex_lock(&s->lock);
  bool runs = r->state == REQUEST_RUNS;
  pthread_mutex_unlock(&s->lock);
  return runs;
}

void service_cancel(service *s, request *r) {
  pthread_mutex_lock(&s->lock);
  if (r->state == REQUEST_RUNS) tocha_lua_interrupt(r->worker->L);
  if (r->state == REQUEST_WAITS) {
    request **at = &s->first;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    if (!*at) s->last = at;
    r->ok = false;
    snprintf(r->text, sizeof r->text, "cancelled");
    finish(s, r);
  }
  pthread_mutex_unlock(&s->lock);
}

/* --- models ------------------------------------------------------------------------------------------ */

static bool read_script(const char *name, char *script, char *message, size_t capacity) {
  char path[256];
  snprintf(path, sizeof path, "models/%s.lua", name);
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(script, 1, SCRIPT_SIZE, file) : 0;
  if (file) fclose(file);
  bool ok = size > 0 && size < SCRIPT_SIZE;
  if (!ok) snprintf(message, capacity, "%s cannot be read, or is too long", path);
  script[ok ? size : 0] = '\0';
  return ok;
}

bool service_reload(service *s, const char *name, char *message, size_t capacity) {
  char script[SCRIPT_SIZE] = "", answer[REQUEST_TEXT];
  const float sample[REQUEST_NUMBERS] = {0};
  if (!read_script(name, script, message, capacity)) return false;
  pthread_mutex_lock(&s->reloading);
  tocha_lua_sandbox_restart(s->trial.L);
  bool ok = load(&s->trial, script) && ask(&s->trial, sample, s->inputs, answer, sizeof answer);
  if (!ok) take_error(&s->trial, message, capacity);
  pthread_mutex_lock(&s->lock);
  if (ok) {
    memcpy(s->script, script, SCRIPT_SIZE);
    s->version++;
  }
  pthread_mutex_unlock(&s->lock);
  pthread_mutex_unlock(&s->reloading);
  return ok;
}

/* --- the service --------------------------------------------------------------------------------------- */

/* Makes the layer that all models share. In place of these random weights a service would read a file. */
static tocha_shared_module *make_base(int inputs, char *message, size_t capacity) {
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return NULL;
  tocha_manual_seed(cx, 0);
  tocha_linear_options options = tocha_linear_defaults(inputs, OUTPUTS);
  tocha_module *base = tocha_nn_linear_with(cx, &options);
  tocha_shared_module *shared = tocha_module_share(cx, base);
  if (!shared) snprintf(message, capacity, "%s", tocha_error(cx)->message);
  tocha_module_release(base);
  tocha_close(cx); /* the weights stay, with what is shared */
  return shared;
}

service *service_start(int inputs, char *message, size_t capacity) {
  snprintf(message, capacity, "not enough memory");
  service *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->inputs = inputs;
  s->last = &s->first;
  pthread_mutex_init(&s->reloading, NULL);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->sent, NULL);
  pthread_cond_init(&s->done, NULL);
  s->base = make_base(inputs, message, capacity);
  bool ok = s->base && open_worker(&s->trial, s, message, capacity);
  for (int i = 0; ok && i < THREADS; i++) {
    worker *w = &s->workers[i];
    ok = open_worker(w, s, message, capacity);
    w->started = ok && pthread_create(&w->thread, NULL, work, w) == 0;
    ok = w->started;
  }
  if (ok) return s;
  service_stop(s);
  return NULL;
}

void service_stop(service *s) {
  pthread_mutex_lock(&s->lock);
  s->stops = true;
  pthread_cond_broadcast(&s->sent);
  pthread_mutex_unlock(&s->lock);
  for (int i = 0; i < THREADS; i++) {
    worker *w = &s->workers[i];
    if (w->started) pthread_join(w->thread, NULL);
    close_worker(w);
  }
  close_worker(&s->trial);
  tocha_shared_module_free(s->base);
  pthread_cond_destroy(&s->done);
  pthread_cond_destroy(&s->sent);
  pthread_mutex_destroy(&s->lock);
  pthread_mutex_destroy(&s->reloading);
  free(s);
}

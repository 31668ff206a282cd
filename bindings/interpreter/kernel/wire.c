/* wire.c: see wire.h. */
#include "interpreter/kernel/wire.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "interpreter/kernel/hmac.h"
#include "interpreter/kernel/zmq.h"
#include "lua/binding.h"
#include "platform/platform.h"
#include "tocha/context.h"

enum { SHELL, CONTROL, STDIN, HEARTBEAT, IOPUB, CHANNELS };
enum { STREAMS = 2, MAX_FRAMES = 64, CHUNK = 1 << 16, MAX_CHUNKS = 32 };
enum { TICK = 500, PAUSE = 10 }; /* milliseconds; printed text waits for more during a PAUSE */
static const int64_t LARGEST_FRAME = 1 << 28;

static const char *const channel_names[] = {"shell", "control", "stdin", "hb", "iopub", NULL};
static const char *const stream_names[] = {"stdout", "stderr"};

typedef struct connection {
  wire shared; /* comes first: a wire is a connection */
  zmq_library zmq;
  void *context, *sockets[CHANNELS];
  lua_State *L; /* the thread's own state */
  platform_thread thread, evaluator;
  int streams[STREAMS][2], log; /* pipes: both ends stay open, so that they never end */
  long parent;                  /* 0: there is no parent process to watch */
  message *last;                /* the empty message */
  bool done, leaving;
  int ticks;
  char chunk[CHUNK];
} connection;

/* --- wire.lua -------------------------------------------------------------------------------- */

static const char handlers_key = 0;

/* A call of a function of wire.lua, with a name, and a list or bytes. */
typedef struct event {
  const char *handler, *name;
  const message *list;
  const char *bytes;
  size_t size;
} event;

static int call_handler(lua_State *L) {
  const event *e = lua_touserdata(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers_key);
  lua_getfield(L, -1, e->handler);
  lua_pushstring(L, e->name);
  if (e->list)
    message_push(L, e->list);
  else
    lua_pushlstring(L, e->bytes, e->size);
  lua_call(L, 2, 0);
  return 0;
}

/* Handles one event. An error is printed on the terminal that started the kernel, and the thread
 * continues. */
static void handle(connection *c, event e) {
  lua_State *L = c->L;
  lua_settop(L, 0);
  lua_pushcfunction(L, call_handler);
  lua_pushlightuserdata(L, &e);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
  const char *text = lua_tostring(L, -1);
  char line[1024];
  snprintf(line, sizeof line, "tocha: %s: %.900s\n", e.handler, text ? text : "an error");
  platform_write(c->log, line, strlen(line));
}

static connection *self(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* send(channel, frames) sends a message on a socket. */
static int send_frames(lua_State *L) {
  connection *c = self(L);
  void *socket = c->sockets[luaL_checkoption(L, 1, NULL, channel_names)];
  message *p = message_of_list(L, 2);
  if (!p) return luaL_error(L, "a list of texts cannot be sent");
  const char *at = message_string(p, 0);
  for (size_t i = 0; i < p->count; at += p->sizes[i++]) {
    int more = i + 1 < p->count ? ZMQ_SNDMORE : 0;
    if (c->zmq.send_(socket, at, p->sizes[i], more | ZMQ_DONTWAIT) < 0) break;
  }
  free(p);
  return 0;
}

/* deliver("requests", "begun" or "inputs", list) puts a message into a queue. */
static int deliver(lua_State *L) {
  static const char *const names[] = {"requests", "begun", "inputs", NULL};
  wire *w = &self(L)->shared;
  queue *const queues[] = {&w->requests, &w->begun, &w->inputs};
  queue *to = queues[luaL_checkoption(L, 1, NULL, names)];
  message *p = message_of_list(L, 2);
  if (!p) return luaL_error(L, "a list of texts cannot be delivered");
  queue_put(to, p);
  return 0;
}

/* interrupt() interrupts the evaluation, and the programs that it has started, as Ctrl-C does. */
static int interrupt(lua_State *L) {
  if (!platform_interrupt_group()) platform_interrupt_thread(&self(L)->evaluator);
  return 0;
}

/* leave() interrupts the evaluation again and again until the program ends. */
static int leave(lua_State *L) {
  self(L)->leaving = true;
  return interrupt(L);
}

/* hmac(key, text) returns the signature of a text. */
static int hmac(lua_State *L) {
  size_t key_size, size;
  const char *key = luaL_checklstring(L, 1, &key_size), *text = luaL_checklstring(L, 2, &size);
  char digits[HMAC_DIGITS + 1];
  hmac_sha256(key, key_size, text, size, digits);
  lua_pushlstring(L, digits, HMAC_DIGITS);
  return 1;
}

/* now() returns the time in ISO 8601. */
static int now(lua_State *L) {
  enum { SECOND = 1000000000, MICROSECOND = 1000 };
  int64_t t = platform_wall_clock();
  struct tm parts;
  char text[32];
  if (!platform_universal_time(t / SECOND, &parts)) return 0;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  size_t length = strlen(text);
  snprintf(text + length, sizeof text - length, ".%06dZ", (int)(t % SECOND / MICROSECOND));
  lua_pushstring(L, text);
  return 1;
}

/* unique() returns sixteen unpredictable bytes as hexadecimal digits. */
static int unique(lua_State *L) {
  unsigned char bytes[16] = {0};
  char text[2 * sizeof bytes + 1];
  if (!platform_random_bytes(bytes, sizeof bytes)) return luaL_error(L, "no random numbers");
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  lua_pushlstring(L, text, 2 * sizeof bytes);
  return 1;
}

static void load_part(lua_State *L, const char *name) {
  size_t size = 0;
  const char *source = lua_source(name, &size);
  if (!source || luaL_loadbufferx(L, source, size, name, "t") != LUA_OK)
    luaL_error(L, "no part %s", name);
}

/* (connection, key) Loads wire.lua in the thread's own state. */
static int open_handlers(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"send", send_frames}, {"deliver", deliver}, {"hmac", hmac},     {"interrupt", interrupt},
      {"leave", leave},      {"now", now},         {"unique", unique}, {NULL, NULL}};
  luaL_openlibs(L);
  load_part(L, "kernel.wire");
  load_part(L, "tools.json");
  lua_call(L, 0, 1);
  luaL_newlibtable(L, functions);
  lua_pushvalue(L, 1);
  luaL_setfuncs(L, functions, 1);
  lua_pushvalue(L, 2);
  lua_pushstring(L, tocha_version());
  lua_call(L, 4, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &handlers_key);
  return 0;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* Returns one message of a socket, or NULL if there is no message or no memory. Frames after the
 * first 64 are dropped. */
static message *receive(connection *c, void *socket) {
  zmq_message frames[MAX_FRAMES], extra;
  size_t sizes[MAX_FRAMES], count = 0;
  for (bool more = true; more;) {
    zmq_message *m = count < MAX_FRAMES ? &frames[count] : &extra;
    c->zmq.msg_init_(m);
    bool got = c->zmq.msg_recv_(m, socket, ZMQ_DONTWAIT) >= 0;
    more = got && c->zmq.msg_more_(m);
    if (m != &extra && got)
      sizes[count++] = c->zmq.msg_size_(m);
    else
      c->zmq.msg_close_(m);
  }
  message *p = count > 0 ? message_new(count, sizes) : NULL;
  char *to = p ? message_string(p, 0) : NULL;
  for (size_t i = 0; i < count; i++) {
    if (p && sizes[i] > 0) memcpy(to, c->zmq.msg_data_(&frames[i]), sizes[i]);
    if (p) to += sizes[i];
    c->zmq.msg_close_(&frames[i]);
  }
  return p;
}

static void echo(connection *c, message *p) {
  for (size_t i = 0; i < p->count; i++) {
    int more = i + 1 < p->count ? ZMQ_SNDMORE : 0;
    c->zmq.send_(c->sockets[HEARTBEAT], message_string(p, i), p->sizes[i], more | ZMQ_DONTWAIT);
  }
}

static void read_socket(connection *c, int channel) {
  message *p = receive(c, c->sockets[channel]);
  if (p && channel == HEARTBEAT)
    echo(c, p);
  else if (p)
    handle(c, (event){"received", channel_names[channel], p, NULL, 0});
  free(p);
}

/* Passes on the contents of the pipes of stdout and stderr. */
static void read_streams(connection *c) {
  for (int i = 0; i < STREAMS; i++) {
    for (int n = 0; n < MAX_CHUNKS; n++) {
      int64_t got = platform_read(c->streams[i][0], c->chunk, CHUNK);
      if (got <= 0) break;
      handle(c, (event){"printed", stream_names[i], NULL, c->chunk, (size_t)got});
    }
  }
}

/* Sends queued messages. Output printed before a message is sent before it. */
static void send_outgoing(connection *c) {
  char bytes[64];
  queue *q = &c->shared.outgoing;
  if (platform_read(q->bell[0], bytes, sizeof bytes) < 0) return;
  for (message *p; (p = queue_take(q)) != NULL; free(p)) {
    read_streams(c);
    if (p->count == 0)
      c->done = true;
    else
      handle(c, (event){"outgoing", NULL, p, NULL, 0});
  }
}

/* Interrupts the evaluation if the program should end, and ends the program if that does not
 * help. */
static void tick(connection *c) {
  if (c->parent && platform_parent_process() != c->parent) c->leaving = true;
  if (!c->leaving) return;
  if (c->ticks++ > 6) _Exit(EXIT_FAILURE);
  platform_interrupt_thread(&c->evaluator);
}

static int64_t milliseconds(void) { return platform_nanoseconds() / 1000000; }

static void *run(void *argument) {
  connection *c = argument;
  enum { BELL = IOPUB, OUT, ERR, ITEMS };
  zmq_poll_item items[ITEMS] = {0};
  int64_t next_tick = milliseconds() + TICK;
  bool pause = false;
  for (int i = 0; i < BELL; i++) items[i] = (zmq_poll_item){c->sockets[i], 0, ZMQ_POLLIN, 0};
  items[BELL] = (zmq_poll_item){NULL, c->shared.outgoing.bell[0], ZMQ_POLLIN, 0};
  items[OUT] = (zmq_poll_item){NULL, c->streams[0][0], ZMQ_POLLIN, 0};
  items[ERR] = (zmq_poll_item){NULL, c->streams[1][0], ZMQ_POLLIN, 0};
  while (!c->done) {
    int ready = c->zmq.poll_(items, pause ? OUT : ITEMS, pause ? PAUSE : TICK);
    bool due = pause; /* something was printed one pause ago */
    for (int i = 0; ready > 0 && i < BELL; i++) {
      if (items[i].revents & ZMQ_POLLIN) read_socket(c, i);
    }
    if (ready > 0 && items[BELL].revents & ZMQ_POLLIN) send_outgoing(c);
    if (due) read_streams(c);
    pause = !due && ready > 0 && (items[OUT].revents | items[ERR].revents) & ZMQ_POLLIN;
    if (milliseconds() < next_tick) continue;
    tick(c);
    next_tick = milliseconds() + TICK;
  }
  return NULL;
}

/* --- beginning and end ----------------------------------------------------------------------- */

static bool open_socket(connection *c, int channel, const char *address) {
  int linger = 1000, all = 0;
  void *socket = c->zmq.socket_(c->context, channel == IOPUB ? ZMQ_PUB : ZMQ_ROUTER);
  c->sockets[channel] = socket;
  if (!socket) return false;
  c->zmq.setsockopt_(socket, ZMQ_LINGER, &linger, sizeof linger);
  c->zmq.setsockopt_(socket, ZMQ_MAXMSGSIZE, &LARGEST_FRAME, sizeof LARGEST_FRAME);
  c->zmq.setsockopt_(socket, ZMQ_SNDHWM, &all, sizeof all); /* no output is lost */
  c->zmq.setsockopt_(socket, ZMQ_RCVHWM, &all, sizeof all);
  return c->zmq.bind_(socket, address) == 0;
}

/* Makes the file descriptor `to` (1, 2) a pipe, whose other end the thread reads. Returns false
 * if that fails. */
static bool move_stream(connection *c, int index, int to) {
  int *ends = c->streams[index];
  return platform_open_pipe(ends) && platform_never_wait(ends[0]) && platform_replace(to, ends[1]);
}

static bool open_queues(wire *w) {
  return queue_open(&w->requests) && queue_open(&w->begun) && queue_open(&w->inputs) &&
         queue_open(&w->outgoing);
}

static const char *open_thread_state(connection *c, const char *key) {
  c->L = luaL_newstate();
  if (!c->L) return "not enough memory";
  lua_pushcfunction(c->L, open_handlers);
  lua_pushlightuserdata(c->L, c);
  lua_pushstring(c->L, key);
  return lua_pcall(c->L, 2, 0, 0) == LUA_OK ? NULL : lua_tostring(c->L, -1);
}

/* Opens everything and starts the thread. Returns the error's text, or NULL. */
static const char *begin(connection *c, const char *const addresses[], const char *key) {
  c->evaluator = platform_this_thread();
  c->parent = getenv("JPY_PARENT_PID") ? platform_parent_process() : 0;
  c->log = platform_duplicate(PLATFORM_STDERR);
  if (!zmq_open(&c->zmq)) return "libzmq is not here (Debian: libzmq5)";
  const char *problem = open_thread_state(c, key);
  if (problem) return problem;
  c->context = c->zmq.ctx_new_();
  c->last = message_new(0, NULL);
  if (!c->context || !c->last || !open_queues(&c->shared)) return "not enough memory";
  for (int i = 0; i < CHANNELS; i++) {
    if (!open_socket(c, i, addresses[i])) return c->zmq.strerror_(c->zmq.errno_());
  }
  if (!move_stream(c, 0, PLATFORM_STDOUT) || !move_stream(c, 1, PLATFORM_STDERR)) return "no pipes";
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  return platform_start_thread(&c->thread, 0, run, c) ? NULL : "no thread";
}

wire *wire_start(lua_State *L, const char *const addresses[CHANNELS], const char *key) {
  connection *c = calloc(1, sizeof *c);
  const char *problem = c ? begin(c, addresses, key) : "not enough memory";
  if (!problem) return &c->shared;
  lua_pushstring(L, problem); /* the end of the program frees what was opened */
  return NULL;
}

void wire_stop(wire *w) {
  connection *c = (connection *)w;
  fflush(stdout);
  queue_put(&w->outgoing, c->last);
  platform_join_thread(&c->thread);
  for (int i = 0; i < CHANNELS; i++) c->zmq.close_(c->sockets[i]);
  c->zmq.ctx_term_(c->context);
  lua_close(c->L);
  queue_close(&w->requests);
  queue_close(&w->begun);
  queue_close(&w->inputs);
  queue_close(&w->outgoing);
  platform_replace(PLATFORM_STDOUT, c->log);
  platform_replace(PLATFORM_STDERR, c->log);
  for (int i = 0; i < STREAMS; i++) {
    platform_close(c->streams[i][0]);
    platform_close(c->streams[i][1]);
  }
  platform_close(c->log);
  free(c);
}

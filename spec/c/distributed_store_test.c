/* distributed_store_test.c: stores in C: threads that share one, junk on a server's port, connections that close at any point,
 * deadlines, interrupts, and the meeting of ranks that are threads. Prints what failed; exits with 0 when nothing did. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store.h"
#include "platform/platform.h"
#include "tocha/context.h"

static int failures;

static void expect(bool holds, const char *what) {
  if (holds) return;
  failures++;
  printf("not ok: %s\n", what);
}

static const int64_t second = 1000000000;

static int64_t in_seconds(double seconds) {
  return platform_nanoseconds() + (int64_t)(seconds * (double)second);
}

/* Returns true if the context's error has the code and begins with the text; clears it. */
static bool failed_with(tocha_context *cx, tocha_error_code code, const char *text) {
  const tocha_error_info *error = tocha_error(cx);
  bool as_said = error->code == code && strncmp(error->message, text, strlen(text)) == 0;
  if (!as_said) printf("  got: %s (%d)\n", error->message, (int)error->code);
  tocha_clear_error(cx);
  return as_said;
}

static bool value_is(tocha_context *cx, tocha_store *store, const char *name, const char *text) {
  void *bytes;
  size_t size;
  if (!tocha_store_get(cx, store, name, &bytes, &size)) return false;
  bool same = size == strlen(text) && memcmp(bytes, text, size) == 0;
  tocha_free(bytes);
  return same;
}

/* --- threads ---------------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 200 };

static void *count_up(void *user) {
  tocha_store_failure failure;
  int64_t sum;
  for (int i = 0; i < ROUNDS; i++)
    if (!store_add(user, "count", 1, 0, &sum, &failure)) return "failed";
  return NULL;
}

/* Threads add to one number, by the same store and by connections of their own. */
static void share(tocha_context *cx, tocha_store *store, const char *what) {
  pthread_t threads[THREADS];
  tocha_store *own[THREADS];
  tocha_store_failure failure;
  bool all = true;
  for (int i = 0; i < THREADS; i++) {
    own[i] = i % 2 ? store_clone(store, &failure) : tocha_store_retain(store);
    pthread_create(&threads[i], NULL, count_up, own[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    all = all && !result;
    tocha_store_free(own[i]);
  }
  char sum[16];
  snprintf(sum, sizeof sum, "%d", THREADS * ROUNDS);
  expect(all && value_is(cx, store, "count", sum), what);
}

static void *set_soon(void *user) {
  tocha_store_failure failure;
  platform_sleep(second / 10);
  store_set(user, "late", "yes", 3, &failure);
  return NULL;
}

static void wait_for_another(tocha_context *cx, tocha_store *store, const char *what) {
  pthread_t thread;
  tocha_store_failure failure;
  tocha_store *own = store_clone(store, &failure);
  pthread_create(&thread, NULL, set_soon, own);
  expect(value_is(cx, store, "late", "yes"), what);
  pthread_join(thread, NULL);
  tocha_store_free(own);
}

static void *interrupt_soon(void *user) {
  platform_sleep(second / 10);
  tocha_interrupt(user);
  return NULL;
}

static void interrupt(tocha_context *cx, tocha_store *store, const char *what) {
  pthread_t thread;
  void *bytes;
  size_t size;
  int64_t begin = platform_nanoseconds();
  pthread_create(&thread, NULL, interrupt_soon, cx);
  bool got = tocha_store_get(cx, store, "never", &bytes, &size);
  pthread_join(thread, NULL);
  expect(!got && failed_with(cx, TOCHA_INTERRUPTED, "") && platform_nanoseconds() - begin < second,
         what);
  expect(tocha_store_set(cx, store, "after", "1", 1) && value_is(cx, store, "after", "1"), what);
}

static void *wait_for_never(void *user) {
  tocha_store_failure failure;
  bool came = store_wait(user, "never", in_seconds(20), &failure);
  return came || failure.kind != TOCHA_STORE_CLOSED ? "not closed" : NULL;
}

static void abort_wait(tocha_store *store, const char *what) {
  pthread_t thread;
  tocha_store_failure failure;
  tocha_store *own = store_clone(store, &failure);
  void *result;
  int64_t begin = platform_nanoseconds();
  pthread_create(&thread, NULL, wait_for_never, own);
  platform_sleep(second / 20);
  store_abort(own);
  pthread_join(thread, &result);
  expect(!result && platform_nanoseconds() - begin < second, what);
  tocha_store_free(own);
}

static void use(tocha_context *cx, tocha_store *store, const char *kind) {
  char what[100];
#define WHAT(text) (snprintf(what, sizeof what, "%s: %s", kind, text), what)
  tocha_store_set_timeout(store, 10);
  share(cx, store, WHAT("threads add to one number"));
  wait_for_another(cx, store, WHAT("a get waits for another thread's set"));
  interrupt(cx, store, WHAT("an interrupt ends a get, and the store goes on"));
  tocha_store_failure failure;
  int64_t begin = platform_nanoseconds();
  bool came = store_wait(store, "never", in_seconds(0.2), &failure);
  int64_t took = platform_nanoseconds() - begin;
  expect(!came && failure.kind == TOCHA_STORE_TIMED_OUT && took >= second / 5 && took < second,
         WHAT("a deadline holds"));
#undef WHAT
}

/* --- junk ------------------------------------------------------------------------------------------- */

/* Connects, sends bytes, and closes. */
static void send_junk(int port, const void *bytes, size_t size) {
  platform_endpoint endpoint;
  const char *reason;
  if (platform_resolve("127.0.0.1", port, &endpoint, 1, &reason) != 1) return;
  int socket = platform_begin_connect(&endpoint);
  platform_watch watch = {.socket = socket, .write = true};
  platform_wait_for_sockets(&watch, 1, in_seconds(5));
  if (platform_is_connected(socket)) platform_send(socket, bytes, size);
  platform_close(socket);
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static const char greeting[] = "\0\xce\xf7\x85\x3c";

static void bombard(int port) {
  static const char http[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  static const char huge[] = "\0\xce\xf7\x85\x3c\x01\xff\xff\xff\xff\xff\xff\xff\x7f";
  static const char many[] = "\0\xce\xf7\x85\x3c\x06\xff\xff\xff\xff\xff\xff\xff\x7f";
  static const char half[] = "\0\xce\xf7\x85\x3c\x01\x05\0\0\0\0\0\0\0ab";
  static const char waits[] = "\0\xce\xf7\x85\x3c\x06\x01\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0never";
  send_junk(port, http, sizeof http - 1);
  send_junk(port, huge, sizeof huge - 1);
  send_junk(port, many, sizeof many - 1);
  for (size_t size = 0; size < sizeof half; size++) send_junk(port, half, size);
  for (size_t size = 0; size < sizeof waits; size++) send_junk(port, waits, size);
  uint32_t state = 1;
  char bytes[600];
  for (int i = 0; i < 300; i++) {
    for (size_t j = 0; j < sizeof bytes; j++)
      bytes[j] = (char)(next_random(&state) & (i % 2 ? 255 : 31));
    if (i % 3) memcpy(bytes, greeting, 5);
    send_junk(port, bytes, next_random(&state) % sizeof bytes);
  }
}

/* --- connections that close --------------------------------------------------------------------------- */

static void close_connections(tocha_context *cx, tocha_store *store) {
  tocha_store_failure failure;
  tocha_store *dies = store_clone(store, &failure), *leaves = store_clone(store, &failure);
  store_announce(dies, 3, &failure);
  store_announce(leaves, 4, &failure);
  store_retire(leaves, 4, &failure);
  tocha_store_free(leaves);
  tocha_store_free(dies);
  bool is_set = true;
  expect(value_is(cx, store, "tocha/closing/1", "3"),
         "the closing of an announced connection is told");
  expect(store_wait(store, "tocha/closed/3", in_seconds(5), &failure), "by the rank, too");
  expect(store_check(store, "tocha/closed/4", 0, &is_set, &failure) && !is_set,
         "who retired is not told of");
}

/* A connection for one question: a wait that times out closes it, and is not taken back. */
static void ask_briefly(tocha_store *store) {
  tocha_store_failure failure;
  tocha_store *stays = store_clone(store, &failure),
              *asks = store_clone_until(store, in_seconds(5), &failure);
  void *bytes;
  size_t size;
  bool is_set = true;
  store_announce(stays, 5, &failure);
  store_announce(asks, 6, &failure);
  expect(!store_get(stays, "never", in_seconds(0.05), &bytes, &size, &failure) &&
             !store_get(asks, "never", in_seconds(0.05), &bytes, &size, &failure) &&
             failure.kind == TOCHA_STORE_TIMED_OUT,
         "a question times out");
  expect(store_wait(store, "tocha/closed/6", in_seconds(5), &failure),
         "then a connection for one question is closed");
  expect(store_check(store, "tocha/closed/5", 0, &is_set, &failure) && !is_set,
         "any other one stays");
  store_retire(stays, 5, &failure);
  tocha_store_free(stays);
  tocha_store_free(asks);
}

static void lose_server(tocha_context *cx) {
  tocha_store *server = tocha_tcp_store_new(cx, "localhost", 0, -1, true, 5, false);
  tocha_store_failure failure;
  tocha_store *client = store_clone(server, &failure);
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, wait_for_never, client);
  platform_sleep(second / 20);
  tocha_store_free(server);
  pthread_join(thread, &result);
  expect(!result, "a wait ends when the server does");
  void *bytes;
  size_t size;
  expect(!tocha_store_get(cx, client, "a", &bytes, &size) &&
             failed_with(cx, TOCHA_NETWORK_ERROR, "Failed to recv, got 0 bytes"),
         "later calls say that the server is gone");
  tocha_store_free(client);
}

enum { CROWD = 300 };

/* Many connections of one server; an answer for each while the others are open. */
static void crowd(tocha_context *cx, tocha_store *store) {
  tocha_store *clients[CROWD];
  tocha_store_failure failure;
  int64_t sum = 0;
  bool all = true;
  for (int i = 0; i < CROWD; i++) clients[i] = store_clone(store, &failure);
  for (int i = 0; i < CROWD; i++)
    all = all && clients[i] && store_add(clients[i], "crowd", 1, 0, &sum, &failure);
  for (int i = 0; i < CROWD; i++) tocha_store_free(clients[i]);
  expect(all && sum == CROWD && tocha_store_set(cx, store, "k", "v", 1),
         "one thread serves hundreds of clients");
}

/* --- meetings ----------------------------------------------------------------------------------------- */

typedef struct visitor {
  tocha_store *store;
  int rank, world_size;
  double timeout;
  bool joined;
  char message[300], hint[400];
} visitor;

static void *join(void *user) {
  visitor *v = user;
  tocha_context *cx = tocha_open(NULL);
  tocha_store *joined = join_rendezvous(cx, v->store, v->rank, v->world_size, v->timeout);
  v->joined = joined != NULL;
  snprintf(v->message, sizeof v->message, "%s", tocha_error(cx)->message);
  snprintf(v->hint, sizeof v->hint, "%s", tocha_error(cx)->hint);
  tocha_member member;
  tocha_store_failure failure;
  for (int i = 0; joined && i < v->world_size; i++)
    v->joined = v->joined && read_member(joined, i, in_seconds(5), &member, &failure) &&
                member.rank == i && member.process == platform_process_number() &&
                member.world_size == v->world_size;
  if (joined) leave_rendezvous(joined, v->rank);
  tocha_store_free(joined);
  tocha_close(cx);
  return NULL;
}

static void meet(visitor *visitors, int count) {
  pthread_t threads[THREADS];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, join, &visitors[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void meetings(tocha_context *cx) {
  tocha_store *store = tocha_hash_store_new(cx);
  for (int round = 0; round < 5; round++) {
    visitor all[4];
    for (int i = 0; i < 4; i++)
      all[i] = (visitor){.store = store, .rank = i, .world_size = 4, .timeout = 10};
    meet(all, 4);
    for (int i = 0; i < 4; i++) expect(all[i].joined, "four ranks meet, leave and meet again");
  }
  tocha_store_free(store);

  store = tocha_hash_store_new(cx);
  visitor sizes[2] = {{store, 0, 2, 10, 0, "", ""}, {store, 1, 3, 10, 0, "", ""}};
  meet(sizes, 2);
  for (int i = 0; i < 2; i++)
    expect(!sizes[i].joined &&
               strncmp(sizes[i].message, "The ranks disagree on the world size: rank ", 43) == 0 &&
               strstr(sizes[i].hint, "WORLD_SIZE"),
           "another world size is named on both ranks");
  tocha_store_free(store);

  store = tocha_hash_store_new(cx);
  visitor twins[3] = {
      {store, 0, 3, 10, 0, "", ""}, {store, 1, 3, 10, 0, "", ""}, {store, 1, 3, 10, 0, "", ""}};
  meet(twins, 3);
  for (int i = 0; i < 3; i++)
    expect(!twins[i].joined && strncmp(twins[i].message, "Two processes are rank 1: ", 26) == 0,
           "a rank that came twice is named on all");
  tocha_store_free(store);

  store = tocha_hash_store_new(cx);
  visitor few[2] = {{store, 0, 4, 0.5, 0, "", ""}, {store, 2, 4, 0.5, 0, "", ""}};
  meet(few, 2);
  for (int i = 0; i < 2; i++)
    expect(!few[i].joined && strstr(few[i].message, "2/4 clients joined.") &&
               strstr(few[i].hint, "ranks 1, 3 did not come"),
           "ranks that did not come are named");
  tocha_store_free(store);
}

/* A rank that set its record, and whose connection then closes, has ended. */
static void end_early(tocha_context *cx) {
  tocha_store *server = tocha_tcp_store_new(cx, "localhost", 0, -1, true, 5, false);
  tocha_store_failure failure;
  tocha_store *dies = store_clone(server, &failure);
  visitor waits = {.store = server, .rank = 0, .world_size = 2, .timeout = 10};
  static const char record[] = "1\n2\n77\nelsewhere\n10.0.0.1\n0\n";
  pthread_t thread;
  store_set(dies, "tocha/meeting/0/1/member/1", record, sizeof record - 1, &failure);
  pthread_create(&thread, NULL, join, &waits);
  platform_sleep(second / 10);
  tocha_store_free(dies);
  pthread_join(thread, NULL);
  expect(strcmp(waits.message,
                "rank 1 (host elsewhere, process 77) ended before all ranks had come") == 0,
         "a rank that ended while others wait is named");
  tocha_store_free(server);
}

static void *free_store(void *user) {
  tocha_store_free(user);
  return NULL;
}

/* A server stays until ranks that meet have heard of the outcome. */
static void stay(tocha_context *cx) {
  tocha_store *server = tocha_tcp_store_new(cx, "localhost", 0, -1, true, 5, false);
  tocha_store_failure failure;
  tocha_store *visits = store_clone(server, &failure);
  pthread_t thread;
  store_set(visits, "tocha/meeting/0/1/member/1", "1", 1, &failure);
  pthread_create(&thread, NULL, free_store, server);
  platform_sleep(second / 10);
  expect(value_is(cx, visits, "tocha/meeting/0/1/member/1", "1"),
         "a server stays for the ranks that meet");
  int64_t begin = platform_nanoseconds();
  tocha_store_free(visits);
  pthread_join(thread, NULL);
  expect(platform_nanoseconds() - begin < second / 2, "and no longer than they do");
}

/* Returns the address that a rank publishes in a world of one if GLOO_SOCKET_IFNAME is `interfaces`, "" if it fails. */
static const char *published_address(tocha_context *cx, const char *interfaces, const char *host) {
  static char address[64];
  tocha_store *store = tocha_tcp_store_new(cx, host, 0, -1, true, 5, false);
  tocha_store_failure failure;
  tocha_member member = {0};
  setenv("GLOO_SOCKET_IFNAME", interfaces, 1);
  tocha_store *joined = join_rendezvous(cx, store, 0, 1, 5);
  unsetenv("GLOO_SOCKET_IFNAME");
  if (joined) read_member(joined, 0, in_seconds(5), &member, &failure);
  snprintf(address, sizeof address, "%s", member.address);
  tocha_store_free(joined);
  tocha_store_free(store);
  return address;
}

static void addresses(tocha_context *cx) {
  char name[256];
  expect(strcmp(published_address(cx, "", "localhost"), "127.0.0.1") == 0,
         "a store at a loopback is reached by it");
  expect(strcmp(published_address(cx, "lo", "localhost"), "127.0.0.1") == 0,
         "an interface that is named");
  expect(strcmp(published_address(cx, "none,lo", "localhost"), "127.0.0.1") == 0,
         "a list of interfaces");
  expect(strncmp(published_address(cx, "^lo", "localhost"), "127.", 4) != 0 ||
             failed_with(cx, TOCHA_RUNTIME_ERROR, "Unable"),
         "any interface but one");
  tocha_clear_error(cx);
  expect(!published_address(cx, "none", "localhost")[0] &&
             failed_with(cx, TOCHA_RUNTIME_ERROR, "Unable to find interface for: none"),
         "an interface that is not there");
  platform_interface list[16];
  bool has_other = false;
  int count = platform_interfaces(list, 16);
  for (int i = 0; i < count; i++) has_other = has_other || !list[i].loopback;
  if (!platform_machine_name(name, sizeof name) || !has_other) return;
  platform_endpoint endpoint;
  const char *reason;
  if (platform_resolve(name, 1, &endpoint, 1, &reason) == 1)
    expect(strncmp(published_address(cx, "", name), "127.", 4) != 0,
           "this host's name is not published as its loopback");
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_store *hash = tocha_hash_store_new(cx);
  use(cx, hash, "HashStore");
  abort_wait(hash, "HashStore: an aborted wait ends");
  tocha_store_free(hash);
  tocha_store *tcp = tocha_tcp_store_new(cx, "localhost", 0, 1, true, 10, true);
  expect(tcp != NULL, "a TCPStore opens");
  use(cx, tcp, "TCPStore");
  abort_wait(tcp, "TCPStore: an aborted wait ends");
  bombard(tocha_tcp_store_port(tcp));
  expect(tocha_store_set(cx, tcp, "k", "v", 1) && value_is(cx, tcp, "k", "v"),
         "junk on the port costs nothing");
  close_connections(cx, tcp);
  ask_briefly(tcp);
  crowd(cx, tcp);
  expect(!tocha_tcp_store_new(cx, "localhost", tocha_tcp_store_port(tcp), 1, true, 5, false) &&
             failed_with(cx, TOCHA_NETWORK_ERROR, "The server socket has failed to listen"),
         "a port in use");
  tocha_store_free(tcp);
  tocha_store *file = tocha_file_store_new(cx, "distributed_store_test.values", 1);
  use(cx, file, "FileStore");
  tocha_store_free(file);
  platform_status status;
  expect(!platform_path_status("distributed_store_test.values", &status),
         "the last user removes the file of a FileStore");
  lose_server(cx);
  meetings(cx);
  end_early(cx);
  stay(cx);
  addresses(cx);
  tocha_close(cx);
  if (!failures) printf("ok\n");
  return failures != 0;
}

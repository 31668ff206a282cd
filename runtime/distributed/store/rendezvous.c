/* rendezvous.c: the store of an init_method: env://, tcp://, file://. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "distributed/store/kinds.h"
#include "platform/platform.h"

/* An init_method and the environment, read. */
typedef struct method {
  char scheme[16];
  const char *text;  /* behind "SCHEME://" */
  const char *query; /* behind '?', or "" */
  char host[256];
  int port, rank, world_size;
} method;

static const char *const launched_hint =
    "start the script with `tocha --nproc 2 script.lua` or torchrun, which set RANK, WORLD_SIZE, "
    "MASTER_ADDR and MASTER_PORT; "
    "or give init_method = \"tcp://127.0.0.1:29500\", rank and world_size";

static void *fail(tocha_context *cx, const method *m, const char *what, const char *hint) {
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Error initializing torch.distributed using %s:// rendezvous: %s", m->scheme, what);
  return tocha_hint(cx, "%s", hint);
}

/* --- numbers and variables ---------------------------------------------------------------------------- */

static const char *variable(const tocha_context *cx, const char *name) {
  const char *value = tocha_environment(cx, name);
  return value && value[0] ? value : NULL;
}

/* Reads a whole number of decimal digits. */
static bool read_number(const char *text, size_t size, int *number) {
  char digits[16], *end;
  if (size == 0 || size >= sizeof digits) return false;
  memcpy(digits, text, size);
  digits[size] = 0;
  long value = strtol(digits, &end, 10);
  *number = (int)value;
  return *end == 0 && value >= INT32_MIN && value <= INT32_MAX;
}

/* Reads a number of the environment. `needed`: fails if it is not set. */
static bool number_of_variable(tocha_context *cx, const method *m, const char *name, int *number) {
  const char *value = variable(cx, name);
  char what[120];
  if (!value) {
    snprintf(what, sizeof what, "environment variable %s expected, but not set", name);
    return fail(cx, m, what, launched_hint) != NULL;
  }
  if (read_number(value, strlen(value), number)) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "invalid literal for int() with base 10: '%.40s'", value);
  return tocha_hint(cx, "the environment variable %s has to be a whole number", name) != NULL;
}

/* Reads a number of the query ("rank=0&world_size=2"). Returns false if it is not there. */
static bool number_of_query(const char *query, const char *name, int *number) {
  size_t size = strlen(name);
  for (const char *at = query; *at;) {
    size_t length = strcspn(at, "&");
    if (length > size && strncmp(at, name, size) == 0 && at[size] == '=')
      return read_number(at + size + 1, length - size - 1, number);
    at += length + (at[length] == '&');
  }
  return false;
}

/* --- the methods -------------------------------------------------------------------------------------- */

/* Returns true if the launcher serves a store at the address: then nobody else does. */
static bool launcher_serves(const tocha_context *cx, const method *m) {
  const char *used = variable(cx, "TORCHELASTIC_USE_AGENT_STORE");
  const char *host = variable(cx, "MASTER_ADDR"), *port = variable(cx, "MASTER_PORT");
  int number;
  return used && strcmp(used, "True") == 0 && host && strcmp(host, m->host) == 0 && port &&
         read_number(port, strlen(port), &number) && number == m->port;
}

/* Returns true if all ranks run on this host, as launchers say. */
static bool all_ranks_are_here(const tocha_context *cx, int world_size) {
  const char *local = variable(cx, "LOCAL_WORLD_SIZE");
  int number;
  return local && read_number(local, strlen(local), &number) && number == world_size;
}

/* Replaces the error of a port that is taken if another rank 0 serves there, and tells all who wait for it. */
static void explain_taken_port(tocha_context *cx, const method *m, const char *host) {
  tocha_store_failure failure;
  tocha_store *store = store_connect(host, m->port, 1, &failure);
  char machine[64] = "unnamed", problem[512];
  platform_machine_name(machine, sizeof machine);
  snprintf(problem, sizeof problem,
           "Two processes are rank 0: one serves port %d of %.80s, and process %ld of host %s came "
           "second\n"
           "each process needs a RANK of its own, from 0 to %d; two runs at a time need ports of "
           "their own (MASTER_PORT)",
           m->port, m->host, platform_process_number(), machine, m->world_size - 1);
  if (store && store_tell_twin(cx, store, problem)) {
    size_t first = strcspn(problem, "\n");
    tocha_clear_error(cx);
    tocha_fail(cx, TOCHA_STORE_ERROR, "%.*s", (int)first, problem);
    tocha_hint(cx, "%s", problem + first + 1);
  }
  tocha_store_free(store);
}

static tocha_store *open_tcp(tocha_context *cx, const method *m, double timeout) {
  if (m->port < 0 || m->port > 65535)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "port must have value from 0 to 65535 but was %d.",
                      m->port);
  bool launcher = launcher_serves(cx, m), serves = m->rank == 0 && !launcher;
  const char *host = m->host;
  if (!launcher && all_ranks_are_here(cx, m->world_size)) host = "127.0.0.1";
  if (m->port == 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "port must have value from 0 to 65535 but was %d.", m->port);
    return tocha_hint(cx, "all ranks have to know the port: choose one, or let a launcher do so");
  }
  tocha_store *store = tocha_tcp_store_new(cx, host, m->port, -1, serves, timeout, false);
  if (!store && serves && tocha_error(cx)->code == TOCHA_NETWORK_ERROR)
    explain_taken_port(cx, m, host);
  return store;
}

/* Reads "HOST:PORT"; the host may be an address of IPv6 in brackets. */
static bool read_endpoint(tocha_context *cx, method *m) {
  size_t length = strcspn(m->text, "/?");
  const char *end = m->text + length, *colon = NULL;
  bool brackets = m->text[0] == '[';
  for (const char *at = m->text; at < end; at++)
    if (*at == ':' || *at == ']') colon = *at == ':' ? at : NULL;
  if (!colon || !read_number(colon + 1, (size_t)(end - colon - 1), &m->port))
    return fail(cx, m, "port number missing",
                "an address is tcp://HOST:PORT, such as tcp://127.0.0.1:29500") != NULL;
  const char *first = m->text + brackets, *last = colon - brackets;
  if (last <= first || (size_t)(last - first) >= sizeof m->host)
    return fail(cx, m, "host name missing",
                "an address is tcp://HOST:PORT, such as tcp://127.0.0.1:29500") != NULL;
  memcpy(m->host, first, (size_t)(last - first));
  m->host[last - first] = 0;
  return true;
}

/* Takes rank and world size of the query, unless they were given. */
static bool read_ranks(tocha_context *cx, method *m) {
  static const char *const hint = "give them to init_process_group: rank = 0, world_size = 2";
  if (m->rank < 0 && !number_of_query(m->query, "rank", &m->rank))
    return fail(cx, m, "rank parameter missing", hint) != NULL;
  if (m->world_size <= 0 && !number_of_query(m->query, "world_size", &m->world_size))
    return fail(cx, m, "world size parameter missing", hint) != NULL;
  return true;
}

static bool read_environment(tocha_context *cx, method *m) {
  if (m->rank < 0 && !number_of_query(m->query, "rank", &m->rank) &&
      !number_of_variable(cx, m, "RANK", &m->rank))
    return false;
  if (m->world_size <= 0 && !number_of_query(m->query, "world_size", &m->world_size) &&
      !number_of_variable(cx, m, "WORLD_SIZE", &m->world_size))
    return false;
  const char *host = variable(cx, "MASTER_ADDR");
  if (!host)
    return fail(cx, m, "environment variable MASTER_ADDR expected, but not set", launched_hint) !=
           NULL;
  snprintf(m->host, sizeof m->host, "%s", host);
  return number_of_variable(cx, m, "MASTER_PORT", &m->port);
}

static tocha_store *open_file(tocha_context *cx, const method *m, double timeout) {
  char path[4096];
  size_t length = strcspn(m->text, "?");
  if (length == 0 || length >= sizeof path)
    return fail(cx, m, "path missing",
                "a file of a folder that all ranks see: file:///shared/folder/name");
  memcpy(path, m->text, length);
  path[length] = 0;
  tocha_store *store = tocha_file_store_new(cx, path, m->world_size);
  tocha_store_set_timeout(store, timeout);
  return store;
}

/* Splits an init_method. */
static bool read_method(tocha_context *cx, const char *init_method, method *m) {
  const char *colon = strstr(init_method, "://");
  size_t size = colon ? (size_t)(colon - init_method) : 0;
  if (!colon || size >= sizeof m->scheme) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "No rendezvous handler for %.*s://",
               (int)(size < 40 ? size : 40), init_method);
    return tocha_hint(cx, "init_method is env://, tcp://HOST:PORT or file:///PATH, not '%.80s'",
                      init_method) != NULL;
  }
  memcpy(m->scheme, init_method, size);
  m->scheme[size] = 0;
  m->text = colon + 3;
  const char *query = strchr(m->text, '?');
  m->query = query ? query + 1 : "";
  return true;
}

static bool check_ranks(tocha_context *cx, const method *m) {
  if (m->world_size > 0 && m->rank >= 0 && m->rank < m->world_size) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "rank %d is out of range for a world of %d", m->rank,
             m->world_size);
  return tocha_hint(cx, "ranks count from 0 to world_size - 1; RANK and WORLD_SIZE of the "
                        "environment say them if they are not given") != NULL;
}

/* Tells the ranks that wait for this one why it will not come. Waits for their store up to a second. */
static void tell_others(tocha_context *cx, method *m) {
  const tocha_error_info *error = tocha_error(cx);
  const char *host = variable(cx, "MASTER_ADDR"), *port = variable(cx, "MASTER_PORT");
  if (!m->host[0] && host && port && read_number(port, strlen(port), &m->port))
    snprintf(m->host, sizeof m->host, "%s", host);
  if (!m->host[0] || m->port <= 0 || m->port > 65535) return;
  char machine[64] = "unnamed", problem[640];
  platform_machine_name(machine, sizeof machine);
  snprintf(problem, sizeof problem, "Process %ld of host %s did not join: %.250s\n%.180s",
           platform_process_number(), machine, error->message, error->hint);
  tocha_store_failure failure;
  tocha_store *store = store_connect(m->host, m->port, 1, &failure);
  if (store) store_tell_problem(cx, store, problem);
  tocha_store_free(store);
}

tocha_store *open_rendezvous(tocha_context *cx, const char *init_method, double timeout, int *rank,
                             int *world_size) {
  method m = {.text = "", .query = "", .rank = *rank, .world_size = *world_size};
  if (!read_method(cx, init_method && init_method[0] ? init_method : "env://", &m)) return NULL;
  bool env = strcmp(m.scheme, "env") == 0, tcp = strcmp(m.scheme, "tcp") == 0,
       file = strcmp(m.scheme, "file") == 0;
  if (!env && !tcp && !file) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "No rendezvous handler for %s://", m.scheme);
    return tocha_hint(cx, "init_method is env://, tcp://HOST:PORT or file:///PATH");
  }
  bool good = env ? read_environment(cx, &m) : !tcp || read_endpoint(cx, &m);
  if (!good || !(env || read_ranks(cx, &m)) || !check_ranks(cx, &m)) {
    if (env || tcp) tell_others(cx, &m);
    return NULL;
  }
  *rank = m.rank, *world_size = m.world_size;
  return file ? open_file(cx, &m, timeout) : open_tcp(cx, &m, timeout);
}

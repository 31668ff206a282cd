/* resolve.c: addresses of hosts, without waiting longer than a call may. */
#include "distributed/store/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

/* A question to the system. Who asked and the thread that waits for the answer own it together. */
typedef struct question {
  tocha_refcount owners;
  platform_mutex lock;
  platform_condition answered;
  bool done;
  int port, count;
  const char *reason;
  platform_endpoint endpoints[STORE_ENDPOINTS];
  char host[];
} question;

static void release(question *q) {
  if (!tocha_refcount_release(&q->owners)) return;
  platform_condition_close(&q->answered);
  platform_mutex_close(&q->lock);
  free(q);
}

static void *answer(void *user) {
  question *q = user;
  platform_endpoint endpoints[STORE_ENDPOINTS];
  const char *reason;
  int count = platform_resolve(q->host, q->port, endpoints, STORE_ENDPOINTS, &reason);
  platform_lock(&q->lock);
  memcpy(q->endpoints, endpoints, (size_t)count * sizeof *endpoints);
  q->count = count, q->reason = reason, q->done = true;
  platform_wake_all(&q->answered);
  platform_unlock(&q->lock);
  release(q);
  return NULL;
}

static question *ask(const char *host, int port) {
  size_t size = strlen(host) + 1;
  question *q = calloc(1, sizeof *q + size);
  if (!q) return NULL;
  memcpy(q->host, host, size);
  q->port = port;
  tocha_refcount_init(&q->owners);
  bool locked = platform_mutex_open(&q->lock), waits = platform_condition_open(&q->answered);
  if (locked && waits) {
    tocha_refcount_retain(&q->owners);
    if (platform_start_thread(NULL, 0, answer, q)) return q;
  }
  if (waits) platform_condition_close(&q->answered);
  if (locked) platform_mutex_close(&q->lock);
  free(q);
  return NULL;
}

/* Returns true if no server of names is asked for the host. */
static bool is_known(const char *host) {
  return strcmp(host, "localhost") == 0 || strchr(host, ':') ||
         host[strspn(host, "0123456789.")] == 0;
}

int store_resolve(const char *host, int port, const store_patience *patience,
                  platform_endpoint *endpoints, char reason[STORE_REASON],
                  tocha_store_failure *failure) {
  bool refuses = patience->cx && (tocha_refused(patience->cx) & TOCHA_REFUSE_THREADS);
  question *q = is_known(host) || refuses ? NULL : ask(host, port);
  const char *why = "no answer";
  int count = 0;
  if (!q) {
    count = platform_resolve(host, port, endpoints, STORE_ENDPOINTS, &why);
  } else {
    platform_lock(&q->lock);
    for (bool over = false; !q->done && !over;) {
      platform_wait_until(&q->answered, &q->lock, store_slice_end(patience));
      platform_unlock(&q->lock); /* the host's function is asked without the lock */
      over = store_is_over(patience, failure);
      platform_lock(&q->lock);
    }
    if (q->done) {
      count = q->count, why = q->reason;
      memcpy(endpoints, q->endpoints, (size_t)count * sizeof *endpoints);
    }
    platform_unlock(&q->lock);
    release(q);
  }
  if (!count) snprintf(reason, STORE_REASON, "no address of '%.60s' is known: %.60s", host, why);
  return count;
}

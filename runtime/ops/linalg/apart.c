/* apart.c: long calls of LAPACK, each in a thread of its own.
 *
 * LAPACK cannot be interrupted. So the thread that computes has its own copies of everything, and the caller only waits: when an
 * interrupt comes it goes its way, and the thread ends later and frees its memory.
 *
 * When the process ends or forks, the threads must hold still: OpenBLAS's destructor unmaps the buffers they work in, and
 * a child has a copy of OpenBLAS's lock, which they take many times a second. They are held in the handler of a
 * signal that only they let through; where one then holds that lock, all go on for a moment before the next try. */
#define _GNU_SOURCE /* syscall */
#include "ops/linalg/apart.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "tocha/signals.h"

/* WORTH: multiplications from which a thread's start costs nothing. LOOK_MS: between looks at the interrupt flag. MOST_LEFT:
 * threads that may be left to themselves at a time; who has more than that waits. */
enum { WORTH = 50000000, LOOK_MS = 20, MOST_LEFT = 8, MOST_TENSORS = 8 };
enum { STACK = 4 << 20, LINE = 64 };
static const int SIGNAL = SIGURG; /* which is ignored where it has no handler */

typedef struct apart {
  struct apart *next; /* of all that run */
  pthread_t thread;
  pthread_cond_t ended;
  tocha_lapack_job *job; /* a copy, whose tensors are below, and lie in the same block of memory */
  char *work;
  long id; /* the system's, of the thread; 0: unknown */
  bool done, left;
  struct {
    tocha_tensor tensor;
    tocha_storage storage;
    char *place; /* what was copied */
    size_t bytes;
  } own[MOST_TENSORS];
} apart;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static apart *running;
static int left; /* of those that run: without a caller */

/* --- holding still ------------------------------------------------------------------------------------------- */

static atomic_bool holding;
static atomic_int held;

static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

/* The handler. */
static void hold_still(int number) {
  int error = errno;
  (void)number;
  if (!atomic_load(&holding)) return;
  atomic_fetch_add(&held, 1);
  while (atomic_load(&holding)) sleep_ms(1);
  atomic_fetch_sub(&held, 1);
  errno = error;
}

/* A call that takes OpenBLAS's lock: it comes back only where none of the threads holds it. */
static atomic_int answers;
static void *ask(void *user) {
  const tocha_lapack *lapack = user;
  double unit[4] = {1, 1, 1, 1};
  int two = 2, pivots[2], info;
  tocha_use_one_thread(&lapack->openmp);
  lapack->getrf(&two, &two, unit, &two, pivots, &info);
  atomic_fetch_add(&answers, 1);
  return NULL;
}

/* Starts a thread that lets no signals through, but for one. */
static bool start(pthread_t *thread, void *(*run)(void *), void *user) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  tocha_signal_mask held_signals = tocha_hold_signals();
  bool started = !pthread_create(thread, &attributes, run, user);
  tocha_release_signals(&held_signals);
  pthread_attr_destroy(&attributes);
  return started;
}

/* Waits until count is that, or so many milliseconds; false: it is not. */
static bool becomes(const atomic_int *count, int that, int most) {
  for (int ms = 0; ms < most && atomic_load(count) != that; ms++) sleep_ms(1);
  return atomic_load(count) == that;
}

/* PATIENCE_MS: for threads, which may be slow to get a core; ANSWER_MS: for an answer that comes at once or not. */
enum { PATIENCE_MS = 2000, ANSWER_MS = 50, TRIES = 100 };

static void go_on(void) {
  atomic_store(&holding, false);
  becomes(&held, 0, PATIENCE_MS);
}

/* With the lock. */
static void hold_all(void) {
  for (int tries = 0; running && tries < TRIES; tries++) {
    int count = 0, before = atomic_load(&answers);
    pthread_t asking;
    atomic_store(&holding, true);
    for (const apart *a = running; a; a = a->next, count++) pthread_kill(a->thread, SIGNAL);
    bool still = becomes(&held, count, PATIENCE_MS);
    bool asked = start(&asking, ask, (void *)(uintptr_t)running->job->lapack);
    if (!still || !asked || becomes(&answers, before + 1, ANSWER_MS)) return;
    go_on();
    becomes(&answers, before + 1, PATIENCE_MS);
  }
}

static void hold_at_exit(void) {
  pthread_mutex_lock(&lock); /* for ever */
  hold_all();
}

static void hold_for_fork(void) {
  pthread_mutex_lock(&lock);
  hold_all();
}

static void go_on_in_parent(void) {
  go_on();
  pthread_mutex_unlock(&lock);
}

static void forget_in_child(void) {
  running = NULL;
  left = 0;
  atomic_store(&holding, false);
  atomic_store(&held, 0);
  pthread_mutex_init(&lock, NULL);
}

static bool can_hold;
static void prepare_to_hold(void) {
  struct sigaction old, ours = {.sa_handler = hold_still, .sa_flags = SA_RESTART};
  if (sigaction(SIGNAL, NULL, &old) || old.sa_flags & SA_SIGINFO || old.sa_handler != SIG_DFL)
    return; /* the host needs the signal */
  sigfillset(&ours.sa_mask);
  can_hold = !sigaction(SIGNAL, &ours, NULL) && !atexit(hold_at_exit) &&
             !pthread_atfork(hold_for_fork, go_on_in_parent, forget_in_child);
}

/* --- copies -------------------------------------------------------------------------------------------------- */

/* The tensors of a job, which follow its beginning. */
static tocha_tensor **tensors_of(const tocha_lapack_job *job) {
  return (tocha_tensor **)(uintptr_t)(job + 1);
}

/* The place of `bytes` in the block, at the same distance from a cache line's beginning as `like`: digits may depend on it. */
static size_t next_place(size_t *used, size_t bytes, const void *like) {
  size_t place = (*used + LINE - 1) / LINE * LINE + (uintptr_t)like % LINE;
  *used = place + bytes;
  return place;
}

static size_t bytes_of(const tocha_tensor *t, int trailing) {
  int64_t last = 0;
  for (int d = t->ndim - trailing; d < t->ndim; d++) last += (t->sizes[d] - 1) * t->strides[d];
  return (size_t)(last + 1) * tocha_item_size((tocha_dtype)t->dtype);
}

/* The job's tensors hold a batch each; its copy's only matrix i. */
static void copy_tensor(apart *a, int k, const tocha_tensor *t, int trailing, char *data) {
  tocha_tensor *own = &a->own[k].tensor;
  memcpy(data, a->own[k].place, a->own[k].bytes);
  a->own[k].storage = (tocha_storage){.data = data, .bytes = a->own[k].bytes, .device = t->device};
  *own = (tocha_tensor){.dtype = t->dtype,
                        .ndim = (uint8_t)trailing,
                        .device = t->device,
                        .storage = &a->own[k].storage,
                        .numel = 1};
  own->sizes = own->dims;
  own->strides = own->dims + TOCHA_INLINE_DIMS;
  for (int d = 0; d < trailing; d++) {
    own->sizes[d] = t->sizes[t->ndim - trailing + d];
    own->strides[d] = t->strides[t->ndim - trailing + d];
    own->numel *= own->sizes[d];
  }
}

static apart *copy_job(const tocha_lapack_job *job, int64_t i) {
  tocha_tensor *const *tensors = tensors_of(job);
  int batch = tensors[0]->ndim - 2, trailing[MOST_TENSORS];
  size_t used = sizeof(apart), place[MOST_TENSORS], bytes[MOST_TENSORS];
  size_t copy = next_place(&used, job->apart.size, NULL);
  for (int k = 0; k < job->apart.tensors; k++) {
    const tocha_tensor *t = tensors[k];
    if (!t || t->numel == 0) continue;
    trailing[k] = t->ndim - batch;
    bytes[k] = bytes_of(t, trailing[k]);
    place[k] = next_place(&used, bytes[k], tocha_place(t, trailing[k], i));
  }
  size_t work = next_place(&used, job->room + 1, (void *)16); /* as malloc's large blocks */
  char *block = aligned_alloc(LINE, (used + LINE - 1) / LINE * LINE);
  apart *a = (apart *)(void *)block;
  if (!a) return NULL;
  memset(a, 0, sizeof *a);
  a->work = block + work;
  a->job = memcpy(block + copy, job, job->apart.size);
  a->job->cx = NULL;
  for (int k = 0; k < job->apart.tensors; k++) {
    tocha_tensor *t = tensors[k];
    tensors_of(a->job)[k] = NULL;
    if (!t || t->numel == 0) continue;
    a->own[k].place = tocha_place(t, trailing[k], i);
    a->own[k].bytes = bytes[k];
    copy_tensor(a, k, t, trailing[k], block + place[k]);
    tensors_of(a->job)[k] = &a->own[k].tensor;
  }
  return a;
}

static void copy_results(const apart *a) {
  for (int k = 0; k < a->job->apart.tensors; k++)
    if (a->own[k].place && !(a->job->apart.read_only >> k & 1))
      memcpy(a->own[k].place, a->own[k].storage.data, a->own[k].bytes);
}

/* --- the thread ---------------------------------------------------------------------------------------------- */

static void *compute(void *user) {
  apart *a = user;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGNAL);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
#ifdef __linux__
  pthread_mutex_lock(&lock);
  a->id = syscall(SYS_gettid);
  pthread_mutex_unlock(&lock);
#endif
  tocha_use_one_thread(&a->job->lapack->openmp);
  a->job->one(a->job, 0, a->work);
  pthread_mutex_lock(&lock); /* never again, if the process ends */
  apart **at = &running;
  while (*at != a) at = &(*at)->next;
  *at = a->next;
  a->done = true;
  bool alone = a->left;
  left -= alone;
  pthread_cond_signal(&a->ended);
  pthread_sigmask(SIG_BLOCK, &signals, NULL); /* the list has it no more */
  pthread_mutex_unlock(&lock);
  if (alone) {
    pthread_cond_destroy(&a->ended);
    free(a);
  }
  return NULL;
}

/* --- the caller ---------------------------------------------------------------------------------------------- */

/* Waits some milliseconds for the thread's end. */
static void await(apart *a) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_MS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, until.tv_sec++;
  pthread_cond_timedwait(&a->ended, &lock, &until);
}

/* Leaves the thread to itself, as one that others need not wait for. */
static bool leave(apart *a) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare_to_hold);
  if (!can_hold || left == MOST_LEFT) return false;
  a->left = true;
  left++;
#ifdef __linux__
  if (a->id) (void)setpriority(PRIO_PROCESS, (id_t)a->id, 19);
#endif
  return true;
}

bool tocha_runs_apart(const tocha_lapack_job *job, double work) {
  return job->apart.size > 0 && work >= WORTH;
}

bool tocha_run_apart(const tocha_lapack_job *job, int64_t i) {
  apart *a = copy_job(job, i);
  if (!a) return false;
  if (pthread_cond_init(&a->ended, NULL)) {
    free(a);
    return false;
  }
  pthread_mutex_lock(&lock);
  bool started = start(&a->thread, compute, a), gone = false;
  if (started) {
    a->next = running;
    running = a;
  }
  while (started && !a->done && !gone) {
    await(a);
    gone = !a->done && tocha_is_set(&job->cx->interrupted) && leave(a);
  }
  pthread_mutex_unlock(&lock);
  if (gone) return true;
  if (started) copy_results(a);
  pthread_cond_destroy(&a->ended);
  free(a);
  return started;
}

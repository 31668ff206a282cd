/* question_store.c: see question_store.h. */
#include "distributed/question_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/recorder.h"
#include "platform/platform.h"

/* Nanoseconds. PERIOD: between two looks for a question. FOR_ANSWERS: that who asks waits for answers, and all for the store. STEP: between two looks for them. */
static const int64_t PERIOD = 500000000, FOR_ANSWERS = 3500000000, STEP = 100000000;

/* SHOWN: ranks that are named. */
enum { SHOWN = 4 };

/* Which ranks of a group have not begun the operation of a number? */
typedef struct question {
  uint64_t group, sequence;
  int others; /* ranks of the group on other hosts */
} question;

struct tocha_question_store {
  tocha_distributed *world;
  tocha_questions *questions;
  int rank;
  tocha_store *store;
  platform_thread thread;
  platform_mutex mutex;
  platform_condition changed;
  /* Under the mutex. */
  bool ends, asks, is_answered;
  question asked;
  tocha_text answers; /* lines */
  int64_t next;       /* question to hear; the thread's own */
};

static int64_t store_deadline(void) { return platform_nanoseconds() + FOR_ANSWERS; }

/* Reads a value that is set. Returns NULL if it is not; else from malloc. */
static char *read_value(tocha_question_store *s, const char *name) {
  tocha_store_failure failure;
  void *bytes = NULL;
  size_t size = 0;
  bool is_set = false;
  if (!store_check(s->store, name, store_deadline(), &is_set, &failure) || !is_set) return NULL;
  return store_get(s->store, name, platform_nanoseconds() + PERIOD, &bytes, &size, &failure) ? bytes
                                                                                             : NULL;
}

/* --- hearing ------------------------------------------------------------------------------------------------ */

typedef enum standing { OUTSIDE, HERE, LATE } standing;

/* Says if this rank has begun the operation. */
static standing find_standing(tocha_distributed *d, uint64_t group, uint64_t sequence) {
  standing found = OUTSIDE;
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g; g = g->next)
    if (g->number == group) found = atomic_load(&g->collectives) < sequence ? LATE : HERE;
  platform_unlock(&d->mutex);
  return found;
}

static void post(tocha_question_store *s, int64_t number, const char *text) {
  tocha_store_failure failure;
  char name[64];
  int64_t count;
  snprintf(name, sizeof name, "tocha/answers/%" PRId64, number);
  if (!store_add(s->store, name, 1, store_deadline(), &count, &failure)) return;
  snprintf(name, sizeof name, "tocha/answer/%" PRId64 "/%" PRId64, number, count);
  store_set(s->store, name, text, strlen(text), &failure);
}

/* Answers where the script stands, with its last operation in the group; -1: in any. */
static void answer(tocha_question_store *s, int64_t number, int64_t group) {
  char text[2 * TOCHA_ANSWER_TEXT], stands[TOCHA_ANSWER_TEXT], last[320];
  tocha_questions_answer(s->questions, stands, sizeof stands);
  tocha_recorder_last(s->world->recorder, group, last, sizeof last);
  bool waits = strncmp(stands, "it waits", 8) == 0; /* in that last one */
  snprintf(text, sizeof text, "%d %s%s%s", s->rank, waits ? "" : last, waits ? "" : "; ", stands);
  post(s, number, text);
}

static void hear(tocha_question_store *s, int64_t number, const char *text) {
  uint64_t group, sequence;
  int asker;
  if (strcmp(text, "launcher") == 0) {
    tocha_recorder_write(s->world->recorder, true);
    answer(s, number, -1);
    return;
  }
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &group, &sequence, &asker) != 3 ||
      asker == s->rank)
    return;
  char here[32];
  standing stands = find_standing(s->world, group, sequence);
  snprintf(here, sizeof here, "%d here", s->rank);
  if (stands == LATE) answer(s, number, (int64_t)group);
  if (stands == HERE) post(s, number, here);
}

static void hear_all(tocha_question_store *s) {
  for (;;) {
    char name[64], *text;
    snprintf(name, sizeof name, "tocha/question/%" PRId64, s->next);
    if (!(text = read_value(s, name))) return;
    hear(s, s->next++, text);
    free(text);
  }
}

/* --- asking ------------------------------------------------------------------------------------------------ */

/* Puts the question into the store, unless another rank has. Returns its number, 0 if this rank does not ask. */
static int64_t put(tocha_question_store *s, const question *q) {
  tocha_store_failure failure;
  char name[96], text[96];
  int64_t askers, number;
  snprintf(name, sizeof name, "tocha/asks/%" PRIu64 "/%" PRIu64, q->group, q->sequence);
  if (!store_add(s->store, name, 1, store_deadline(), &askers, &failure) || askers > 1 ||
      !store_add(s->store, "tocha/questions", 1, store_deadline(), &number, &failure))
    return 0;
  snprintf(name, sizeof name, "tocha/question/%" PRId64, number);
  snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %d", q->group, q->sequence, s->rank);
  return store_set(s->store, name, text, strlen(text), &failure) ? number : 0;
}

/* Waits for answers of so many ranks. Returns how many came. */
static int64_t wait_for_answers(tocha_question_store *s, int64_t number, int wanted) {
  tocha_store_failure failure;
  char name[64];
  int64_t count = 0, until = platform_nanoseconds() + FOR_ANSWERS;
  snprintf(name, sizeof name, "tocha/answers/%" PRId64, number);
  while (store_add(s->store, name, 0, store_deadline(), &count, &failure) && count < wanted &&
         platform_nanoseconds() < until) {
    platform_lock(&s->mutex);
    if (!s->ends) platform_wait_until(&s->changed, &s->mutex, platform_nanoseconds() + STEP);
    bool ends = s->ends;
    platform_unlock(&s->mutex);
    if (ends) break;
  }
  return count;
}

/* Collects the answers: a line for each rank that is late, and how many say nothing. */
static void collect(tocha_question_store *s, const question *q, tocha_text *lines) {
  int64_t number = put(s, q), count = number ? wait_for_answers(s, number, q->others) : 0;
  int shown = 0;
  for (int64_t k = 1; k <= count; k++) {
    char name[64], *text, *rest;
    snprintf(name, sizeof name, "tocha/answer/%" PRId64 "/%" PRId64, number, k);
    if (!(text = read_value(s, name))) continue;
    long rank = strtol(text, &rest, 10);
    if (strcmp(rest, " here") != 0 && shown++ < SHOWN) {
      tocha_text_format(lines, "\nrank %ld has not come: ", rank);
      tocha_text_indented(lines, rest + (*rest == ' '), 2);
    }
    free(text);
  }
  if (number && count < q->others)
    tocha_text_format(lines, "\n%d of the %d ranks on other hosts give no answer",
                      q->others - (int)count, q->others);
}

void tocha_question_store_ask(tocha_question_store *s, const tocha_work *w) {
  if (!s) return;
  int others = 0;
  for (int r = 0; r < w->group->size; r++)
    others +=
        tocha_board_place(s->world->board, w->group->ranks[r]) < 0 && w->group->ranks[r] != s->rank;
  platform_lock(&s->mutex);
  s->asked = (question){w->group->number, w->sequence, others};
  s->asks = true;
  s->is_answered = false;
  tocha_text_free(&s->answers);
  platform_wake_all(&s->changed);
  platform_unlock(&s->mutex);
}

bool tocha_question_store_is_answered(tocha_question_store *s) {
  if (!s) return true;
  platform_lock(&s->mutex);
  bool is_answered = s->is_answered;
  platform_unlock(&s->mutex);
  return is_answered;
}

void tocha_question_store_append(tocha_question_store *s, tocha_text *text) {
  if (!s) return;
  platform_lock(&s->mutex);
  if (s->is_answered) tocha_text_append(text, s->answers.bytes, s->answers.length);
  platform_unlock(&s->mutex);
}

/* --- life --------------------------------------------------------------------------------------------------- */

/* Asks what the script wants to know, and keeps the answers. Under the mutex, which is open meanwhile. */
static void ask(tocha_question_store *s) {
  question asked = s->asked;
  tocha_text lines = {0};
  s->asks = false;
  platform_unlock(&s->mutex);
  collect(s, &asked, &lines);
  platform_lock(&s->mutex);
  tocha_text_free(&s->answers);
  s->answers = lines;
  s->is_answered = true;
}

static void *run(void *user) {
  tocha_question_store *s = user;
  platform_lock(&s->mutex);
  while (!s->ends) {
    if (s->asks) ask(s);
    if (!s->ends && !s->asks)
      platform_wait_until(&s->changed, &s->mutex, platform_nanoseconds() + PERIOD);
    if (s->ends) break;
    platform_unlock(&s->mutex);
    hear_all(s);
    platform_lock(&s->mutex);
  }
  platform_unlock(&s->mutex);
  return NULL;
}

static void free_all(tocha_question_store *s) {
  tocha_store_free(s->store);
  tocha_text_free(&s->answers);
  platform_condition_close(&s->changed);
  platform_mutex_close(&s->mutex);
  free(s);
}

tocha_question_store *tocha_question_store_start(tocha_distributed *d, tocha_questions *questions,
                                                 int rank) {
  tocha_store_failure failure;
  tocha_question_store *s = calloc(1, sizeof *s);
  if (!s || !platform_mutex_open(&s->mutex) || !platform_condition_open(&s->changed)) {
    free(s);
    return NULL;
  }
  s->world = d;
  s->questions = questions;
  s->rank = rank;
  s->store = store_clone(d->store, &failure);
  bool started =
      s->store && store_add(s->store, "tocha/questions", 0, store_deadline(), &s->next, &failure);
  s->next++;
  if (started && platform_start_thread(&s->thread, 0, run, s)) return s;
  free_all(s);
  return NULL;
}

void tocha_question_store_end(tocha_question_store *s) {
  if (!s) return;
  platform_lock(&s->mutex);
  s->ends = true;
  platform_wake_all(&s->changed);
  platform_unlock(&s->mutex);
  store_abort(s->store);
  platform_join_thread(&s->thread);
  free_all(s);
}

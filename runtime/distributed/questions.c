/* questions.c: questions of ranks of this host, which lie on the board, and the answers to all. */
#include "distributed/questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/check.h"
#include "distributed/question_store.h"
#include "distributed/running.h"
#include "platform/platform.h"

/* Nanoseconds. PATIENCE: that a script has to answer for itself. FOR_ANSWERS: that who asks waits for the answers of this host. */
static const int64_t PATIENCE = 700000000, FOR_ANSWERS = 1500000000;

enum { NAMED = 4 };

struct tocha_questions {
  tocha_distributed *world;
  tocha_board_answer *own; /* on the board; NULL if there is none */
  platform_mutex mutex;
  platform_condition answered; /* `answers` has grown */
  /* Under the mutex: the question that is being answered, and the last answer. */
  int64_t since; /* it was passed on to the script; 0: there is none */
  char by_script[TOCHA_ANSWER_TEXT], last[TOCHA_ANSWER_TEXT];
  uint64_t answers; /* so far */
  /* What this rank has asked; the script's thread. */
  const tocha_work *asking;
  int64_t asked_at;
  uint32_t numbers[NAMED];
  int asked[NAMED], asked_count;  /* ranks of the group */
  tocha_question_store *in_store; /* NULL: nobody asks there */
};

/* --- answering -------------------------------------------------------------------------------------------- */

/* Writes for which operation the script waits. Returns false if it waits for none. */
static bool describe_awaited(tocha_distributed *d, char *text, size_t capacity) {
  char operation[320];
  platform_lock(&d->mutex);
  const tocha_work *w = d->awaited;
  if (w)
    snprintf(text, capacity, "it waits now in %s in group %s",
             tocha_intent_text(&w->intent, operation, sizeof operation), w->group->name);
  platform_unlock(&d->mutex);
  return w != NULL;
}

/* Writes an answer for a script that gives none. */
static void answer_for_script(tocha_distributed *d, char *text, size_t capacity) {
  const char *op = tocha_running_operator(d);
  if (describe_awaited(d, text, capacity)) return;
  if (op)
    snprintf(text, capacity, "it is now in the operator %s", op);
  else
    snprintf(text, capacity,
             "it gives no answer: it runs neither Lua code that allocates nor an operator");
}

void tocha_distributed_on_question(tocha_context *cx,
                                   void (*describe)(void *user, char *text, size_t capacity),
                                   void *user) {
  if (!cx || !cx->distributed) return;
  cx->distributed->describe = describe;
  cx->distributed->describe_user = user;
}

bool tocha_distributed_is_asked(const tocha_context *cx) {
  return cx && cx->distributed &&
         atomic_load_explicit(&cx->distributed->is_asked, memory_order_relaxed);
}

void tocha_distributed_answer(tocha_context *cx) {
  char text[TOCHA_ANSWER_TEXT] = "", stack[TOCHA_ANSWER_TEXT - 400] = "";
  if (!tocha_distributed_is_asked(cx)) return;
  tocha_distributed *d = cx->distributed;
  tocha_questions *q = d->questions;
  if (q && d->describe) d->describe(d->describe_user, stack, sizeof stack);
  if (q && describe_awaited(d, text, sizeof text))
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", stack[0] ? "\n" : "", stack);
  else if (stack[0])
    snprintf(text, sizeof text, "it is now at\n%s", stack);
  if (!q) return;
  platform_lock(&q->mutex);
  memcpy(q->by_script, text, sizeof text);
  platform_unlock(&q->mutex);
  atomic_store(&d->is_asked, false);
}

/* Passes a question on to the script, unless one is being answered. Under the mutex. */
static void pass_on(tocha_questions *q) {
  if (q->since) return;
  q->since = platform_nanoseconds();
  q->by_script[0] = '\0';
  atomic_store(&q->world->is_asked, true);
}

/* Ends the answer: shows it on the board and to who waits for it. Under the mutex. */
static void conclude(tocha_questions *q) {
  uint32_t asked = q->own ? atomic_load(&q->own->asked) : 0;
  if (q->by_script[0])
    memcpy(q->last, q->by_script, sizeof q->last);
  else
    answer_for_script(q->world, q->last, sizeof q->last);
  atomic_store(&q->world->is_asked, false);
  q->since = 0;
  q->answers++;
  if (q->own) {
    memcpy(q->own->text, q->last, sizeof q->last);
    atomic_store(&q->own->answered, asked);
  }
  platform_wake_all(&q->answered);
}

void tocha_questions_look(tocha_questions *q) {
  if (!q) return;
  platform_lock(&q->mutex);
  if (q->own && atomic_load(&q->own->asked) != atomic_load(&q->own->answered)) pass_on(q);
  if (q->since && (q->by_script[0] || platform_nanoseconds() - q->since >= PATIENCE)) conclude(q);
  platform_unlock(&q->mutex);
}

bool tocha_questions_answer(tocha_questions *q, char *text, size_t capacity) {
  platform_lock(&q->mutex);
  uint64_t before = q->answers;
  int64_t until = platform_nanoseconds() + FOR_ANSWERS;
  pass_on(q);
  while (q->answers == before && platform_wait_until(&q->answered, &q->mutex, until)) continue;
  bool has_answer = q->answers != before;
  snprintf(text, capacity, "%s", has_answer ? q->last : "it gives no answer");
  platform_unlock(&q->mutex);
  return has_answer;
}

/* --- asking ------------------------------------------------------------------------------------------------- */

/* Returns the answers of a rank of the group on the board, NULL if it is on another host. */
static tocha_board_answer *answer_of(const tocha_process_group *group, int r) {
  int place = tocha_board_place(group->world->board, group->ranks[r]);
  return place < 0 ? NULL : &tocha_board_member_at(group->world->board, place)->answer;
}

void tocha_ask_missing(tocha_work *w) {
  tocha_process_group *group = w->group;
  tocha_questions *q = group->world->questions;
  if (!q) return;
  q->asking = w;
  q->asked_at = platform_nanoseconds();
  q->asked_count = 0;
  for (int r = tocha_find_awaited(w, 0); r < group->size && q->asked_count < NAMED;
       r = tocha_find_awaited(w, r + 1)) {
    tocha_board_answer *a = answer_of(group, r);
    if (!a) continue;
    q->asked[q->asked_count] = r;
    q->numbers[q->asked_count++] = atomic_fetch_add(&a->asked, 1) + 1;
  }
  if (!q->asked_count && group->spans_hosts && w->sequence)
    tocha_question_store_ask(q->in_store, w);
}

/* Returns true if the answer to question i is there. */
static bool is_answered(const tocha_questions *q, const tocha_process_group *group, int i) {
  tocha_board_answer *a = answer_of(group, q->asked[i]);
  return (int32_t)(atomic_load(&a->answered) - q->numbers[i]) >= 0;
}

bool tocha_has_answers(const tocha_work *w) {
  const tocha_questions *q = w->group->world->questions;
  if (!q || q->asking != w) return true;
  if (!q->asked_count && w->group->spans_hosts && w->sequence)
    return tocha_question_store_is_answered(q->in_store);
  if (platform_nanoseconds() - q->asked_at >= FOR_ANSWERS) return true;
  for (int i = 0; i < q->asked_count; i++)
    if (!is_answered(q, w->group, i)) return false;
  return true;
}

void tocha_append_answer(const tocha_work *w, int r, tocha_text *text) {
  const tocha_questions *q = w->group->world->questions;
  for (int i = 0; q && q->asking == w && i < q->asked_count; i++) {
    if (q->asked[i] != r) continue;
    char answer[TOCHA_ANSWER_TEXT] = "it gives no answer: its process is stopped, or very busy";
    const tocha_board_answer *given = answer_of(w->group, r);
    if (given && is_answered(q, w->group, i)) memcpy(answer, given->text, sizeof answer);
    answer[sizeof answer - 1] = '\0';
    tocha_text_string(text, "; ");
    tocha_text_indented(text, answer, 2);
  }
}

void tocha_append_remote_answers(const tocha_work *w, tocha_text *text) {
  const tocha_questions *q = w->group->world->questions;
  if (q && q->asking == w && !q->asked_count && w->sequence)
    tocha_question_store_append(q->in_store, text);
}

/* --- life --------------------------------------------------------------------------------------------------- */

tocha_questions *tocha_questions_start(tocha_distributed *d, int rank, bool listens) {
  tocha_questions *q = calloc(1, sizeof *q);
  if (!q || !platform_mutex_open(&q->mutex) || !platform_condition_open(&q->answered)) {
    free(q);
    return NULL;
  }
  q->world = d;
  int place = tocha_board_place(d->board, rank);
  if (place >= 0) q->own = &tocha_board_member_at(d->board, place)->answer;
  if (listens) q->in_store = tocha_question_store_start(d, q, rank);
  return q;
}

void tocha_questions_end(tocha_questions *q) {
  if (!q) return;
  platform_lock(&q->mutex);
  snprintf(q->last, sizeof q->last, "it leaves");
  q->answers++;
  platform_wake_all(&q->answered);
  platform_unlock(&q->mutex);
  tocha_question_store_end(q->in_store);
  atomic_store(&q->world->is_asked, false);
  platform_condition_close(&q->answered);
  platform_mutex_close(&q->mutex);
  free(q);
}

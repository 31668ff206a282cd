/* question_store.h: questions in the store: those of ranks of other hosts, and the launcher's. A thread of each context reads them.
 *
 *   tocha/question/N    N counts from 1: "launcher", or "GROUP SEQUENCE RANK": who has not begun the operation of that number?
 *   tocha/questions     how many there are
 *   tocha/answers/N     how many answers there are to question N
 *   tocha/answer/N/K    K counts from 1: "RANK here", or "RANK " and where the script stands */
#ifndef TOCHA_QUESTION_STORE_H
#define TOCHA_QUESTION_STORE_H

#include "distributed/questions.h"

typedef struct tocha_question_store tocha_question_store;

/* Returns NULL if the thread cannot be started. */
tocha_question_store *tocha_question_store_start(tocha_distributed *world,
                                                 tocha_questions *questions, int rank);
void tocha_question_store_end(tocha_question_store *store); /* NULL is allowed in all functions */

/* For the script's thread: asks which ranks of other hosts have not begun the operation. */
void tocha_question_store_ask(tocha_question_store *store, const tocha_work *work);
bool tocha_question_store_is_answered(tocha_question_store *store);
/* Appends a line for each of them. */
void tocha_question_store_append(tocha_question_store *store, tocha_text *text);

#endif

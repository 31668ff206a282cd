/* questions.h: where the script of a rank stands, when others have waited long for it or when the launcher asks.
 *
 * A rank of the same host asks on the board; the launcher, and ranks of other hosts, ask in the store. The script's thread answers at its next
 * opportunity: in a wait of torch.distributed, or when Lua allocates memory. If it finds none soon, its watch says which operator runs. */
#ifndef TOCHA_QUESTIONS_H
#define TOCHA_QUESTIONS_H

#include "core/text.h"
#include "distributed/board.h"
#include "distributed/work.h"

typedef struct tocha_questions tocha_questions;

/* Lets others ask this rank. listens: in the store, too, by a thread. Returns NULL if memory is short. */
tocha_questions *tocha_questions_start(tocha_distributed *world, int rank, bool listens);
void tocha_questions_end(tocha_questions *questions);
/* Passes questions on to the script, and answers them once it has or does not. The watch calls it again and again. */
void tocha_questions_look(tocha_questions *questions);
/* Lets the script, or its watch, say where it stands, and waits for that. Returns false if nobody says it. Any other thread. */
bool tocha_questions_answer(tocha_questions *questions, char *text, size_t capacity);

/* --- the script's thread -------------------------------------------------------------------------------- */

/* Asks the ranks that are missing in an operation where their scripts stand. */
void tocha_ask_missing(tocha_work *work);
/* Returns true once they have answered, or have had time to. */
bool tocha_has_answers(const tocha_work *work);
/* Appends what a rank of the group has answered: "; it is now at ...". */
void tocha_append_answer(const tocha_work *work, int rank, tocha_text *text);
/* Appends a line for each rank of another host that has not come. */
void tocha_append_remote_answers(const tocha_work *work, tocha_text *text);

#endif

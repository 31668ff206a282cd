/* circle.h: finds ranks of one host that wait for each other in different operations, and so for ever. */
#ifndef TOCHA_CIRCLE_H
#define TOCHA_CIRCLE_H

#include "distributed/board.h"
#include "distributed/work.h"

/* The wait of a rank as its watch saw it at the last look. */
typedef struct tocha_circle_look {
  const tocha_work *work; /* NULL: the script waits for no other rank */
  uint64_t awaited[TOCHA_WAIT_WORDS];
  int64_t kept_until; /* the others read of a circle that was found: it stays until then */
} tocha_circle_look;

/* Notes the operation for which the script waits without an end of its own; NULL once it goes on. The script's thread. */
void tocha_note_wait(tocha_distributed *world, tocha_work *work);
/* Shows on the board for which ranks the script waits, and breaks the operation's group if one of those waits for
 * this rank in turn, by way of others or not. The watch calls it again and again. */
void tocha_look_for_circle(tocha_distributed *world, tocha_circle_look *look);

#endif

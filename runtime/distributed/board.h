/* board.h: memory in which the ranks of a host see what each of them is about to do (board.c), and how a rank waits for the
 * others there (check.c).
 *
 * The lowest rank of a host makes the memory, which has no name: the others open it by way of /proc. It begins with a member for
 * each rank of the host; behind these, each group has a seat for each of them. A rank writes only its own member and its own seats,
 * but for bells and questions. */
#ifndef TOCHA_BOARD_H
#define TOCHA_BOARD_H

#include "distributed/intent.h"

/* A rank's word on being there. */
typedef enum tocha_presence {
  TOCHA_ABSENT, /* not yet there */
  TOCHA_PRESENT,
  TOCHA_LEFT,   /* it ended the group, or its context was closed */
  TOCHA_GAVE_UP /* its operation failed before the others came: `reason` */
} tocha_presence;

/* WORDS: of bits that stand for ranks of a host, which are as many as an engine on one host takes. WAIT_TEXT: bytes of a wait in
 * words. ANSWER_TEXT: of where a script stands. */
enum { TOCHA_WAIT_WORDS = 8, TOCHA_WAIT_TEXT = 320, TOCHA_ANSWER_TEXT = 1024 };

/* For which ranks of this host the script of a rank waits (circle.c). `since` is set last. */
typedef struct tocha_board_wait {
  _Atomic int64_t since; /* platform_nanoseconds; 0: it does not wait, or its engines work */
  _Atomic uint64_t awaited[TOCHA_WAIT_WORDS]; /* bits by the place among the ranks of this host */
  _Atomic uint32_t one_is_enough;             /* of those: a recv from any rank */
  char text[TOCHA_WAIT_TEXT];
} tocha_board_wait;

/* The answer of a rank to those that ask where its script stands (questions.c). */
typedef struct tocha_board_answer {
  _Atomic uint32_t asked;    /* how often; who asks adds to it */
  _Atomic uint32_t answered; /* the questions so far that `text` answers; set last */
  char text[TOCHA_ANSWER_TEXT];
} tocha_board_answer;

/* A rank of this host. */
typedef struct tocha_board_member {
  _Atomic int64_t process;
  int64_t started; /* tells the process from a later one of the same number */
  _Atomic uint32_t presence;
  int32_t rank; /* in the world */
  tocha_board_wait wait;
  tocha_board_answer answer;
} tocha_board_member;

/* An operation that a rank has begun. `sequence` is set last, and what stands before it is then valid. */
typedef struct tocha_board_entry {
  _Alignas(64) _Atomic uint64_t sequence;
  uint64_t digest;
  int64_t posted; /* platform_nanoseconds */
  tocha_intent intent;
} tocha_board_entry;

/* One end of a pair of send and recv. */
typedef struct tocha_offer_side {
  int64_t count;
  int32_t tag; /* the script's */
  uint8_t dtype;
  char place[TOCHA_PLACE_SIZE];
  char host[TOCHA_HOST_SIZE]; /* "" in a group of one host */
} tocha_offer_side;

enum {
  TOCHA_OFFER_FREE,
  TOCHA_OFFER_OPEN,
  TOCHA_OFFER_ACCEPTED,
  TOCHA_OFFER_REFUSED, /* `expected` says what the receiver expects */
  TOCHA_SEAT_REASON = 320,
  TOCHA_OFFERS = 16 /* that a rank has at a time; more wait */
};

/* A message that a rank is ready to send. */
typedef struct tocha_offer {
  _Atomic uint32_t state;
  int32_t to;
  uint32_t tag;
  uint64_t order; /* the older one has a lower number */
  tocha_offer_side sent, expected;
} tocha_offer;

/* A rank's place in a group. Entries are those of even and of odd sequence numbers: a rank can be one operation ahead of
 * another one, not two. */
typedef struct tocha_seat {
  _Alignas(64) _Atomic uint32_t presence;
  _Atomic uint32_t sleeps; /* the owner waits for its bell */
  _Atomic uint32_t bell;
  _Atomic uint32_t pair_bells[2]; /* for the threads that send, and that receive */
  char place[TOCHA_PLACE_SIZE];   /* where the owner left or gave up */
  char reason[TOCHA_SEAT_REASON]; /* why it gave up: the first line of its failure */
  /* The last collective whose data phase, the engine's part, has begun; the last one that has ended; the time of the later of the two
   * (platform_nanoseconds). */
  _Atomic uint64_t moving, moved;
  _Atomic int64_t sign;
  tocha_board_entry entries[2];
  tocha_offer offers[TOCHA_OFFERS];
  int64_t
      counts[]; /* of entry 0's all_to_all: from each rank, to each rank; then those of entry 1 */
} tocha_seat;

typedef struct tocha_board tocha_board;

/* Opens the board of this host, together with the other ranks on it. Returns NULL if there is none: the system has no such memory,
 * or there is no other rank on this host, or memory is short. joined: as join_rendezvous gave it. host: a name to use instead of this host's, or NULL.
 * problem: is written if a rank has died meanwhile, which says so; else it stays empty. */
tocha_board *tocha_board_open(tocha_store *joined, const char *host, int rank, int size,
                              int64_t deadline, char problem[TOCHA_REASON_SIZE]);
/* Says that this rank leaves the world. */
void tocha_board_leave(tocha_board *board);
/* Says so, and frees the board. */
void tocha_board_close(tocha_board *board);
/* Returns the number of ranks of this host, and member i of them. */
int tocha_board_count(const tocha_board *board);
tocha_board_member *tocha_board_member_at(const tocha_board *board, int i);
/* Returns the place of this rank among those of this host. */
int tocha_board_own(const tocha_board *board);
/* Returns the place of a world's rank among those of this host, -1 if it is on another one. */
int tocha_board_place(const tocha_board *board, int rank);
/* Maps the seats of a group: seats[r] is that of the group's rank r, or NULL if it is on another host. Without a board, NULL, the rank
 * has its own seat alone. Returns false if that is not possible. */
bool tocha_board_seat_group(tocha_board *board, const tocha_process_group *group,
                            tocha_seat **seats);
void tocha_board_unseat_group(tocha_board *board, const tocha_process_group *group,
                              tocha_seat *const *seats);

#endif

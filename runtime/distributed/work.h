/* work.h: an operation of a group, from the script's call to the release of its tensors. */
#ifndef TOCHA_WORK_H
#define TOCHA_WORK_H

#include "core/internal.h"
#include "distributed/intent.h"
#include "distributed/staging.h"

/* A tensor that an operation keeps, and its count of writes when the operation began. */
typedef struct tocha_kept_tensor {
  tocha_tensor *tensor;
  uint32_t writes;
} tocha_kept_tensor;

struct tocha_work {
  tocha_refcount owners; /* the script, and the group until the tensors are released */
  tocha_process_group *group;
  tocha_lane *lane;
  struct tocha_work *next;           /* in the lane's queue */
  struct tocha_work *next_in_flight; /* in the group's list */
  struct tocha_work *next_on_gpu;
  tocha_transfer transfer;
  tocha_device_type device; /* chooses the channel */
  uint64_t record;          /* its number in the recorder */
  uint64_t sequence;        /* among the group's collectives */
  tocha_intent intent;
  /* Copies between tensors and the packed memory that the engine sees. */
  tocha_staging staging;
  struct tocha_host_copies *copies; /* of a GPU's tensors; a list */
  struct tocha_stream *stream;      /* of a GPU's tensors: the event `transfer.ready` is in it */
  tocha_kept_tensor *kept;
  int kept_count, kept_capacity;
  int64_t *counts;               /* of all_to_all: what `transfer` points to; from malloc */
  double timeout;                /* seconds from its turn in the lane */
  int64_t begun, started, ended; /* platform_nanoseconds: the call, its turn, the end */
  int64_t met, lateness; /* all ranks were there; from the first one's arrival to the last one's */
  int last_rank;         /* of the world; -1: not known */
  uint32_t log_round;    /* its entry in the log (log.h) ... */
  size_t log_place;      /* ... counted from 1; 0: none */
  tocha_error_code code; /* of a failure */
  char *message;         /* of a failure; from malloc */
  /* Operations that begin as one (coalesced.h): the leader has a list of members, and a copy of their transfers, from malloc. */
  struct tocha_work *leader, *members, *next_member;
  tocha_transfer *member_transfers;
  atomic_int
      awaited; /* of a leader of sends and receives: members that wait for other ranks, and 1 until it has run; once 0, it stays so */
  atomic_bool has_run; /* it has */
  bool
      is_lost; /* in flight, its end is a failure: nobody is to go on with it; set before is_on_gpu */
  struct tocha_offer *offer;   /* of a send */
  atomic_bool is_on_gpu;       /* the GPU has it; set once the script may join it (flight.h) */
  atomic_bool done;            /* set last by the thread that saw its end */
  int64_t failed;              /* in flight: when its engine said so first; 0: it has not */
  bool is_ending;              /* a thread has seen its end; under the mutex */
  bool is_joined;              /* a stream of the script waits for it; under the mutex */
  tocha_process_group *child;  /* of a split: the new group, NULL on a rank that is in none */
  int color;                   /* of a split: the new group's number, -1: in none */
  bool only_opens;             /* the channel; no operation of the script's */
  bool has_asked, is_reported; /* where missing ranks stand; that it takes long */
  bool is_posted;              /* the other ranks see it */
  bool is_released;            /* its tensors are */
  bool is_settled;             /* off the group's list */
  bool written;                /* a kept tensor was written meanwhile */
};

/* Returns a new operation, to be described and then started; NULL with an error. */
tocha_work *tocha_work_new(tocha_context *cx, tocha_process_group *group, tocha_collective kind,
                           tocha_form form, tocha_device device);
/* Keeps a tensor until the operation has ended. Returns false with an error. */
bool tocha_work_keep(tocha_context *cx, tocha_work *work, tocha_tensor *tensor);
/* Puts the operation into its lane's queue, and waits for it unless `async`. Frees it and returns NULL if that
 * fails. */
tocha_work *tocha_work_start(tocha_context *cx, tocha_work *work, bool async);
/* Appends the operation to its lane. Returns false if no thread can be started for it. */
bool tocha_work_enqueue(tocha_work *work);
/* Frees an operation that was not started; returns NULL. */
void *tocha_work_drop(tocha_work *work);
/* Sets the operation's failure. The thread that runs it calls it. */
void tocha_work_fail(tocha_work *work, tocha_error_code code, const char *format, ...)
    TOCHA_PRINTF(3, 4);
/* --- for the threads that run operations: each has its turn, is transferred, and finished -------------- */

/* Notes that the operation's turn has come: its deadline counts from now on. */
void tocha_work_take_turn(tocha_work *work);
/* Copies its inputs, lets the engine run it, and copies its outputs, unless the group is broken. Sets its failure. */
void tocha_work_transfer(tocha_work *work);
/* Lets the script see that it has ended, or that a GPU carries it out. */
void tocha_work_finish(tocha_work *work);
/* Lets the script see that it has ended. The script may free it then. */
void tocha_work_end(tocha_work *work);
/* Waits until the operations of a group have ended. Returns false with an error if the script is interrupted: they go on then. */
bool tocha_lanes_drain(tocha_context *cx, tocha_process_group *group);
/* Ends the threads of a group once they have run what is in their queues. */
void tocha_lanes_end(tocha_process_group *group);

#endif

/* group.h: process groups of a context, and the threads that run their operations.
 *
 * A group has lanes: queues of operations, each with a thread that runs them in order. The script's
 * thread (that of the context) begins operations, waits for them, and releases their tensors. A lane's
 * thread sees pointers, engines and stores, never a context or a tensor. */
#ifndef TOCHA_GROUP_H
#define TOCHA_GROUP_H

#include "distributed/backends.h"
#include "distributed/engine.h"
#include "distributed/store.h"
#include "platform/platform.h"

typedef struct tocha_distributed tocha_distributed;
typedef struct tocha_watch tocha_watch;
struct tocha_work;
struct tocha_board;
struct tocha_seat;

/* PLACE: bytes of a script's place ("train.lua:12") as other ranks see it. NAME: of a group's name. HOST: of a host's name in
 * messages. REASON: of the reason why a group is broken. */
enum {
  TOCHA_PLACE_SIZE = 96,
  TOCHA_NAME_SIZE = 64,
  TOCHA_HOST_SIZE = 64,
  TOCHA_REASON_SIZE = 2048
};

/* COLLECTIVES: operations of all ranks, in one order. SENDS, RECEIVES: those between two. */
typedef enum tocha_lane_kind {
  TOCHA_LANE_COLLECTIVES,
  TOCHA_LANE_SENDS,
  TOCHA_LANE_RECEIVES,
  TOCHA_LANE_COUNT
} tocha_lane_kind;

/* A queue of operations and its thread, which starts with the first operation. */
typedef struct tocha_lane {
  tocha_process_group *group;
  platform_thread thread;
  bool has_thread;
  platform_condition queued;
  /* Under the group's mutex. */
  bool ends;                       /* the thread returns once it sees this */
  struct tocha_work *first, *last; /* the queue; the first one of collectives runs */
  atomic_int queued_count;         /* of collectives that have not ended */
  uint64_t offered;                /* sends so far; the thread's own */
} tocha_lane;

/* A member of a group on another host. */
typedef struct tocha_remote {
  _Atomic uint32_t presence;    /* a tocha_presence, set last */
  char place[TOCHA_PLACE_SIZE]; /* where it left */
} tocha_remote;

/* The user of an engine's store: the channel for a device's tensors. */
typedef struct tocha_channel_values {
  struct tocha_process_group *group;
  tocha_device_type device;
} tocha_channel_values;

struct tocha_process_group {
  tocha_distributed *world; /* all groups of the context */
  struct tocha_process_group *next;
  uint64_t number; /* the same on all members, and no other group's (group_numbers.h) */
  int rank, size;
  int *ranks; /* in the world, `size` of them */
  char name[TOCHA_NAME_SIZE], description[TOCHA_NAME_SIZE];
  tocha_backends backends;
  double timeout;
  tocha_store *store; /* NULL if the engine needs none */
  /* By rank: those of this host on the board, NULL for others; without a board this rank's own alone. NULL if there are no other
   * ranks, or no store. */
  struct tocha_seat **seats;
  tocha_remote *remotes; /* by rank; NULL unless spans_hosts */
  platform_mutex mutex;
  platform_condition finished; /* an operation has ended */
  tocha_lane lanes[TOCHA_LANE_COUNT];
  /* By the device of the tensors; opened by a lane's thread with the first operation. */
  const tocha_engine *engines[TOCHA_DEVICE_TYPE_COUNT];
  tocha_channel *_Atomic channels[TOCHA_DEVICE_TYPE_COUNT]; /* written under `mutex` */
  tocha_channel_values values[TOCHA_DEVICE_TYPE_COUNT];
  int gpu; /* whose memory is moved; -1: not known yet. Set before the first operation on it */
  platform_mutex opening; /* one lane opens a channel */
  bool spans_hosts;       /* it has ranks that are not on the board */
  atomic_bool broken;     /* no operation runs any more: `reason`, under the mutex, says why */
  char reason[TOCHA_REASON_SIZE];
  struct tocha_work *on_gpu;    /* operations that a GPU carries out; under the mutex */
  atomic_bool has_lost;         /* the script's stream went on with what failed then (flight.h) */
  bool blocks;                  /* the host waits for operations of a GPU, not a stream */
  _Atomic uint64_t collectives; /* begun so far; the script's thread writes it */
  atomic_bool
      runs_here; /* the script's thread is in an engine: the watch looks at its interrupts */
  /* The script's thread only. */
  struct tocha_work *in_flight; /* operations whose tensors are not yet released */
  struct tocha_work *collector; /* of operations that begin as one; NULL: each begins by itself */
};

/* The groups of a context. */
struct tocha_distributed {
  tocha_context *context;
  platform_mutex mutex;        /* for the list of groups, which the watch reads */
  tocha_process_group *groups; /* the newest first */
  tocha_process_group *world;  /* the default group */
  uint64_t group_count;        /* groups that all ranks of the world have made so far */
  uint64_t *local_hashes;      /* of the ranks of groups that only their members have made */
  int local_count;             /* those groups, this rank's */
  tocha_store *store,
      *joined; /* as the script knows it; the values of this meeting of ranks alone */
  tocha_watch *watch;
  struct tocha_mail *mail; /* opened by the first send or recv of a group that spans hosts */
  struct tocha_recorder *recorder; /* NULL: memory was short */
  char address[64];               /* by which other hosts reach this one; "": all ranks are on it */
  char own_host[TOCHA_HOST_SIZE]; /* its name */
  const char *host;               /* of tests: its name instead of this host's */
  bool has_noted_copies;          /* of tensors of a GPU */
  int64_t report_after;           /* nanoseconds after which a wait is reported */
  atomic_bool *dead;              /* by rank of the world */
  struct tocha_board *board;      /* NULL if no other rank is on this host */
  bool may_spin;                  /* the ranks of this host have a processor each */
  char place[TOCHA_PLACE_SIZE];   /* of the script's present operation */
  struct tocha_work *awaited;     /* by the script, which waits; under the mutex */
  struct tocha_questions *questions; /* NULL: memory was short, or there are no other ranks */
  atomic_bool is_asked;              /* the script's thread is to say where it stands */
  void (*describe)(void *user, char *text, size_t capacity); /* says so; NULL: nobody can */
  void *describe_user;
  struct tocha_communication_log *log;   /* NULL until it is first on */
  struct tocha_noted_calls *noted_calls; /* running.c; NULL: operators are not noted */
  atomic_int transfers;                  /* operations that are in an engine */
  atomic_bool waits_for_store;           /* the script does */
  bool knows_of_death;                   /* the script: an operation of a broken group has failed */
  double factor;                         /* of TOCHA_REDUCE_PREMUL_SUM */
  const tocha_engine *offered;           /* an engine of the host's own, found by its name */
};

/* Returns the groups of the context, which the first call makes; NULL with an error. */
tocha_distributed *tocha_distributed_of(tocha_context *cx);

/* Offers an engine to the groups that the context makes from now on. Returns false if memory is short. */
bool tocha_offer_engine(tocha_context *cx, const tocha_engine *engine);

/* Returns the group, or the default one for NULL; NULL with an error if there is none. */
tocha_process_group *tocha_group_or_default(tocha_context *cx, tocha_process_group *group);

/* Finds the group's engine for a device's tensors. Returns NULL with an error if there is none. */
const tocha_engine *tocha_group_engine(tocha_context *cx, tocha_process_group *group,
                                       tocha_device device);

/* The engine of a world without other ranks: what each receives is its own. */
const tocha_engine *tocha_fake_engine(void);

#endif

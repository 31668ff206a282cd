/* reducer.h: the structure behind tocha_ddp, for the files of this folder. */
#ifndef TOCHA_REDUCER_H
#define TOCHA_REDUCER_H

#include "core/internal.h"
#include "tocha/ddp.h"

typedef struct ddp_bucket {
  int count;
  int *members; /* numbers of parameters */
  tocha_tensor *
      *views; /* of flat: one a member, with the strides of its parameter if they are dense */
  tocha_tensor **parameters; /* borrowed, one a member */
  tocha_tensor *flat;        /* (elements,) */
  int pending;               /* members whose gradient has not arrived in this pass */
  tocha_work *work;          /* its all_reduce */
  tocha_tensor *kept;        /* what flat held, while zeros are reduced */
} ddp_bucket;

typedef struct ddp_parameter {
  tocha_ddp *ddp;
  tocha_tensor *tensor;
  char *name;       /* dotted */
  uint64_t hook;    /* 0: none */
  int bucket, slot; /* where its gradient goes */
  int calls;        /* of its hook in this pass, with static_graph: still expected */
  int expected_calls;
  bool ready;       /* its gradient is in the bucket */
  bool used;        /* by this rank since the last reduction */
  bool used_by_any; /* by a rank, in this pass */
  bool in_graph;    /* of this pass */
} ddp_parameter;

struct tocha_ddp {
  tocha_context *cx;
  tocha_module *module;
  tocha_process_group *group;
  int ranks;
  int divisor; /* by which the sums of gradients are divided: ranks, unless inputs are uneven */
  int root;    /* the rank whose buffers, at the end parameters, all ranks take */
  bool find_unused, as_view, static_graph, sync_buffers;
  const char *const *ignored; /* a copy, ended by NULL, or NULL */
  int64_t *limits;            /* bytes of the buckets in their order, the last one for all others */
  int limit_count;
  bool limits_first_pass; /* they hold for the first buckets, too */
  int count;
  ddp_parameter *parameters;
  int bucket_count;
  ddp_bucket *buckets;
  int *arrived; /* numbers of parameters in the order of their gradients, in the first pass */
  int arrived_count;
  bool rebuilt;
  bool sync;               /* false in no_sync */
  bool next_needs_buffers; /* the last backward pass was synchronized, so buffers are, too */
  bool expects;            /* a backward pass was announced and has not ended */
  bool marked_unused;      /* in this pass */
  bool ends_with_pass;     /* finish_pass was handed to the engine */
  bool passed_once;        /* with static_graph: the calls of hooks are known */
  int next;                /* the bucket that is reduced next */
  tocha_tensor *used_map;  /* (count,) int32: how many ranks used the parameter */
  tocha_work *used_work;
  tocha_comm_hook comm;
};

/* --- buckets.c */

/* Divides `count` tensors, in their order, into buckets: tensors of one dtype and device, of at most limits[0]
 * bytes for the first bucket of such tensors, limits[1] for the second, the last limit for all others; a tensor that
 * exceeds the limit ends its bucket. Writes the bucket's number of each tensor to `bucket_of`, in the order in which buckets
 * end (what is left at the end last), and returns the number of buckets, -1 without memory. This is PyTorch's
 * compute_bucket_assignment_by_size. */
int assign_buckets(tocha_context *cx, int count, tocha_tensor *const *tensors, int limit_count,
                   const int64_t *limits, int *bucket_of);
/* Makes the first buckets. */
bool make_first_buckets(tocha_context *cx, tocha_ddp *ddp);
/* Makes buckets in the order of arrival, which rank 0 decides. */
bool rebuild_buckets(tocha_context *cx, tocha_ddp *ddp);
/* Returns true if a plan divides the parameters into buckets of one dtype and device. */
bool is_plan_for(tocha_context *cx, const tocha_ddp *ddp, tocha_ddp_plan plan);
/* Makes the buckets of a plan: of this rank's, or of rank 0's. */
bool make_given_buckets(tocha_context *cx, tocha_ddp *ddp, tocha_ddp_plan plan, bool from_rank_0);
void free_buckets(tocha_ddp *ddp);

/* --- unused.c */

/* Notes which parameters the graph of the outputs reaches. */
bool find_parameters_in_graph(tocha_context *cx, tocha_ddp *ddp, int count,
                              tocha_tensor *const *outputs);

/* --- agree.c */

/* Fails on all ranks if their parameters differ in number, sizes, dtypes or strides. *has_plan: if this rank has a plan of
 * buckets, then if rank 0 has one. */
bool compare_parameters(tocha_context *cx, tocha_ddp *ddp, bool *has_plan);
/* Makes the module's buffers equal to those of the root. */
bool broadcast_buffers(tocha_context *cx, tocha_ddp *ddp);
/* Makes parameters and, unless keep_buffers, buffers equal to those of the root. */
bool broadcast_state(tocha_context *cx, tocha_ddp *ddp, bool keep_buffers);
bool is_ignored(const tocha_ddp *ddp, const char *name);

/* --- reducer.c */

bool hook_parameters(tocha_context *cx, tocha_ddp *ddp);
/* Returns true if each pass finds out anew which parameters it uses. */
bool finds_unused(const tocha_ddp *ddp);

#endif

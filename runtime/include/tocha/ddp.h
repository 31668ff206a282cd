/* ddp.h: DistributedDataParallel: gradients that are averaged over the ranks of a group while backward
 * runs. Buckets, order and digits are PyTorch's.
 *
 *   tocha_ddp *ddp = tocha_ddp_new(cx, &(tocha_ddp_options){.module = model});
 *   for each batch:
 *     tocha_ddp_before_forward(cx, ddp);
 *     output = forward pass of the model;
 *     tocha_ddp_before_backward(cx, ddp, 1, &output);
 *     tocha_backward(cx, loss, NULL, false, false);         every gradient is now the mean of all ranks'
 *   tocha_ddp_free(ddp);
 *
 * The module's parameters must not change: none is added, removed, frozen or given another shape. */
#ifndef TOCHA_DDP_H
#define TOCHA_DDP_H

#include "tocha/distributed.h"
#include "tocha/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_ddp tocha_ddp;

/* Buckets: how many there are, how many parameters each has, and their numbers, bucket after bucket. */
typedef struct tocha_ddp_plan {
  int count;
  const int *sizes, *order;
} tocha_ddp_plan;

/* Choices of PyTorch's DistributedDataParallel. Zero-initialize; zero means PyTorch's default. */
typedef struct tocha_ddp_options {
  tocha_module *module;       /* its parameters that require gradients take part */
  tocha_process_group *group; /* NULL: the default group */
  /* Dotted names of parameters and buffers that are left alone, ended by NULL; or NULL. */
  const char *const *ignored;
  double bucket_cap_mb; /* MiB of a bucket; 0: 25, with 1 for the first bucket that is reduced */
  /* MiB of each bucket in the order in which they are reduced, instead of bucket_cap_mb; the last one holds for all
   * further buckets, and they hold for the first pass, too. NULL: none. */
  const double *bucket_cap_mb_list;
  int bucket_cap_mb_count;
  bool find_unused_parameters;
  bool gradient_as_bucket_view;
  bool static_graph;
  bool no_init_sync; /* parameters and buffers are not made equal to those of rank 0 */
  bool
      keep_buffers; /* buffers are not made equal to those of rank 0: neither here nor before a forward pass */
  bool keep_buffers_later; /* the same, before a forward pass alone */
  /* The buckets of another run, which this one continues. All ranks take that of rank 0, if it has one that fits the
   * parameters. */
  tocha_ddp_plan plan;
  uint64_t reserved[8];
} tocha_ddp_options;

/* Compares the parameters of all ranks, makes them equal to those of rank 0, and hooks itself to them. All
 * ranks call it. Returns NULL with an error. The caller frees it before the context closes. */
TOCHA_API tocha_ddp *tocha_ddp_new(tocha_context *cx, const tocha_ddp_options *options);
TOCHA_API void tocha_ddp_free(tocha_ddp *ddp); /* NULL is allowed */

/* Prepares the forward pass: after the first backward pass, sorts the parameters into buckets again, by the
 * order in which gradients arrived; and makes the module's buffers equal to those of rank 0. */
TOCHA_API bool tocha_ddp_before_forward(tocha_context *cx, tocha_ddp *ddp);
/* Expects a backward pass, which will reduce gradients. outputs: what the forward pass returned, for
 * find_unused_parameters. Does nothing while gradients are off, or without synchronization. */
TOCHA_API bool tocha_ddp_before_backward(tocha_context *cx, tocha_ddp *ddp, int count,
                                         tocha_tensor *const *outputs);
/* Without synchronization (no_sync), backward passes only accumulate this rank's gradients. Returns what
 * was set before. */
TOCHA_API bool tocha_ddp_set_sync(tocha_ddp *ddp, bool sync);
TOCHA_API bool tocha_ddp_sync(const tocha_ddp *ddp);
/* From now on, buffers are not made equal to those of rank 0 before a forward pass: the caller does what they need. */
TOCHA_API void tocha_ddp_keep_buffers(tocha_ddp *ddp);
TOCHA_API bool tocha_ddp_set_static_graph(tocha_context *cx, tocha_ddp *ddp);

/* Uneven inputs. A rank that has ended takes part in each pass of the others: before_forward, and shadow_pass, which
 * reduces zeros if the others' backward passes reduce. */
TOCHA_API bool tocha_ddp_shadow_pass(tocha_context *cx, tocha_ddp *ddp, bool reduces);
/* divisor: the number by which sums of gradients are divided (0: that of all ranks). root: the rank of the group whose
 * buffers the others take, 0 at first. */
TOCHA_API void tocha_ddp_set_uneven(tocha_ddp *ddp, int divisor, int root);
/* Makes parameters and buffers equal to those of the root. */
TOCHA_API bool tocha_ddp_sync_state(tocha_context *cx, tocha_ddp *ddp);

/* Gradients that are reduced together, as a communication hook sees them. */
typedef struct tocha_gradient_bucket {
  int index;
  bool is_last;         /* the last one of the pass */
  tocha_tensor *buffer; /* the gradients of this rank, one after the other, in one dimension */
  int count;
  tocha_tensor *const *gradients; /* views of buffer */
  tocha_tensor *const *parameters;
} tocha_gradient_bucket;

/* Replaces the all_reduce. `begin` is called when a bucket's gradients (which are not divided by the number of
 * ranks) are there, in the same order on all ranks; `end` at the end of the backward pass, and leaves the result in
 * bucket->buffer. `free` is called with `user` at the end; it may be NULL. */
typedef struct tocha_comm_hook {
  bool (*begin)(tocha_context *cx, void *user, const tocha_gradient_bucket *bucket);
  bool (*end)(tocha_context *cx, void *user, const tocha_gradient_bucket *bucket);
  void (*free)(void *user);
  void *user;
} tocha_comm_hook;

/* Fails if there is a hook already. If it succeeds, hook.user belongs to the ddp. */
TOCHA_API bool tocha_ddp_register_comm_hook(tocha_context *cx, tocha_ddp *ddp,
                                            tocha_comm_hook hook);

/* What the buckets are now: the number of them, and the number of parameters and bytes of each. Members: the numbers
 * of the parameters among those that take part, in the bucket's order, until buckets are made again. */
TOCHA_API int tocha_ddp_bucket_count(const tocha_ddp *ddp);
TOCHA_API int tocha_ddp_bucket_parameters(const tocha_ddp *ddp, int bucket);
TOCHA_API const int *tocha_ddp_bucket_members(const tocha_ddp *ddp, int bucket);
TOCHA_API int64_t tocha_ddp_bucket_bytes(const tocha_ddp *ddp, int bucket);
/* True if the buckets follow the order of the first backward pass. */
TOCHA_API bool tocha_ddp_has_rebuilt_buckets(const tocha_ddp *ddp);

TOCHA_API int tocha_ddp_parameter_count(const tocha_ddp *ddp);
/* Writes the buckets of the next pass, if they are final: sizes and numbers of parameters as in tocha_ddp_plan, with room for a number of
 * each parameter. Returns the number of buckets; 0 before the end of the first backward pass; -1 with an error. With more than two ranks, sums
 * depend on the place in a bucket: a run that goes on from a checkpoint has the digits of one that was not interrupted
 * only if it begins with the same plan. */
TOCHA_API int tocha_ddp_find_plan(tocha_context *cx, const tocha_ddp *ddp, int *order, int *sizes);
/* Takes a plan before the first pass, on all ranks. Does nothing if it does not fit the parameters, or later. */
TOCHA_API bool tocha_ddp_take_plan(tocha_context *cx, tocha_ddp *ddp, tocha_ddp_plan plan);

/* Makes tensors equal to those of rank `root` of the group, in as few broadcasts as buffers of
 * `buffer_bytes` allow. */
TOCHA_API bool tocha_broadcast_coalesced(tocha_context *cx, tocha_process_group *group, int count,
                                         tocha_tensor *const *tensors, int64_t buffer_bytes,
                                         int root);

#ifdef __cplusplus
}
#endif
#endif

/* agree.c: makes sure that all ranks train the same module: compares parameters, and broadcasts values. */
#include <string.h>

#include "dispatch/required_arguments.h"
#include "distributed/ddp/reducer.h"
#include "tensor/copy.h"

bool is_ignored(const tocha_ddp *ddp, const char *name) {
  for (int i = 0; ddp->ignored && ddp->ignored[i]; i++)
    if (strcmp(ddp->ignored[i], name) == 0) return true;
  return false;
}

/* --- values ---------------------------------------------------------------------------------------- */

/* Broadcasts the tensors whose bucket is `number` as one. */
static bool broadcast_bucket(tocha_context *cx, tocha_process_group *group, int count,
                             tocha_tensor *const *tensors, const int *bucket_of, int number,
                             int root) {
  int64_t elements = 0, offset = 0;
  const tocha_tensor *first = NULL;
  for (int i = 0; i < count; i++) {
    if (bucket_of[i] != number) continue;
    if (!first) first = tensors[i];
    elements += tensors[i]->numel;
  }
  if (!first) return true;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *flat = tocha_new(cx, 1, &elements, (tocha_dtype)first->dtype, first->device);
  bool ok = flat != NULL, is_root = ok && tocha_group_rank(cx, group) == root;
  for (int back = is_root ? 0 : 1; ok && back <= 1; back++) {
    if (back) {
      tocha_work *work = tocha_broadcast(cx, flat, root, group, false);
      ok = work != NULL;
      tocha_work_free(work);
      if (is_root) break;
    }
    offset = 0;
    for (int i = 0; ok && i < count; i++) {
      if (bucket_of[i] != number) continue;
      int64_t strides[TOCHA_MAX_DIMS];
      tocha_row_major_strides(tensors[i]->ndim, tensors[i]->sizes, strides);
      tocha_tensor *part =
          tocha_alias(cx, flat, tensors[i]->ndim, tensors[i]->sizes, strides, offset);
      ok = part &&
           (back ? tocha_copy_data(cx, tensors[i], part) : tocha_copy_data(cx, part, tensors[i]));
      if (ok && back) tocha_bump_version(tensors[i]);
      offset += tensors[i]->numel;
    }
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_broadcast_coalesced(tocha_context *cx, tocha_process_group *group, int count,
                               tocha_tensor *const *tensors, int64_t buffer_bytes, int root) {
  if (tocha_failed(cx) ||
      !tocha_given_tensors(cx, "broadcast_coalesced", "tensors", count, tensors, true))
    return false;
  if (count <= 0) return true;
  int *bucket_of = tocha_allocate(cx, (uint64_t)count * sizeof *bucket_of);
  int buckets = bucket_of ? assign_buckets(cx, count, tensors, 1, &buffer_bytes, bucket_of) : -1;
  bool ok = buckets >= 0;
  for (int i = 0; ok && i < buckets; i++)
    ok = broadcast_bucket(cx, group, count, tensors, bucket_of, i, root);
  tocha_deallocate(cx, bucket_of, (uint64_t)count * sizeof *bucket_of);
  return ok;
}

enum { BROADCAST_BYTES = 250 << 20 };

/* Broadcasts the named tensors that are not ignored. */
static bool broadcast_named(tocha_context *cx, const tocha_ddp *ddp, const tocha_named_list *list) {
  uint64_t bytes = (uint64_t)list->count * sizeof(tocha_tensor *);
  tocha_tensor **tensors = tocha_allocate(cx, bytes);
  int count = 0;
  if (list->count && !tensors) return false;
  for (int i = 0; i < list->count; i++)
    if (!is_ignored(ddp, list->items[i].name)) tensors[count++] = list->items[i].tensor;
  bool ok = tocha_broadcast_coalesced(cx, ddp->group, count, tensors, BROADCAST_BYTES, ddp->root);
  tocha_deallocate(cx, tensors, bytes);
  return ok;
}

bool broadcast_buffers(tocha_context *cx, tocha_ddp *ddp) {
  tocha_named_list list = {0};
  bool ok = tocha_named_buffers(cx, ddp->module, "", true, true, &list) &&
            broadcast_named(cx, ddp, &list);
  tocha_named_list_free(&list);
  return ok;
}

bool broadcast_state(tocha_context *cx, tocha_ddp *ddp, bool keep_buffers) {
  tocha_named_list list = {0};
  bool ok = tocha_named_parameters(cx, ddp->module, "", true, true, &list) &&
            (keep_buffers || tocha_named_buffers(cx, ddp->module, "", true, true, &list)) &&
            broadcast_named(cx, ddp, &list);
  tocha_named_list_free(&list);
  return ok;
}

/* --- parameters ---------------------------------------------------------------------------------------- */

/* The description of a parameter: its dtype, number of dimensions, sizes and strides. */
enum { ROW = 2 + 2 * TOCHA_MAX_DIMS };

static void describe(const tocha_tensor *t, int64_t row[ROW]) {
  memset(row, 0, ROW * sizeof *row);
  row[0] = t->dtype;
  row[1] = t->ndim;
  memcpy(row + 2, t->sizes, (size_t)t->ndim * sizeof *row);
  memcpy(row + 2 + TOCHA_MAX_DIMS, t->strides, (size_t)t->ndim * sizeof *row);
}

/* Gathers a row of numbers of each rank. Returns (ranks, numbers) on the CPU. */
static tocha_tensor *gather_numbers(tocha_context *cx, const tocha_ddp *ddp, tocha_tensor *row) {
  tocha_device device = ddp->parameters[0].tensor->device;
  int64_t sizes[] = {ddp->ranks, row->numel};
  tocha_tensor *input = tocha_as_device(cx, row, device);
  tocha_tensor *all = input ? tocha_new(cx, 2, sizes, TOCHA_INT64, device) : NULL;
  tocha_work *work = all ? tocha_all_gather_into_tensor(cx, all, input, ddp->group, false) : NULL;
  tocha_tensor *result = work ? tocha_as_device(cx, all, tocha_cpu()) : NULL;
  tocha_work_free(work);
  return result;
}

/* Fails unless all ranks have as many parameters as this one. *has_plan: as in compare_parameters. */
static bool compare_counts(tocha_context *cx, const tocha_ddp *ddp, bool *has_plan) {
  int64_t two = 2;
  tocha_tensor *mine = tocha_new(cx, 1, &two, TOCHA_INT64, tocha_cpu());
  if (!mine) return false;
  int64_t *row = tocha_data(mine);
  row[0] = ddp->count;
  row[1] = *has_plan;
  const tocha_tensor *all = gather_numbers(cx, ddp, mine);
  if (!all) return false;
  const int64_t *counts = tocha_data(all);
  *has_plan = counts[1] != 0;
  for (int r = 1; r < ddp->ranks; r++) {
    if (counts[2 * r] == counts[0]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "DDP expects same model across all ranks, but Rank 0 has %lld params, while rank %d "
               "has inconsistent %lld params.",
               (long long)counts[0], r, (long long)counts[2 * r]);
    tocha_hint(cx,
               "build the module by the same code on every rank, and freeze the same parameters");
    return false;
  }
  return true;
}

static void fail_different(tocha_context *cx, const tocha_ddp *ddp, int rank, int parameter,
                           const int64_t *first, const int64_t *other) {
  char a[256], b[256];
  bool sizes = first[1] != other[1] ||
               memcmp(first + 2, other + 2, (size_t)TOCHA_MAX_DIMS * sizeof *first) != 0;
  int from = sizes ? 2 : 2 + TOCHA_MAX_DIMS;
  const char *what = first[0] != other[0] ? "dtype" : sizes ? "sizes" : "strides";
  tocha_shape_text((int)other[1], other + from, a, sizeof a);
  tocha_shape_text((int)first[1], first + from, b, sizeof b);
  if (first[0] != other[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "[%d]: params[%d] in this process with dtype %s appears not to match dtype of the "
               "same param in process 0.",
               rank, parameter, tocha_dtype_name((tocha_dtype)other[0]));
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "[%d]: params[%d] in this process with %s %s appears not to match %s of the same "
               "param in process 0.",
               rank, parameter, what, a, what);
  tocha_hint(cx, "%s is %s on rank %d, and %s on rank 0", ddp->parameters[parameter].name,
             first[0] != other[0] ? tocha_dtype_name((tocha_dtype)other[0]) : a, rank,
             first[0] != other[0] ? tocha_dtype_name((tocha_dtype)first[0]) : b);
}

static bool compare_looks(tocha_context *cx, const tocha_ddp *ddp) {
  int64_t size = (int64_t)ddp->count * ROW;
  tocha_tensor *mine = tocha_new(cx, 1, &size, TOCHA_INT64, tocha_cpu());
  if (!mine) return false;
  for (int i = 0; i < ddp->count; i++)
    describe(ddp->parameters[i].tensor, (int64_t *)tocha_data(mine) + (int64_t)i * ROW);
  const tocha_tensor *all = gather_numbers(cx, ddp, mine);
  if (!all) return false;
  const int64_t *first = tocha_data(all);
  for (int r = 1; r < ddp->ranks; r++)
    for (int i = 0; i < ddp->count; i++) {
      const int64_t *row = first + (int64_t)i * ROW, *other = row + r * size;
      if (memcmp(row, other, ROW * sizeof *row) == 0) continue;
      fail_different(cx, ddp, r, i, row, other);
      return false;
    }
  return true;
}

bool compare_parameters(tocha_context *cx, tocha_ddp *ddp, bool *has_plan) {
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = compare_counts(cx, ddp, has_plan) && compare_looks(cx, ddp);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

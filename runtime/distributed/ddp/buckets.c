/* buckets.c: which gradients are reduced together, and the memory for them. */
#include <string.h>

#include "distributed/ddp/reducer.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tocha/ops/as_strided.h"

/* --- assignment -------------------------------------------------------------------------------- */

/* A bucket that is being filled: one for each dtype and device. */
typedef struct open_bucket {
  tocha_dtype dtype;
  tocha_device device;
  int64_t bytes;
  int limit; /* number of the limit that holds for it */
  int *members, count;
} open_bucket;

static int64_t bytes_of(const tocha_tensor *t) {
  return t->numel * tocha_item_size((tocha_dtype)t->dtype);
}

static open_bucket *bucket_for(open_bucket *open, int *open_count, const tocha_tensor *t) {
  for (int i = 0; i < *open_count; i++)
    if (open[i].dtype == (tocha_dtype)t->dtype && tocha_device_equal(open[i].device, t->device))
      return &open[i];
  open_bucket *b = &open[(*open_count)++];
  *b = (open_bucket){.dtype = (tocha_dtype)t->dtype, .device = t->device};
  return b;
}

/* Gives the members of the open bucket the next number. */
static void end_bucket(open_bucket *b, int number, int *bucket_of) {
  for (int i = 0; i < b->count; i++) bucket_of[b->members[i]] = number;
  b->bytes = 0;
  b->count = 0;
}

int assign_buckets(tocha_context *cx, int count, tocha_tensor *const *tensors, int limit_count,
                   const int64_t *limits, int *bucket_of) {
  int open_count = 0, buckets = 0;
  uint64_t bytes = (uint64_t)count * sizeof(open_bucket);
  open_bucket *open = tocha_allocate_zeroed(cx, bytes); /* as many as there are tensors suffice */
  uint64_t member_bytes = (uint64_t)count * sizeof(int);
  bool ok = open != NULL;
  for (int i = 0; ok && i < count; i++) {
    open_bucket *b = bucket_for(open, &open_count, tensors[i]);
    if (!b->members) ok = (b->members = tocha_allocate(cx, member_bytes)) != NULL;
    if (!ok) break;
    b->members[b->count++] = i;
    b->bytes += bytes_of(tensors[i]);
    if (b->bytes < limits[b->limit]) continue;
    end_bucket(b, buckets++, bucket_of);
    if (b->limit + 1 < limit_count) b->limit++;
  }
  for (int i = 0; i < open_count; i++) {
    if (ok && open[i].count) end_bucket(&open[i], buckets++, bucket_of);
    tocha_deallocate(cx, open[i].members, member_bytes);
  }
  tocha_deallocate(cx, open, bytes);
  return ok ? buckets : -1;
}

/* --- memory -------------------------------------------------------------------------------------- */

/* Creates `count` views of flat, with the sizes of tensors, and their strides if they are dense. */
static bool make_views(tocha_context *cx, tocha_tensor *flat, int count,
                       tocha_tensor *const *tensors, tocha_tensor **views) {
  int64_t offset = 0, strides[TOCHA_MAX_DIMS];
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = tensors[i];
    bool dense = tocha_is_dense(t);
    if (!dense) tocha_row_major_strides(t->ndim, t->sizes, strides);
    views[i] = tocha_retain(tocha_as_strided(cx, flat, t->ndim, t->sizes, t->ndim,
                                             dense ? t->strides : strides, &offset));
    if (!views[i]) return false;
    offset += t->numel;
  }
  return true;
}

static bool fill_bucket(tocha_context *cx, tocha_ddp *ddp, int number, const int *members) {
  ddp_bucket *b = &ddp->buckets[number];
  uint64_t n = (uint64_t)b->count;
  b->members = tocha_allocate(cx, n * sizeof *b->members);
  b->views = tocha_allocate_zeroed(cx, n * sizeof(tocha_tensor *));
  b->parameters = tocha_allocate(cx, n * sizeof(tocha_tensor *));
  if (!b->members || !b->views || !b->parameters) return false;
  int64_t elements = 0;
  for (int i = 0; i < b->count; i++) {
    ddp_parameter *p = &ddp->parameters[members[i]];
    b->members[i] = members[i];
    b->parameters[i] = p->tensor;
    p->bucket = number;
    p->slot = i;
    elements += p->tensor->numel;
  }
  const tocha_tensor *first = b->parameters[0];
  b->flat = tocha_retain(tocha_new(cx, 1, &elements, (tocha_dtype)first->dtype, first->device));
  return b->flat && tocha_fill_data(cx, b->flat, tocha_int(0)) &&
         make_views(cx, b->flat, b->count, b->parameters, b->views);
}

void free_buckets(tocha_ddp *ddp) {
  tocha_context *cx = ddp->cx;
  for (int i = 0; i < ddp->bucket_count; i++) {
    ddp_bucket *b = &ddp->buckets[i];
    uint64_t n = (uint64_t)b->count;
    tocha_work_free(b->work);
    for (int k = 0; b->views && k < b->count; k++) tocha_release(b->views[k]);
    tocha_release(b->flat);
    tocha_deallocate(cx, b->members, n * sizeof *b->members);
    tocha_deallocate(cx, b->views, n * sizeof(tocha_tensor *));
    tocha_deallocate(cx, b->parameters, n * sizeof(tocha_tensor *));
  }
  tocha_deallocate(cx, ddp->buckets, (uint64_t)ddp->bucket_count * sizeof *ddp->buckets);
  ddp->buckets = NULL;
  ddp->bucket_count = 0;
}

/* Makes `count` buckets. order: the numbers of all parameters, bucket after bucket; sizes: how many each
 * bucket has. */
static bool make_buckets(tocha_context *cx, tocha_ddp *ddp, int count, const int *sizes,
                         const int *order) {
  free_buckets(ddp);
  if (!(ddp->buckets = tocha_allocate_zeroed(cx, (uint64_t)count * sizeof *ddp->buckets)))
    return false;
  ddp->bucket_count = count;
  bool grad_enabled = tocha_set_grad_enabled(cx, false), ok = true;
  tocha_scope scope = tocha_scope_begin(cx);
  for (int i = 0, from = 0; ok && i < count; from += sizes[i++]) {
    ddp->buckets[i].count = sizes[i];
    ok = fill_bucket(cx, ddp, i, order + from);
  }
  tocha_scope_end(cx, scope, NULL);
  tocha_set_grad_enabled(cx, grad_enabled);
  return ok;
}

/* --- the two plans ----------------------------------------------------------------------------------- */

/* A plan of buckets: numbers of parameters bucket after bucket, and the sizes of the buckets. */
typedef struct plan {
  int count, *order, *sizes;
} plan;

static bool open_plan(tocha_context *cx, plan *p, int parameters) {
  p->order = tocha_allocate(cx, 2 * (uint64_t)parameters * sizeof(int));
  p->sizes = p->order ? p->order + parameters : NULL;
  return p->order != NULL;
}

static void close_plan(tocha_context *cx, plan *p, int parameters) {
  tocha_deallocate(cx, p->order, 2 * (uint64_t)parameters * sizeof(int));
}

/* Plans buckets of the parameters that `given` lists (NULL: in their own order). */
static bool make_plan(tocha_context *cx, const tocha_ddp *ddp, const int *given, int limit_count,
                      const int64_t *limits, plan *p) {
  int n = ddp->count;
  uint64_t tensor_bytes = (uint64_t)n * sizeof(tocha_tensor *);
  tocha_tensor **tensors = tocha_allocate(cx, tensor_bytes);
  int *bucket_of = tocha_allocate(cx, (uint64_t)n * sizeof *bucket_of);
  bool ok = tensors && bucket_of;
  for (int i = 0; ok && i < n; i++) tensors[i] = ddp->parameters[given ? given[i] : i].tensor;
  p->count = ok ? assign_buckets(cx, n, tensors, limit_count, limits, bucket_of) : -1;
  ok = p->count >= 0;
  for (int b = 0, at = 0; ok && b < p->count; b++) {
    p->sizes[b] = 0;
    for (int i = 0; i < n; i++)
      if (bucket_of[i] == b) {
        p->order[at++] = given ? given[i] : i;
        p->sizes[b]++;
      }
  }
  tocha_deallocate(cx, bucket_of, (uint64_t)n * sizeof *bucket_of);
  tocha_deallocate(cx, tensors, tensor_bytes);
  return ok;
}

/* Sorts the buckets by their first parameters, the last one first: the gradients of the last parameters arrive
 * first. starts: room for a number of each bucket. */
static void sort_backwards(const plan *from, plan *to, int *starts) {
  for (int b = 0, at = 0; b < from->count; at += from->sizes[b++]) starts[b] = at;
  to->count = from->count;
  for (int k = 0, at = 0; k < to->count; at += to->sizes[k++]) {
    int last = -1;
    for (int b = 0; b < from->count; b++)
      if (starts[b] >= 0 && (last < 0 || from->order[starts[b]] > from->order[starts[last]]))
        last = b;
    to->sizes[k] = from->sizes[last];
    memcpy(to->order + at, from->order + starts[last], (size_t)to->sizes[k] * sizeof *to->order);
    starts[last] = -1;
  }
}

bool make_first_buckets(tocha_context *cx, tocha_ddp *ddp) {
  int64_t none = INT64_MAX;
  bool in_parts = ddp->limits_first_pass || finds_unused(ddp); /* the latter are never made again */
  plan p = {0}, reversed = {0};
  uint64_t scratch_bytes = (uint64_t)ddp->count * sizeof(int);
  int *scratch = tocha_allocate(cx, scratch_bytes);
  bool ok =
      scratch && open_plan(cx, &p, ddp->count) && open_plan(cx, &reversed, ddp->count) &&
      make_plan(cx, ddp, NULL, in_parts ? ddp->limit_count : 1, in_parts ? ddp->limits : &none, &p);
  if (ok) {
    sort_backwards(&p, &reversed, scratch);
    ok = make_buckets(cx, ddp, reversed.count, reversed.sizes, reversed.order);
  }
  close_plan(cx, &reversed, ddp->count);
  close_plan(cx, &p, ddp->count);
  tocha_deallocate(cx, scratch, scratch_bytes);
  return ok;
}

/* Replaces the plan by that of rank 0. */
static bool take_plan_of_rank_0(tocha_context *cx, tocha_ddp *ddp, plan *p) {
  int64_t size = 1 + 2 * (int64_t)ddp->count;
  tocha_tensor *t = tocha_new(cx, 1, &size, TOCHA_INT64, tocha_cpu());
  if (!t) return false;
  int64_t *numbers = tocha_data(t);
  numbers[0] = p->count;
  for (int i = 0; i < ddp->count; i++) {
    numbers[1 + i] = p->order[i];
    numbers[1 + ddp->count + i] = i < p->count ? p->sizes[i] : 0;
  }
  if (ddp->parameters[0].tensor->device.type != TOCHA_CPU)
    t = tocha_as_device(cx, t, ddp->parameters[0].tensor->device);
  tocha_work *work = t ? tocha_broadcast(cx, t, 0, ddp->group, false) : NULL;
  bool ok = work != NULL;
  tocha_work_free(work);
  t = ok ? tocha_as_device(cx, t, tocha_cpu()) : NULL;
  if (!t) return false;
  numbers = tocha_data(t);
  p->count = (int)numbers[0];
  for (int i = 0; i < ddp->count; i++) {
    p->order[i] = (int)numbers[1 + i];
    p->sizes[i] = (int)numbers[1 + ddp->count + i];
  }
  return true;
}

bool rebuild_buckets(tocha_context *cx, tocha_ddp *ddp) {
  plan p = {0};
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = open_plan(cx, &p, ddp->count) &&
            make_plan(cx, ddp, ddp->arrived, ddp->limit_count, ddp->limits, &p) &&
            take_plan_of_rank_0(cx, ddp, &p) && make_buckets(cx, ddp, p.count, p.sizes, p.order);
  tocha_scope_end(cx, scope, NULL);
  close_plan(cx, &p, ddp->count);
  ddp->rebuilt = ok;
  return ok;
}

/* --- plans of other runs ------------------------------------------------------------------------------- */

/* Returns true if the `count` parameters exist, and none of them is marked in `seen`, where it marks them, and if all have one dtype and device. */
static bool is_bucket(const tocha_ddp *ddp, int count, const int *members, bool *seen) {
  const tocha_tensor *first = NULL;
  for (int i = 0; i < count; i++) {
    int number = members[i];
    if (number < 0 || number >= ddp->count || seen[number]) return false;
    const tocha_tensor *t = ddp->parameters[number].tensor;
    if (!first) first = t;
    if (t->dtype != first->dtype || !tocha_device_equal(t->device, first->device)) return false;
    seen[number] = true;
  }
  return count > 0;
}

bool is_plan_for(tocha_context *cx, const tocha_ddp *ddp, tocha_ddp_plan given) {
  if (given.count <= 0 || !given.sizes || !given.order || finds_unused(ddp)) return false;
  bool *seen = tocha_allocate_zeroed(cx, (uint64_t)ddp->count * sizeof *seen), fits = seen != NULL;
  int at = 0;
  for (int b = 0; fits && b < given.count; at += given.sizes[b++])
    fits =
        given.sizes[b] <= ddp->count - at && is_bucket(ddp, given.sizes[b], given.order + at, seen);
  tocha_deallocate(cx, seen, (uint64_t)ddp->count * sizeof *seen);
  return fits && at == ddp->count;
}

bool make_given_buckets(tocha_context *cx, tocha_ddp *ddp, tocha_ddp_plan given, bool from_rank_0) {
  plan p = {0};
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = open_plan(cx, &p, ddp->count);
  if (ok && given.count) {
    p.count = given.count;
    memcpy(p.order, given.order, (size_t)ddp->count * sizeof *p.order);
    memcpy(p.sizes, given.sizes, (size_t)given.count * sizeof *p.sizes);
  }
  ok = ok && (!from_rank_0 || take_plan_of_rank_0(cx, ddp, &p)) &&
       make_buckets(cx, ddp, p.count, p.sizes, p.order);
  tocha_scope_end(cx, scope, NULL);
  close_plan(cx, &p, ddp->count);
  ddp->rebuilt = ok;
  return ok;
}

int tocha_ddp_parameter_count(const tocha_ddp *ddp) { return ddp ? ddp->count : 0; }

int tocha_ddp_find_plan(tocha_context *cx, const tocha_ddp *ddp, int *order, int *sizes) {
  if (!ddp || tocha_failed(cx)) return -1;
  if (!ddp->rebuilt) {
    plan p = {.order = order, .sizes = sizes};
    if (finds_unused(ddp) || ddp->arrived_count < ddp->count) return 0;
    return make_plan(cx, ddp, ddp->arrived, ddp->limit_count, ddp->limits, &p) ? p.count : -1;
  }
  for (int b = 0, at = 0; b < ddp->bucket_count; at += sizes[b++]) {
    sizes[b] = ddp->buckets[b].count;
    memcpy(order + at, ddp->buckets[b].members, (size_t)sizes[b] * sizeof *order);
  }
  return ddp->bucket_count;
}

bool tocha_ddp_take_plan(tocha_context *cx, tocha_ddp *ddp, tocha_ddp_plan given) {
  if (!ddp || tocha_failed(cx)) return false;
  if (ddp->rebuilt || ddp->expects || !is_plan_for(cx, ddp, given)) return !tocha_failed(cx);
  return make_given_buckets(cx, ddp, given, false);
}

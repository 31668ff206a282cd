/* iterator.c: broadcasts operands, orders and collapses their dimensions, and divides the runs
 * among threads. */
#include "tensor/iterator.h"

#include <string.h>

bool tocha_broadcast_sizes(tocha_context *cx, int count, tocha_tensor *const *tensors, int *ndim,
                           int64_t *sizes) {
  *ndim = 0;
  for (int k = 0; k < count; k++) {
    const tocha_tensor *t = tensors[k];
    if (!t) continue;
    if (t->ndim > *ndim) { /* earlier dimensions move right */
      int shift = t->ndim - *ndim;
      memmove(sizes + shift, sizes, (size_t)*ndim * sizeof *sizes);
      for (int i = 0; i < shift; i++) sizes[i] = 1;
      *ndim = t->ndim;
    }
    for (int i = t->ndim - 1; i >= 0; i--) { /* a mismatch is reported from the end */
      int at = *ndim - t->ndim + i;
      if (sizes[at] == 1) {
        sizes[at] = t->sizes[i];
      } else if (t->sizes[i] != 1 && t->sizes[i] != sizes[at]) {
        tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                   "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                   "non-singleton dimension %d",
                   (long long)sizes[at], (long long)t->sizes[i], at);
        tocha_hint(cx,
                   "sizes are compared from the last dimension on: they are equal, or one is 1");
        return false;
      }
    }
  }
  return true;
}

/* Computes the byte strides of t over the broadcast shape: 0 along dimensions where t repeats,
 * and everywhere if t is NULL. */
static void byte_strides(const tocha_tensor *t, int ndim, int64_t *out, int step) {
  if (!t) {
    for (int i = 0; i < ndim; i++) out[i * step] = 0;
    return;
  }
  int64_t item = (int64_t)tocha_dtype_size(t->dtype);
  for (int i = 0; i < ndim; i++) {
    int at = i - (ndim - t->ndim);
    out[i * step] = at < 0 || t->sizes[at] == 1 ? 0 : t->strides[at] * item;
  }
}

/* Returns 1 if dimension x should be walked inside dimension y, -1 if outside, 0 if undecided.
 * The first operand whose strides differ, neither being 0, decides; equal strides are decided by
 * size. */
static int inner(const int64_t (*strides)[TOCHA_MAX_OPERANDS], const int64_t *sizes, int operands,
                 int x, int y) {
  for (int k = 0; k < operands; k++) {
    int64_t a = strides[x][k], b = strides[y][k];
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    if (a == 0 || b == 0) continue;
    if (a != b) return a < b ? 1 : -1;
    if (sizes[y] > sizes[x]) return 1;
  }
  return 0;
}

/* Sorts by insertion, which is stable, so that undecided dimensions keep the row-major order. */
void tocha_order_dimensions(const int64_t (*strides)[TOCHA_MAX_OPERANDS], const int64_t *sizes,
                            int ndim, int operands, int *order) {
  for (int i = 0; i < ndim; i++) order[i] = ndim - 1 - i;
  for (int i = 1; i < ndim; i++) {
    int at = i;
    for (int j = i - 1; j >= 0; j--) {
      int verdict = inner(strides, sizes, operands, order[at], order[j]);
      if (verdict < 0) break;
      if (verdict > 0) {
        int t = order[at];
        order[at] = order[j];
        order[j] = t;
        at = j;
      }
    }
  }
}

/* Orders and collapses ndim dimensions, given outermost first. `operands` and `numel` are
 * already set. */
static void arrange(tocha_iterator *it, int ndim, const int64_t *sizes,
                    const int64_t (*strides)[TOCHA_MAX_OPERANDS]) {
  int order[TOCHA_MAX_DIMS];
  tocha_order_dimensions(strides, sizes, ndim, it->operands, order);
  it->ndim = 0;
  for (int i = 0; i < ndim; i++) {
    int d = order[i];
    if (sizes[d] == 1) continue;
    int last = it->ndim - 1;
    bool joins = last >= 0;
    for (int k = 0; joins && k < it->operands; k++)
      joins = strides[d][k] == it->strides[last][k] * it->sizes[last];
    if (joins) {
      it->sizes[last] *= sizes[d];
    } else {
      it->sizes[it->ndim] = sizes[d];
      memcpy(it->strides[it->ndim], strides[d], sizeof strides[d]);
      it->ndim++;
    }
  }
  if (it->ndim == 0) {
    it->ndim = 1;
    it->sizes[0] = it->numel; /* 1, or 0 for an empty shape */
    memset(it->strides[0], 0, sizeof it->strides[0]);
  }
}

/* Returns true if every operand is row-major or a single element, so that one run covers them
 * all. */
static bool is_one_run(int64_t numel, int count, tocha_tensor *const *tensors) {
  for (int k = 0; k < count; k++) {
    const tocha_tensor *t = tensors[k];
    if (!t || t->numel == 1) continue;
    if (t->numel != numel || !(t->flags & TOCHA_FLAG_CONTIGUOUS)) return false;
  }
  return true;
}

void tocha_iterator_begin(tocha_iterator *it, tocha_context *cx, int ndim, const int64_t *sizes,
                          int count, tocha_tensor *const *tensors) {
  int64_t strides[TOCHA_MAX_DIMS][TOCHA_MAX_OPERANDS];
  it->cx = cx;
  it->operands = count;
  it->numel = 1;
  for (int i = 0; i < ndim; i++) it->numel *= sizes[i];
  for (int k = 0; k < count; k++)
    it->data[k] = tensors[k] && tensors[k]->storage->data ? tocha_bytes(tensors[k]) : NULL;
  if (is_one_run(it->numel, count, tensors)) {
    it->ndim = 1;
    it->sizes[0] = it->numel;
    for (int k = 0; k < count; k++)
      it->strides[0][k] =
          !tensors[k] || tensors[k]->numel == 1 ? 0 : (int64_t)tocha_dtype_size(tensors[k]->dtype);
    return;
  }
  for (int k = 0; k < count; k++)
    byte_strides(tensors[k], ndim, &strides[0][k], TOCHA_MAX_OPERANDS);
  arrange(it, ndim, sizes, (const int64_t(*)[TOCHA_MAX_OPERANDS])strides);
}

/* Makes the runs that cover elements begin..end. */
static void run_range(const tocha_iterator *it, int64_t begin, int64_t end, tocha_run run,
                      void *user) {
  int64_t at[TOCHA_MAX_DIMS];
  char *data[TOCHA_MAX_OPERANDS];
  int64_t rest = begin;
  for (int k = 0; k < it->operands; k++) data[k] = it->data[k];
  for (int d = 0; d < it->ndim; d++) {
    at[d] = rest % it->sizes[d];
    rest /= it->sizes[d];
    for (int k = 0; k < it->operands; k++) data[k] += at[d] * it->strides[d][k];
  }
  while (begin < end) {
    int64_t n = it->sizes[0] - at[0];
    if (n > end - begin) n = end - begin;
    run(user, data, it->strides[0], n);
    begin += n;
    if (begin >= end) break;
    for (int k = 0; at[0] && k < it->operands; k++) data[k] -= at[0] * it->strides[0][k];
    at[0] = 0;
    for (int d = 1; d < it->ndim; d++) {
      for (int k = 0; k < it->operands; k++) data[k] += it->strides[d][k];
      if (++at[d] < it->sizes[d]) break;
      for (int k = 0; k < it->operands; k++) data[k] -= it->sizes[d] * it->strides[d][k];
      at[d] = 0;
    }
  }
}

typedef struct iterator_part {
  const tocha_iterator *it;
  tocha_run run;
  void *user;
} iterator_part;

static void run_part(void *user, int64_t begin, int64_t end) {
  const iterator_part *w = user;
  run_range(w->it, begin, end, w->run, w->user);
}

static bool run_parallel(const tocha_iterator *it, int64_t grain, tocha_run run, void *user) {
  if (it->numel == 0) return true;
  if (it->numel <= grain) {
    run_range(it, 0, it->numel, run, user);
    return true;
  }
  iterator_part w = {it, run, user};
  return tocha_parallel_for(it->cx, it->numel, grain, run_part, &w);
}

bool tocha_iterator_run(const tocha_iterator *it, tocha_run run, void *user) {
  return run_parallel(it, TOCHA_GRAIN, run, user);
}

static void begin_layout(tocha_iterator *it, tocha_context *cx,
                         const tocha_strided_layout *layout) {
  it->cx = cx;
  it->ndim = layout->ndim;
  it->operands = layout->operands;
  it->numel = layout->numel;
  for (int k = 0; k < layout->operands; k++) it->data[k] = layout->data[k];
  for (int d = 0; d < layout->ndim; d++) {
    it->sizes[d] = layout->sizes[d];
    for (int k = 0; k < layout->operands; k++) it->strides[d][k] = layout->strides[k][d];
  }
}

/* Runs a layout of at most one dimension. */
static void run_once(const tocha_strided_layout *layout, tocha_run run, void *user) {
  char *data[TOCHA_LAYOUT_OPERANDS];
  int64_t strides[TOCHA_LAYOUT_OPERANDS];
  for (int k = 0; k < layout->operands; k++) {
    data[k] = layout->data[k];
    strides[k] = layout->ndim ? layout->strides[k][0] : 0;
  }
  if (layout->numel > 0) run(user, data, strides, layout->numel);
}

bool tocha_run_layout(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                      void *user) {
  tocha_iterator it;
  if (layout->ndim == 1 && layout->numel <= TOCHA_GRAIN) {
    run_once(layout, run, user);
    return true;
  }
  begin_layout(&it, cx, layout);
  return tocha_iterator_run(&it, run, user);
}

/* Runs on this thread in steps of a few milliseconds, and checks for an interrupt after each. */
static bool run_serial(const tocha_iterator *it, tocha_run run, void *user) {
  enum { STEP = 4 * TOCHA_GRAIN };
  for (int64_t begin = 0; begin < it->numel; begin += STEP) {
    run_range(it, begin, it->numel - begin < STEP ? it->numel : begin + STEP, run, user);
    if (tocha_interrupted(it->cx)) return false;
  }
  return !tocha_interrupted(it->cx);
}

bool tocha_run_layout_rows(tocha_context *cx, const tocha_strided_layout *layout, bool in_order,
                           tocha_run run, void *user) {
  tocha_iterator it;
  begin_layout(&it, cx, layout);
  int64_t row = it.sizes[0];
  it.numel /= row;
  it.ndim--;
  for (int d = 0; d < it.ndim; d++) {
    it.sizes[d] = it.sizes[d + 1];
    memcpy(it.strides[d], it.strides[d + 1], sizeof it.strides[d]);
  }
  return in_order ? run_serial(&it, run, user)
                  : run_parallel(&it, TOCHA_GRAIN / row + 1, run, user);
}

bool tocha_run_layout_in_order(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                               void *user) {
  tocha_iterator it;
  if (layout->ndim == 1 && layout->numel <= TOCHA_GRAIN) {
    run_once(layout, run, user);
    return !tocha_interrupted(cx);
  }
  begin_layout(&it, cx, layout);
  return run_serial(&it, run, user);
}

bool tocha_run_layout_serial(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                             void *user) {
  int64_t sizes[TOCHA_LAYOUT_DIMS] = {1}, strides[TOCHA_LAYOUT_DIMS][TOCHA_MAX_OPERANDS];
  tocha_iterator it;
  if (layout->ndim == 0 || (layout->ndim == 1 && layout->numel <= TOCHA_GRAIN)) {
    run_once(layout, run, user);
    return !tocha_interrupted(cx);
  }
  it.cx = cx;
  it.operands = layout->operands;
  it.numel = layout->numel;
  for (int k = 0; k < layout->operands; k++) it.data[k] = layout->data[k];
  for (int d = 0; d < layout->ndim; d++) {
    int outer = layout->ndim - 1 - d;
    sizes[outer] = layout->sizes[d];
    for (int k = 0; k < layout->operands; k++) strides[outer][k] = layout->strides[k][d];
  }
  arrange(&it, layout->ndim, sizes, (const int64_t(*)[TOCHA_MAX_OPERANDS])strides);
  return run_serial(&it, run, user);
}

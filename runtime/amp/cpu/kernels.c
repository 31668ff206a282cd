/* kernels.c: the CPU's kernels of mixed precision. Norms of lists are left to the operators, which
 * add in PyTorch's order. */
#include "amp/kernels.h"

#include <math.h>

#include "amp/cpu/unscale.h"
#include "device/devices.h"
#include "tensor/convert.h"
#include "tensor/parallel.h"

enum { BLOCK = 2048 }; /* elements of a 16-bit type that are converted together */

typedef struct scaling {
  const tocha_scale_list_args *args;
  const tocha_unscale_loops *loops; /* float32's for 16-bit types */
  double factor;
  atomic_int found;
} scaling;

/* Scales n elements of a 16-bit type, in blocks converted to float32. */
static bool scale_halves(const scaling *s, char *x, int64_t n) {
  tocha_dtype dtype = (tocha_dtype)s->args->dtype;
  tocha_converter widen = tocha_conversion(TOCHA_FLOAT32, dtype);
  tocha_converter narrow = tocha_conversion(dtype, TOCHA_FLOAT32);
  float wide[BLOCK];
  bool bad = false;
  for (int64_t i = 0; i < n; i += BLOCK) {
    int64_t m = n - i < BLOCK ? n - i : BLOCK;
    widen((char *)wide, 4, x + 2 * i, 2, m);
    bad |= s->loops->scale(wide, m, s->factor);
    narrow(x + 2 * i, 2, (const char *)wide, 4, m);
  }
  return bad;
}

/* Returns the last item that begins at or before an element of the list. */
static int item_of(const tocha_scale_list_args *args, int64_t element) {
  int low = 0, high = args->count;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (args->items[middle].begin <= element)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void scale_range(void *user, int64_t begin, int64_t end) {
  scaling *s = user;
  const tocha_scale_list_args *args = s->args;
  int64_t item_size = (int64_t)tocha_dtype_size((tocha_dtype)args->dtype);
  bool bad = false;
  for (int i = item_of(args, begin); i < args->count && args->items[i].begin < end; i++) {
    const tocha_list_item *item = &args->items[i];
    int64_t from = begin > item->begin ? begin - item->begin : 0;
    int64_t to = end - item->begin < item->numel ? end - item->begin : item->numel;
    char *x = (char *)item->data + from * item_size;
    bad |=
        item_size == 2 ? scale_halves(s, x, to - from) : s->loops->scale(x, to - from, s->factor);
  }
  if (bad) atomic_store_explicit(&s->found, 1, memory_order_relaxed);
}

static bool scale_list(tocha_stream *stream, const tocha_scale_list_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  bool wide = args->dtype == TOCHA_FLOAT64;
  const tocha_list_item *last = &args->items[args->count - 1];
  scaling s = {.args = args,
               .loops = tocha_unscale_loops_table[cx->isa][wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32],
               .factor = args->wide_factor ? *(const double *)args->factor
                                           : (double)*(const float *)args->factor};
  atomic_init(&s.found, 0);
  if (!tocha_parallel_for(cx, last->begin + last->numel, TOCHA_GRAIN, scale_range, &s))
    return false;
  if (atomic_load(&s.found) && args->found) *args->found = 1;
  return true;
}

static bool update_scale(tocha_stream *stream, const tocha_update_scale_args *args) {
  (void)stream;
  if (*args->found != 0) {
    *args->scale = (float)(*args->scale * args->backoff);
    *args->tracker = 0;
  } else if (*args->tracker + (int64_t)1 != args->interval) {
    ++*args->tracker;
  } else {
    float larger = (float)(*args->scale * args->growth);
    if (isfinite(larger)) *args->scale = larger;
    *args->tracker = 0;
  }
  return true;
}

extern const tocha_amp_kernels tocha_cpu_amp;
const tocha_amp_kernels tocha_cpu_amp = {.scale_list = scale_list, .update_scale = update_scale};

/* philox_device.c: random numbers of a device. The numbers a seed gives depend on how many threads a
 * launch has and which of them takes which element: the rules here are those of PyTorch 2.15's
 * DistributionTemplates.h, Dropout.cu, Randperm.cu and MultinomialKernel.cu. */
#include "ops/random/philox_device.h"
#include "device/devices.h"
#include "tensor/strided.h"
#include "ops/random/kernels.h"
#include "ops/sorting/kernels.h"

#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "ops/sorting/sort_device.h"
#include "tocha/device.h"
#include "tocha/ops/argmax.h"
#include "tocha/ops/bitwise_and.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/div.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/exponential_.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/isfinite.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/max.h"
#include "tocha/ops/min.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to.h"
#include "tocha/ops/topk.h"
#include "tocha/ops/view.h"

enum { THREADS = 256, BLOCK_WORDS = 4 };

tocha_generator *tocha_generator_for(tocha_context *cx, tocha_device device,
                                     tocha_generator *generator) {
  bool is_cuda = device.type == TOCHA_CUDA;
  if (generator && generator->philox == is_cuda) return generator;
  if (generator)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected a '%s' device type for generator but found '%s'",
                      is_cuda ? "cuda" : "cpu", is_cuda ? "cpu" : "cuda");
  return is_cuda ? tocha_device_generator(cx, device.index) : &cx->generator;
}

/* --- filling ----------------------------------------------------------------------------------------- */

/* Blocks of a launch that draws for n elements. */
static int64_t blocks_for(tocha_context *cx, tocha_device device, int64_t n) {
  int64_t most = tocha_random_blocks(cx, device.index), wanted = (n + THREADS - 1) / THREADS;
  return wanted < most ? wanted : most;
}

/* Words that each thread of it takes, of which a block of four serves `served` elements. */
static uint64_t words_for(int64_t n, int64_t blocks, int64_t served) {
  return (uint64_t)((n - 1) / (THREADS * blocks * served) + 1) * BLOCK_WORDS;
}

/* PyTorch cuts tensors whose offsets do not fit into 31 bits. */
static bool is_small(const tocha_strided_layout *layout) {
  int64_t last = 1;
  for (int d = 0; d < layout->ndim; d++) last += (layout->sizes[d] - 1) * layout->strides[0][d];
  return layout->numel <= INT32_MAX && last <= INT32_MAX;
}

/* The first half of walk along its longest dimension; walk keeps the rest. */
static tocha_strided_layout cut(tocha_strided_layout *layout) {
  int longest = 0;
  int64_t extent = -1;
  for (int d = layout->ndim - 1; d >= 0; d--) {
    int64_t here = (layout->sizes[d] - 1) * layout->strides[0][d];
    if (here > extent) extent = here, longest = d;
  }
  tocha_strided_layout first = *layout;
  int64_t all = layout->sizes[longest], half = all / 2;
  first.sizes[longest] = half;
  first.numel = layout->numel / all * half;
  layout->sizes[longest] = all - half;
  layout->numel -= first.numel;
  layout->data[0] = (char *)layout->data[0] + half * layout->strides[0][longest];
  return first;
}

static bool random_layout(tocha_context *cx, tocha_stream *q, tocha_device device,
                          tocha_random_args *args, tocha_generator *g) {
  bool pairs = args->kind == TOCHA_DISTRIBUTION_INTEGERS ? args->wide
                                                         : args->layout.dtype[0] == TOCHA_FLOAT64;
  args->blocks = blocks_for(cx, device, args->layout.numel);
  if (args->blocks == 0) return false;
  args->seed = tocha_generator_initial_seed(g);
  args->offset = tocha_philox_take(g, words_for(args->layout.numel, args->blocks, pairs ? 2 : 4));
  return tocha_launched(cx, q->kernels->random->random(q, args));
}

/* A tensor that is cut takes words as a whole and for each piece. */
static bool draw_pieces(tocha_context *cx, tocha_stream *q, tocha_device device,
                        tocha_random_args *args, tocha_generator *g) {
  if (is_small(&args->layout)) return random_layout(cx, q, device, args, g);
  tocha_random_args first = *args;
  first.layout = cut(&args->layout);
  return draw_pieces(cx, q, device, &first, g) && draw_pieces(cx, q, device, args, g);
}

bool tocha_random_on_device(tocha_context *cx, tocha_tensor *t, tocha_random_args *args,
                            tocha_generator *generator) {
  tocha_generator *g = tocha_generator_for(cx, t->device, generator);
  tocha_stream *q = g ? tocha_stream_of(cx, t->device) : NULL;
  tocha_iterator it;
  if (!q) return false;
  if (t->numel == 0) return true;
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
  if (it.ndim > TOCHA_LAYOUT_DIMS) {
    tocha_tensor *dense = tocha_new(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, t->device);
    return dense && tocha_random_on_device(cx, dense, args, generator) &&
           tocha_copy_data(cx, t, dense);
  }
  tocha_strided_layout_of(&it, &t, &args->layout);
  if (!is_small(&args->layout)) {
    int64_t blocks = blocks_for(cx, t->device, t->numel);
    bool pairs = args->kind == TOCHA_DISTRIBUTION_INTEGERS ? args->wide : t->dtype == TOCHA_FLOAT64;
    if (blocks == 0) return false;
    tocha_philox_take(g, words_for(t->numel, blocks, pairs ? 2 : 4));
  }
  return draw_pieces(cx, q, t->device, args, g);
}

/* --- walks in an order of their own ------------------------------------------------------------------- */

/* Dimensions as the tensors have them, the innermost last; with `sorted`, a dimension that lies inside
 * another in one tensor, and in none outside it, is walked inside it. false: there are too many. */
static bool plain_layout(tocha_strided_layout *layout, int count, tocha_tensor *const *tensors,
                         bool sorted) {
  int ndim = tensors[0]->ndim;
  int order[TOCHA_MAX_DIMS], kept = 0;
  for (int d = 0; d < ndim; d++)
    if (tensors[0]->sizes[d] != 1) order[kept++] = d;
  if (kept > TOCHA_LAYOUT_DIMS) return false;
  for (int i = 0; sorted && i < kept - 1; i++) {
    for (int j = i + 1; j < kept; j++) {
      bool rises = false, falls = false;
      for (int k = 0; k < count; k++) {
        int64_t a = tensors[k]->strides[order[i]], b = tensors[k]->strides[order[j]];
        rises = rises || a < b;
        falls = falls || a > b;
      }
      if (!rises || falls) continue;
      int outer = order[i];
      order[i] = order[j];
      order[j] = outer;
    }
  }
  memset(layout, 0, sizeof *layout);
  layout->ndim = kept;
  layout->operands = count;
  layout->numel = tensors[0]->numel;
  for (int i = 0; i < kept; i++) {
    int d = order[kept - 1 - i];
    layout->sizes[i] = tensors[0]->sizes[d];
    for (int k = 0; k < count; k++)
      layout->strides[k][i] =
          tensors[k]->strides[d] * (int64_t)tocha_dtype_size((tocha_dtype)tensors[k]->dtype);
  }
  for (int k = 0; k < count; k++) {
    layout->data[k] = tocha_bytes(tensors[k]);
    layout->dtype[k] = (int8_t)tensors[k]->dtype;
  }
  return true;
}

bool tocha_bernoulli_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *p,
                               tocha_generator *generator) {
  tocha_generator *g = tocha_generator_for(cx, out->device, generator);
  tocha_stream *q = g ? tocha_stream_of(cx, out->device) : NULL;
  if (!q) return false;
  tocha_dtype wanted = out->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  tocha_tensor *both[2] = {out, p};
  if (p->dtype != wanted || !tocha_device_equal(p->device, out->device)) {
    both[1] = tocha_new_output(cx, p->ndim, p->sizes, wanted, out->device, 1, &p);
    if (!both[1] || !tocha_copy_data(cx, both[1], p)) return false;
  }
  both[1] = tocha_expand(cx, both[1], out->ndim, out->sizes);
  tocha_bernoulli_args args;
  if (!both[1]) return false;
  if (!plain_layout(&args.layout, 2, both, true)) {
    tocha_tensor *dense =
        tocha_new(cx, out->ndim, out->sizes, (tocha_dtype)out->dtype, out->device);
    tocha_tensor *dense_p = tocha_contiguous(cx, both[1]);
    if (!dense || !dense_p) return false;
    dense = tocha_view(cx, dense, 1, &out->numel);
    dense_p = tocha_view(cx, dense_p, 1, &out->numel);
    return dense && dense_p && tocha_bernoulli_on_device(cx, dense, dense_p, g) &&
           tocha_copy_data(cx, out, tocha_view(cx, dense, out->ndim, out->sizes));
  }
  args.seed = tocha_generator_initial_seed(g);
  args.offset = tocha_philox_take(g, 10);
  return tocha_launched(cx, q->kernels->random->bernoulli(q, &args));
}

/* --- dropout ------------------------------------------------------------------------------------------ */

/* Elements that a thread takes in a row: 16 bytes of them, as far as the input is aligned and nothing is
 * left over. */
static int group_width(const tocha_tensor *input, const tocha_tensor *out,
                       const tocha_tensor *mask) {
  int item = (int)tocha_dtype_size((tocha_dtype)input->dtype), width = 16 / item;
  if (!tocha_is_dense(input) || !tocha_is_dense(out) || !tocha_is_dense(mask)) return 1;
  uintptr_t address = (uintptr_t)tocha_bytes(input);
  while (width > 1 && (address % (uintptr_t)(width * item) != 0 || input->numel % width != 0))
    width /= 2;
  return width;
}

bool tocha_dropout_on_device(tocha_context *cx, tocha_tensor *input, double keep, tocha_tensor *out,
                             tocha_tensor *mask) {
  tocha_generator *g = tocha_device_generator(cx, input->device.index);
  tocha_stream *q = g ? tocha_stream_of(cx, input->device) : NULL;
  tocha_tensor *all[3] = {out, input, mask};
  tocha_dropout_args args;
  if (!q) return false;
  if (!plain_layout(&args.layout, 3, all, false)) {
    tocha_tensor *dense = tocha_contiguous(cx, input);
    tocha_tensor *y = tocha_new(cx, 1, &input->numel, (tocha_dtype)input->dtype, input->device);
    tocha_tensor *kept = tocha_new(cx, 1, &input->numel, TOCHA_BOOL, input->device);
    if (!dense || !y || !kept) return false;
    dense = tocha_view(cx, dense, 1, &input->numel);
    return dense && tocha_dropout_on_device(cx, dense, keep, y, kept) &&
           tocha_copy_data(cx, out, tocha_view(cx, y, out->ndim, out->sizes)) &&
           tocha_copy_data(cx, mask, tocha_view(cx, kept, out->ndim, out->sizes));
  }
  args.keep = keep;
  args.width = group_width(input, out, mask);
  args.blocks = blocks_for(cx, input->device, input->numel);
  if (args.blocks == 0) return false;
  args.seed = tocha_generator_initial_seed(g);
  args.offset = tocha_philox_take(g, words_for(input->numel, args.blocks, 4));
  return tocha_launched(cx, q->kernels->random->dropout(q, &args));
}

/* --- permutations ------------------------------------------------------------------------------------- */

/* 0, ..., n - 1 in the order of random keys; of so many bits that with probability 0.9 no two are
 * equal (https://osf.io/af2hy/), and shuffled where two are. */
tocha_tensor *tocha_permutation_on_device(tocha_context *cx, int64_t n, tocha_device device,
                                          tocha_generator *generator) {
  tocha_generator *g = tocha_generator_for(cx, device, generator);
  tocha_stream *q = g ? tocha_stream_of(cx, device) : NULL;
  if (!q) return NULL;
  double count = (double)n;
  double bits = ceil(log2(count - (6 * count * count + 1) / (12 * log(0.9))));
  bool wide = bits > 32;
  tocha_dtype type = wide ? TOCHA_INT64 : TOCHA_INT32;
  tocha_tensor *keys = tocha_new(cx, 1, &n, type, device);
  tocha_tensor *sorted = tocha_new(cx, 1, &n, type, device);
  tocha_tensor *order = tocha_new(cx, 1, &n, TOCHA_INT64, device);
  tocha_random_args draw = {.kind = TOCHA_DISTRIBUTION_INTEGERS, .wide = true};
  draw.base = wide ? INT64_MIN : INT32_MIN; /* up to the largest, which is left out */
  draw.range = wide ? UINT64_MAX : UINT32_MAX;
  if (!keys || !sorted || !order || !tocha_random_on_device(cx, keys, &draw, g)) return NULL;
  if (bits != 32 && bits < 64) {
    int64_t mask = (int64_t)(((uint64_t)1 << (int)bits) - 1);
    keys = tocha_bitwise_and_full(cx, keys, tocha_number(tocha_int(mask)));
    if (!keys) return NULL;
  }
  tocha_sort_args sort = {
      .rows = 1, .n = n, .kept = n, .bits = bits < 32 || wide ? (int32_t)bits : 0};
  if (bits >= 64) sort.bits = 0;
  if (!tocha_sort_rows(cx, keys, &sort, sorted, order)) return NULL;
  tocha_shuffle_args shuffle = {.keys = tocha_bytes(sorted),
                                .order = (int64_t *)tocha_bytes(order),
                                .n = n,
                                .seed = tocha_generator_initial_seed(g),
                                .offset = tocha_philox_take(g, (uint64_t)n),
                                .wide = wide};
  return tocha_launched(cx, q->kernels->random->shuffle(q, &shuffle)) ? order : NULL;
}

/* --- multinomial -------------------------------------------------------------------------------------- */

static bool is_true(tocha_context *cx, const tocha_tensor *t, bool *answer) {
  tocha_scalar value;
  if (!t || !tocha_item(cx, t, &value)) return false;
  *answer = tocha_scalar_real(value) != 0;
  return true;
}

static bool check_weights(tocha_context *cx, tocha_tensor *weights, tocha_tensor *sums) {
  const tocha_operand zero = tocha_number(tocha_int(0));
  bool fine = false;
  tocha_tensor *least = tocha_min(cx, weights), *most = tocha_max(cx, weights);
  tocha_tensor *valid =
      tocha_logical_and(cx, tocha_ge_full(cx, least, zero), tocha_isfinite(cx, most));
  if (!is_true(cx, valid, &fine)) return false;
  if (!fine) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "probability tensor contains either `inf`, `nan` or element < 0");
    return false;
  }
  if (!is_true(cx, tocha_gt_full(cx, tocha_min(cx, sums), zero), &fine)) return false;
  if (!fine)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "invalid multinomial distribution (sum of probabilities <= 0)");
  return fine;
}

/* The greatest of weight / exponential draw win. */
static tocha_tensor *draw_without(tocha_context *cx, tocha_tensor *weights, int64_t samples,
                                  tocha_generator *g) {
  const int64_t last = -1;
  tocha_tensor *values, *indices;
  tocha_tensor *draws = tocha_new_output(cx, weights->ndim, weights->sizes,
                                         (tocha_dtype)weights->dtype, weights->device, 1, &weights);
  tocha_tensor *share =
      draws ? tocha_div(cx, weights, tocha_exponential__full(cx, draws, 1, g)) : NULL;
  if (!share) return NULL;
  if (samples == 1) return tocha_argmax(cx, share, &last, true);
  return tocha_topk(cx, share, samples, -1, true, true, &values, &indices) ? indices : NULL;
}

static tocha_tensor *draw_with(tocha_context *cx, tocha_tensor *weights, tocha_tensor *sums,
                               int64_t samples, tocha_generator *g) {
  bool wide = weights->dtype == TOCHA_FLOAT64;
  int64_t sizes[2] = {weights->ndim == 2 ? weights->sizes[0] : 1, samples};
  int ndim = weights->ndim;
  tocha_stream *q = tocha_stream_of(cx, weights->device);
  tocha_tensor *shares = tocha_contiguous(cx, tocha_div(cx, weights, sums));
  tocha_tensor *running = tocha_contiguous(cx, tocha_cumsum(cx, shares, -1));
  tocha_tensor *out =
      tocha_new(cx, ndim, ndim == 2 ? sizes : sizes + 1, TOCHA_INT64, weights->device);
  if (!q || !shares || !running || !out) return NULL;
  int64_t turns = (sizes[0] - 1) / (sizes[0] < 65535 ? sizes[0] : 65535) + 1;
  tocha_multinomial_args args = {.sums = tocha_bytes(running),
                                 .shares = tocha_bytes(shares),
                                 .out = (int64_t *)tocha_bytes(out),
                                 .rows = sizes[0],
                                 .categories = weights->sizes[ndim - 1],
                                 .samples = samples,
                                 .seed = tocha_generator_initial_seed(g),
                                 .offset = tocha_philox_take(g, (uint64_t)turns * BLOCK_WORDS),
                                 .wide = wide};
  return tocha_launched(cx, q->kernels->random->multinomial(q, &args)) ? out : NULL;
}

tocha_tensor *tocha_multinomial_on_device(tocha_context *cx, tocha_tensor *weights, int64_t samples,
                                          bool replacement, tocha_generator *generator) {
  const int64_t last = -1;
  tocha_generator *g = tocha_generator_for(cx, weights->device, generator);
  bool half = tocha_dtype_size((tocha_dtype)weights->dtype) == 2;
  tocha_tensor *exact = half ? tocha_to_dtype(cx, weights, TOCHA_FLOAT32, false, false) : weights;
  tocha_tensor *sums = exact ? tocha_sum_dim_IntList(cx, exact, 1, &last, true) : NULL;
  if (!g || !sums || !check_weights(cx, exact, sums)) return NULL;
  if (!replacement || samples == 1) return draw_without(cx, weights, samples, g);
  return draw_with(cx, exact, sums, samples, g);
}

/* kernels.c: sorting on the CPU, with the rows divided among the threads. */
#include "ops/sorting/kernels.h"

#include "device/devices.h"
#include "ops/sorting/cpu/nth.h"
#include "ops/sorting/cpu/search.h"
#include "ops/sorting/cpu/select_entries.h"
#include "ops/sorting/cpu/sort_entries.h"
#include "ops/sorting/cpu/sort_keys.h"
#include "tensor/cpu/convert.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"

enum { STEP = 1 << 16 }; /* elements between two checks of the interrupt flag */

/* --- rows ------------------------------------------------------------------------------------ */

typedef struct rows_call {
  const tocha_select_args *select; /* NULL for a sort */
  const tocha_sort_keys_loops *keys;
  const tocha_sort_entries_loops *entries;
  const tocha_select_entries_loops *selection;
  const tocha_nth_loops *nth;
  const char *in;
  char *values;
  int64_t *indices;
  int64_t outer, n, inner, kept, item; /* kept: elements of a row that are written */
  bool descending, wide;
  char *work;      /* 2 * n entries for each part */
  int64_t *places; /* kept for each part */
  int64_t each;    /* number of rows in one part */
  tocha_stop stop;
} rows_call;

static bool is_stopped(const rows_call *c) { return tocha_is_set(c->stop); }

static void load_row(const rows_call *c, const char *row, char *entries) {
  c->keys->load(row, c->inner, c->n, c->descending, c->wide, entries, c->stop);
}

static char *entry_at(const rows_call *c, char *entries, int64_t i) {
  return entries + (size_t)i * c->entries->size;
}

/* Returns the place of the most frequent element. The count uses a fast stable sort. Among equal
 * elements PyTorch returns the one that its unstable sort puts last, so the entries are then
 * reloaded for that sort's steps. */
static int64_t mode_place(const rows_call *c, const char *row, char *entries) {
  bool nans = c->keys->count_numbers(row, c->inner, c->n, c->stop) < c->n;
  int64_t count, place;
  if (!nans) c->entries->sort(entries, entry_at(c, entries, c->n), c->n, c->stop);
  int64_t rank = c->selection->mode(entries, c->n, nans, &count, c->stop);
  if (!nans && count > 1) {
    load_row(c, row, entries);
    return c->selection->at_rank(entries, c->n, rank, c->stop);
  }
  c->entries->places(entry_at(c, entries, rank - 1), 1, &place);
  return place;
}

/* Reads the places of the first n entries. */
static void read_places(const rows_call *c, char *entries, int64_t n, int64_t *places) {
  for (int64_t first = 0; first < n && !is_stopped(c); first += STEP)
    c->entries->places(entry_at(c, entries, first), n - first < STEP ? n - first : STEP,
                       places + first);
}

/* Selects among the entries of a row and writes the places of the selected elements. */
static void select_places(const rows_call *c, const char *row, char *entries, int64_t *places) {
  const tocha_select_entries_loops *selection = c->selection;
  switch (c->select->task) {
  case TOCHA_SELECT_TOP:
    selection->top(entries, c->n, c->kept, c->select->sorted, c->stop);
    read_places(c, entries, c->kept, places);
    return;
  case TOCHA_SELECT_KTH:
    *places = selection->kth(entries, c->n, c->select->k, c->stop);
    return;
  default:
    *places = mode_place(c, row, entries);
  }
}

/* Returns the place of a NaN (unless NaN are skipped), else of the lower median of the other
 * elements. */
static int64_t median_place(const rows_call *c, const char *row, char *keys) {
  int64_t numbers = c->n;
  if (c->select->task == TOCHA_SELECT_NANMEDIAN) {
    numbers = c->keys->count_numbers(row, c->inner, c->n, c->stop);
  } else {
    int64_t nan = c->keys->find_nan(row, c->inner, c->n, c->stop);
    if (nan >= 0) return nan;
  }
  return c->nth->nth(row, c->inner, c->n, numbers ? (numbers - 1) / 2 : 0, keys, c->stop);
}

static bool is_median(const tocha_select_args *s) {
  return s && (s->task == TOCHA_SELECT_MEDIAN || s->task == TOCHA_SELECT_NANMEDIAN);
}

/* Finds the places of the elements of a row that are kept. */
static void find_places(const rows_call *c, const char *row, char *entries, int64_t *places) {
  if (is_median(c->select)) {
    *places = median_place(c, row, entries);
    return;
  }
  load_row(c, row, entries);
  if (is_stopped(c)) return;
  if (c->select) {
    select_places(c, row, entries, places);
    return;
  }
  c->entries->sort(entries, entry_at(c, entries, c->n), c->n, c->stop);
  read_places(c, entries, c->kept, places);
}

/* Writes the elements of a row that are kept. to: the index of the first in the results. */
static void write_kept(const rows_call *c, const char *row, const int64_t *places, int64_t to) {
  for (int64_t first = 0; first < c->kept; first += STEP) {
    int64_t n = c->kept - first < STEP ? c->kept - first : STEP, at = to + first * c->inner;
    if (is_stopped(c)) return;
    for (int64_t k = 0; c->indices && k < n; k++) c->indices[at + k * c->inner] = places[first + k];
    if (c->values) c->keys->gather(row, places + first, c->inner, n, c->values + at * c->item);
  }
}

/* Sorts, or selects from, the rows of parts begin..end: (outer, n, inner) to (outer, kept,
 * inner). */
static void run_parts(void *user, int64_t begin, int64_t end) {
  const rows_call *c = user;
  for (int64_t part = begin; part < end; part++) {
    char *entries = entry_at(c, c->work, part * 2 * c->n);
    int64_t *places = c->places + part * c->kept;
    int64_t rows = c->outer * c->inner, last = (part + 1) * c->each;
    for (int64_t i = part * c->each; i < last && i < rows; i++) {
      int64_t outer = i / c->inner, column = i - outer * c->inner;
      int64_t to = outer * c->kept * c->inner + column;
      const char *row = c->in + (outer * c->n * c->inner + column) * c->item;
      find_places(c, row, entries, places);
      if (is_stopped(c)) return;
      write_kept(c, row, places, to);
    }
  }
}

static bool is_wide(tocha_dtype dtype, int64_t n) {
  return tocha_dtype_size(dtype) == 8 || n > UINT32_MAX;
}

static tocha_dtype entry_type(tocha_dtype dtype, int64_t n) {
  return is_wide(dtype, n) ? TOCHA_INT64 : TOCHA_INT32;
}

/* Returns the number of threads among which the rows are divided. */
static int64_t parts_of(const tocha_context *cx, int64_t rows, int64_t n) {
  if (rows * n < TOCHA_GRAIN / 8) return 1;
  return cx->threads < rows ? cx->threads : rows;
}

static uint64_t bytes_of_work(tocha_context *cx, const tocha_sort_args *args) {
  int64_t parts = parts_of(cx, args->outer * args->inner, args->n);
  tocha_dtype entry = entry_type((tocha_dtype)args->dtype, args->n);
  return (uint64_t)(parts * 2 * args->n) * tocha_sort_entries_loops_table[cx->isa][entry]->size;
}

static uint64_t sort_scratch(tocha_stream *stream, const tocha_sort_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  int64_t places = parts_of(cx, args->outer * args->inner, args->n) * args->kept;
  return bytes_of_work(cx, args) + (uint64_t)places * sizeof *args->indices;
}

static bool run_rows(tocha_stream *stream, const tocha_sort_args *args,
                     const tocha_select_args *select) {
  tocha_context *cx = tocha_stream_context(stream);
  int64_t rows = args->outer * args->inner, parts = parts_of(cx, rows, args->n);
  tocha_dtype entry = entry_type((tocha_dtype)args->dtype, args->n);
  rows_call c = {.select = select,
                 .keys = tocha_sort_keys_loops_table[cx->isa][args->dtype],
                 .entries = tocha_sort_entries_loops_table[cx->isa][entry],
                 .selection = tocha_select_entries_loops_table[cx->isa][entry],
                 .nth = tocha_nth_loops_table[cx->isa][args->dtype],
                 .in = args->in,
                 .values = args->values,
                 .indices = args->indices,
                 .outer = args->outer,
                 .n = args->n,
                 .inner = args->inner,
                 .kept = args->kept,
                 .item = (int64_t)tocha_dtype_size(args->dtype),
                 .descending = args->descending,
                 .wide = is_wide(args->dtype, args->n),
                 .work = args->scratch,
                 .each = (rows + parts - 1) / parts,
                 .stop = &cx->interrupted};
  c.places = (int64_t *)(void *)(c.work + bytes_of_work(cx, args));
  return tocha_parallel_for(cx, parts, 1, run_parts, &c);
}

static bool sort(tocha_stream *stream, const tocha_sort_args *args) {
  return run_rows(stream, args, NULL);
}

/* Returns the arguments that a selection shares with a sort. */
static tocha_sort_args sort_of(const tocha_select_args *args) {
  return (tocha_sort_args){.in = args->in,
                           .values = args->values,
                           .indices = args->indices,
                           .outer = args->outer,
                           .n = args->n,
                           .inner = args->inner,
                           .kept = args->task == TOCHA_SELECT_TOP ? args->k : 1,
                           .dtype = args->dtype,
                           .descending = args->descending,
                           .scratch = args->scratch};
}

static uint64_t select_scratch(tocha_stream *stream, const tocha_select_args *args) {
  tocha_sort_args sort_args = sort_of(args);
  return sort_scratch(stream, &sort_args);
}

static bool select(tocha_stream *stream, const tocha_select_args *args) {
  tocha_sort_args sort_args = sort_of(args);
  return run_rows(stream, &sort_args, args);
}

/* --- unique ---------------------------------------------------------------------------------- */

static uint64_t no_scratch(tocha_stream *stream, const tocha_unique_args *args) {
  (void)stream, (void)args;
  return 0;
}

static bool unique(tocha_stream *stream, const tocha_unique_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_sort_keys_loops_table[cx->isa][args->dtype]->unique(args, &cx->interrupted);
  return !tocha_interrupted(cx);
}

/* --- counts ---------------------------------------------------------------------------------- */

/* Returns the bin of x, or -1 if x is outside. PyTorch computes in the elements' own precision and
 * multiplies before it divides; otherwise elements at an edge would change bins. */
static int64_t bin_of(const tocha_histogram_args *args, double x) {
  double low = args->low, high = args->high, place;
  if (args->dtype == TOCHA_FLOAT64) {
    if (!(x >= low && x <= high)) return -1;
    place = (x - low) * (double)args->bins / (high - low);
  } else {
    float element = (float)x, minimum = (float)low, maximum = (float)high;
    if (!(element >= minimum && element <= maximum)) return -1;
    place = (element - minimum) * (float)args->bins / (maximum - minimum);
  }
  if (place >= (double)args->bins) return args->bins - 1;
  return place > 0 ? (int64_t)place : 0; /* NaN if the bins have no width */
}

static bool histogram(tocha_stream *stream, const tocha_histogram_args *args) {
  enum { CHUNK = 1024 };
  tocha_context *cx = tocha_stream_context(stream);
  tocha_converter load = tocha_convert_loops_table[cx->isa][TOCHA_FLOAT64]->from[args->dtype];
  int64_t item = (int64_t)tocha_dtype_size(args->dtype);
  double x[CHUNK];
  for (int64_t first = 0; first < args->n; first += CHUNK) {
    int64_t n = args->n - first < CHUNK ? args->n - first : CHUNK;
    if (tocha_is_set(&cx->interrupted)) break;
    load((char *)x, sizeof *x, (const char *)args->in + first * item, item, n);
    for (int64_t i = 0; i < n; i++) {
      int64_t bin = bin_of(args, x[i]);
      if (bin >= 0) args->counts[bin]++;
    }
  }
  return !tocha_interrupted(cx);
}

static bool integer_range(tocha_stream *stream, const tocha_integer_range_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_sort_keys_loops_table[cx->isa][TOCHA_INT64]->range(args->in, args->n, args->range,
                                                           &cx->interrupted);
  return !tocha_interrupted(cx);
}

extern const tocha_sorting_kernels tocha_cpu_sorting;
const tocha_sorting_kernels tocha_cpu_sorting = {
    .sort_scratch = sort_scratch,
    .sort = sort,
    .select_scratch = select_scratch,
    .select = select,
    .unique_scratch = no_scratch,
    .unique = unique,
    .histogram = histogram,
    .integer_range = integer_range,
    .search = tocha_cpu_search,
};

/* einsum.c: sums of products in Einstein's notation. The dimensions of all operands are permuted into one order, the output's
 * first. Each pair of operands then becomes a product of two batches of matrices. */
#include <ctype.h>
#include <string.h>

#include "matmul/implementations.h"
#include "tocha/ops/bmm.h"
#include "tocha/ops/diagonal.h"
#include "tocha/ops/movedim.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"

enum { LETTERS = 52, ELLIPSIS = LETTERS, LABELS = TOCHA_MAX_DIMS + 1 };

typedef struct einsum {
  tocha_context *cx;
  int operands;
  const char *lhs, *arrow; /* arrow NULL: the output is not given */
  int place[LETTERS];      /* position of each letter among the dimensions; -1: none yet */
  int count[LETTERS];      /* how often the operands name each letter */
  /* size of each letter's dimension; 1 until a larger one is seen */
  int64_t size[LETTERS];
  int64_t hidden[TOCHA_MAX_DIMS]; /* sizes of the dimensions of the ellipsis */
  int hidden_count, hidden_place;
  int kept, dims;       /* number of dimensions of the output, and of all */
  int uses[2 * LABELS]; /* operands in which a dimension's size is not 1 */
} einsum;

static int number_of(char letter) { return isupper(letter) ? letter - 'A' : letter - 'a' + 26; }
static char letter_of(int number) { return (char)(number < 26 ? 'A' + number : 'a' + number - 26); }

static bool refuse_letter(einsum *e, long at) {
  return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                    "einsum(): invalid subscript given at index %ld in the equation string, "
                    "subscripts must be in [a-zA-Z]",
                    at);
}

/* Reads the labels of one operand, from *at to its comma or the end. */
static bool read_labels(einsum *e, const char **at, int operand, int *labels, int *count) {
  bool hidden = false;
  *count = 0;
  for (; *at != e->arrow && **at && **at != ','; ++*at) {
    char c = **at;
    if (c == ' ') continue;
    if (c == '.' && hidden)
      return tocha_fail(
          e->cx, TOCHA_RUNTIME_ERROR,
          "einsum(): found '.' for operand %d for which an ellipsis was already found", operand);
    if (c == '.' && ((*at)[1] != '.' || (*at)[2] != '.'))
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                        "einsum(): found '.' for operand %d that is not part of any ellipsis",
                        operand);
    if (c != '.' && !isalpha((unsigned char)c)) return refuse_letter(e, *at - e->lhs);
    if (*count == LABELS)
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR, "einsum(): too many subscripts");
    labels[(*count)++] = c == '.' ? ELLIPSIS : number_of(c);
    if (c == '.') hidden = true, *at += 2;
  }
  return true;
}

/* Counts the letters of an operand, and widens the ellipsis to the dimensions that it covers. */
static bool count_labels(einsum *e, int operand, const tocha_tensor *t, const int *labels,
                         int count) {
  int named = 0;
  for (int i = 0; i < count; i++)
    if (labels[i] != ELLIPSIS) e->count[labels[i]]++, named++;
  bool covers = named < count;
  if (covers ? named > t->ndim : named != t->ndim)
    return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                      "einsum(): the number of subscripts in the equation (%d) %s the number of "
                      "dimensions (%d) for operand %d%s",
                      named, covers ? "is more than" : "does not match", t->ndim, operand,
                      covers ? "" : " and no ellipsis was given");
  if (covers && t->ndim - named > e->hidden_count) e->hidden_count = t->ndim - named;
  return true;
}

/* Reads every operand's labels: operand i has counts[i] labels from labels[i * LABELS] on. */
static bool read_operands(einsum *e, tocha_tensor *const *tensors, int *labels, int *counts) {
  const char *at = e->lhs;
  for (int i = 0;; i++, at++) {
    if (i == e->operands)
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                        "einsum(): fewer operands were provided than specified in the equation");
    if (!read_labels(e, &at, i, labels + i * LABELS, &counts[i])) return false;
    if (at != e->arrow && *at) continue;
    if (i < e->operands - 1)
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                        "einsum(): more operands were provided than specified in the equation");
    break;
  }
  for (int i = 0; i < e->operands; i++)
    if (!count_labels(e, i, tensors[i], labels + i * LABELS, counts[i])) return false;
  return true;
}

/* Assigns a position to every letter that the output names. Sets *hidden if the output has the ellipsis. */
static bool read_output(einsum *e, bool *hidden) {
  for (const char *at = e->arrow + 2; *at; at++) {
    if (*at == ' ') continue;
    if (*at == '.') {
      if (*hidden)
        return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                          "einsum(): found '.' for output but an ellipsis (...) was already found");
      if (at[1] != '.' || at[2] != '.')
        return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                          "einsum(): found '.' for output that is not part of any ellipsis (...)");
      *hidden = true, at += 2;
      e->hidden_place = e->dims;
      e->dims += e->hidden_count;
      continue;
    }
    if (!isalpha((unsigned char)*at)) return refuse_letter(e, at - e->lhs);
    int letter = number_of(*at);
    if (!e->count[letter] || e->place[letter] >= 0)
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR, "einsum(): output subscript %c %s", *at,
                        e->count[letter] ? "appears more than once in the output"
                                         : "does not appear in the equation for any input operand");
    e->place[letter] = e->dims++;
  }
  return true;
}

/* Assigns a position to every letter: the output's first, then the summed ones. */
static bool place_labels(einsum *e) {
  bool hidden = !e->arrow;
  for (int i = 0; i < LETTERS; i++) e->place[i] = -1;
  if (!e->arrow) {
    e->dims = e->hidden_count;
    for (int i = 0; i < LETTERS; i++)
      if (e->count[i] == 1) e->place[i] = e->dims++;
  } else if (!read_output(e, &hidden)) {
    return false;
  }
  e->kept = e->dims;
  if (!hidden) {
    e->hidden_place = e->dims;
    e->dims += e->hidden_count;
  }
  for (int i = 0; i < LETTERS; i++)
    if (e->count[i] && e->place[i] < 0) e->place[i] = e->dims++;
  if (e->dims <= TOCHA_MAX_DIMS) return true;
  return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR, "only tensors with up to %d dims are supported",
                    TOCHA_MAX_DIMS);
}

/* --- operands ------------------------------------------------------------------------------------ */

/* Assigns dimension `dim` of an operand to a position. *seen is the size of that position so far. Returns false if the sizes do
 * not broadcast. */
static bool take_place(einsum *e, const tocha_tensor *t, int dim, int place, int64_t *seen) {
  if (t->sizes[dim] == 1) return true;
  if (*seen != 1 && *seen != t->sizes[dim]) return false;
  *seen = t->sizes[dim];
  e->uses[place]++;
  return true;
}

static bool place_hidden(einsum *e, const tocha_tensor *t, int operand, int covered, int *dim,
                         int64_t *order) {
  for (int j = e->hidden_count - covered; j < e->hidden_count; j++) {
    if (!take_place(e, t, *dim, e->hidden_place + j, &e->hidden[j]))
      return tocha_fail(e->cx, TOCHA_RUNTIME_ERROR,
                        "einsum(): dimension %d covered by ellipsis in operand %d has size %lld "
                        "which does not broadcast with previously seen ellipsis with size %lld",
                        *dim, operand, (long long)t->sizes[*dim], (long long)e->hidden[j]);
    order[e->hidden_place + j] = (*dim)++;
  }
  return true;
}

/* Assigns the next dimension of an operand to a letter. If the operand has named the letter before, replaces the two dimensions
 * by their diagonal. */
static bool place_letter(einsum *e, tocha_tensor **t, int operand, int letter, int *dim,
                         int64_t *order) {
  tocha_context *cx = e->cx;
  int64_t *at = &order[e->place[letter]], size = (*t)->sizes[*dim], last = -1;
  if (*at < 0) {
    if (!take_place(e, *t, *dim, e->place[letter], &e->size[letter]))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "einsum(): subscript %c has size %lld for operand %d which does not "
                        "broadcast with previously seen size %lld",
                        letter_of(letter), (long long)size, operand, (long long)e->size[letter]);
    *at = (*dim)++;
    return true;
  }
  if (size != (*t)->sizes[*at])
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "einsum(): subscript %c is repeated for operand %d but the sizes don't match, "
        "%lld != %lld",
        letter_of(letter), operand, (long long)size, (long long)(*t)->sizes[*at]);
  *t = tocha_movedim(cx, tocha_diagonal(cx, *t, 0, *at, *dim), 1, &last, 1, at);
  return *t != NULL;
}

/* Returns an operand with all dimensions in their positions, and with size 1 for dimensions that the operand lacks. */
static tocha_tensor *aligned(einsum *e, tocha_tensor *t, int operand, const int *labels,
                             int count) {
  int64_t order[TOCHA_MAX_DIMS];
  int dim = 0, covered = t->ndim - (count - 1);
  for (int i = 0; i < e->dims; i++) order[i] = -1;
  for (int i = 0; i < count; i++)
    if (labels[i] == ELLIPSIS ? !place_hidden(e, t, operand, covered, &dim, order)
                              : !place_letter(e, &t, operand, labels[i], &dim, order))
      return NULL;
  for (int i = 0; i < e->dims; i++) {
    if (order[i] >= 0) continue;
    t = tocha_unsqueeze(e->cx, t, dim);
    order[i] = dim++;
  }
  return tocha_permute(e->cx, t, e->dims, order);
}

/* --- products ------------------------------------------------------------------------------------ */

/* Dimensions of one kind: of both operands and the output, of one operand and the output, or summed ones. */
typedef struct group {
  int64_t dims[TOCHA_MAX_DIMS], size;
  int count;
} group;

static void add_dim(group *g, int dim, int64_t size) {
  g->dims[g->count++] = dim;
  g->size *= size;
}

static tocha_tensor *as_matrices(tocha_context *cx, tocha_tensor *t, const group *const order[4]) {
  int64_t dims[TOCHA_MAX_DIMS];
  int n = 0;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < order[k]->count; i++) dims[n++] = order[k]->dims[i];
  t = tocha_permute(cx, t, n, dims);
  return tocha_reshape(cx, t, 3, (const int64_t[]){order[0]->size, order[1]->size, order[2]->size});
}

/* Returns the product of a and b, summed over the dimensions in `summed`, which keep the size 1. */
static tocha_tensor *product(tocha_context *cx, tocha_tensor *a, tocha_tensor *b,
                             const bool *summed) {
  group both = {.size = 1}, left = both, right = both, sum = both;
  int64_t sizes[TOCHA_MAX_DIMS], back[TOCHA_MAX_DIMS];
  for (int i = 0; i < a->ndim; i++) {
    bool of_a = a->sizes[i] != 1, of_b = b->sizes[i] != 1;
    if (summed[i])
      add_dim(&sum, i, a->sizes[i]);
    else if (of_a && of_b)
      add_dim(&both, i, a->sizes[i]);
    else if (of_a)
      add_dim(&left, i, a->sizes[i]);
    else
      add_dim(&right, i, b->sizes[i]);
  }
  if (!sum.count) return tocha_mul(cx, a, b);
  const group *const out[4] = {&both, &left, &sum, &right};
  int n = 0;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < out[k]->count; i++) {
      int64_t d = out[k]->dims[i];
      sizes[n] = k == 2 ? 1 : k == 3 ? b->sizes[d] : a->sizes[d];
      back[d] = n++;
    }
  a = as_matrices(cx, a, (const group *const[4]){&both, &left, &sum, &right});
  b = as_matrices(cx, b, (const group *const[4]){&both, &sum, &right, &left});
  return tocha_permute(cx, tocha_reshape(cx, tocha_bmm(cx, a, b), n, sizes), n, back);
}

/* Returns a times b, summed over the dimensions that neither another operand nor the output needs. */
static tocha_tensor *contract(einsum *e, tocha_tensor *a, tocha_tensor *b) {
  int64_t of_a[TOCHA_MAX_DIMS], of_b[TOCHA_MAX_DIMS];
  int a_count = 0, b_count = 0;
  bool summed[TOCHA_MAX_DIMS] = {false};
  for (int d = e->kept; d < e->dims; d++) {
    bool in_a = a->sizes[d] != 1, in_b = b->sizes[d] != 1;
    if (in_a && in_b) {
      if (--e->uses[d] == 1) summed[d] = true, e->uses[d] = 0;
    } else if (e->uses[d] == 1 && (in_a || in_b)) {
      if (in_a)
        of_a[a_count++] = d;
      else
        of_b[b_count++] = d;
      e->uses[d] = 0;
    }
  }
  if (a_count) a = tocha_sum_dim_IntList(e->cx, a, a_count, of_a, true);
  if (b_count) b = tocha_sum_dim_IntList(e->cx, b, b_count, of_b, true);
  return a && b ? product(e->cx, a, b, summed) : NULL;
}

static tocha_tensor *run(einsum *e, tocha_tensor *const *tensors, int *labels, int *counts) {
  int64_t dims[TOCHA_MAX_DIMS];
  tocha_tensor *out = NULL;
  if (!read_operands(e, tensors, labels, counts) || !place_labels(e)) return NULL;
  tocha_tensor **ops = tocha_allocate(e->cx, (uint64_t)e->operands * sizeof *ops);
  if (!ops) return NULL;
  bool ok = true;
  for (int i = 0; ok && i < e->operands; i++)
    ok = (ops[i] = aligned(e, tensors[i], i, labels + i * LABELS, counts[i])) != NULL;
  out = ok ? ops[0] : NULL;
  for (int i = 1; out && i < e->operands; i++) out = contract(e, out, ops[i]);
  tocha_deallocate(e->cx, ops, (uint64_t)e->operands * sizeof *ops);
  if (!out || e->dims == e->kept) return out;
  if (e->operands > 1) return tocha_reshape(e->cx, out, e->kept, out->sizes);
  for (int d = e->kept; d < e->dims; d++) dims[d - e->kept] = d;
  return tocha_sum_dim_IntList(e->cx, out, e->dims - e->kept, dims, false);
}

tocha_tensor *tocha_op_einsum(tocha_context *cx, const char *equation, int operands_count,
                              tocha_tensor *const *operands) {
  einsum e = {
      .cx = cx, .operands = operands_count, .lhs = equation, .arrow = strstr(equation, "->")};
  if (operands_count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "einsum(): must provide at least one operand");
  for (int i = 0; i < LETTERS; i++) e.size[i] = 1;
  for (int i = 0; i < TOCHA_MAX_DIMS; i++) e.hidden[i] = 1;
  uint64_t bytes = (uint64_t)operands_count * (LABELS + 1) * sizeof(int);
  int *labels = tocha_allocate(cx, bytes);
  if (!labels) return NULL;
  tocha_tensor *out = run(&e, operands, labels, labels + operands_count * LABELS);
  tocha_deallocate(cx, labels, bytes);
  return out;
}

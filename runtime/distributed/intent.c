/* intent.c: operations as texts and digests. */
#include "distributed/intent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/internal.h"

typedef struct form_names {
  const char *name, *short_name, *type; /* ours, PyTorch's gloo's, PyTorch's OpType */
} form_names;

static const form_names forms[TOCHA_FORM_COUNT] = {
    {"nothing", "", "UNKNOWN"},
    {"all_reduce", "allreduce", "ALLREDUCE"},
    {"broadcast", "broadcast", "BROADCAST"},
    {"reduce", "reduce", "REDUCE"},
    {"all_gather", "allgather", "ALLGATHER"},
    {"all_gather_into_tensor", "allgather", "_ALLGATHER_BASE"},
    {"gather", "gather", "GATHER"},
    {"scatter", "scatter", "SCATTER"},
    {"reduce_scatter", "reduce_scatter", "REDUCE_SCATTER"},
    {"reduce_scatter_tensor", "_reduce_scatter_base", "_REDUCE_SCATTER_BASE"},
    {"all_to_all", "alltoall", "ALLTOALL"},
    {"all_to_all_single", "alltoall_base", "ALLTOALL_BASE"},
    {"send", "send", "SEND"},
    {"recv", "recv", "RECV"},
    {"barrier", "barrier", "BARRIER"},
    {"batch_isend_irecv", "batch_isend_irecv", "COALESCED"},
    {"all_reduce_coalesced", "allreduce_coalesced", "COALESCED"},
    {"all_gather_into_tensor_coalesced", "allgather_into_tensor_coalesced", "COALESCED"},
    {"reduce_scatter_tensor_coalesced", "reduce_scatter_tensor_coalesced", "COALESCED"},
    {"split_group", "split", "SPLIT"}};

/* A form that another process wrote may be any number. */
static const form_names *names_of(uint8_t form) {
  return &forms[form < TOCHA_FORM_COUNT ? form : TOCHA_FORM_NONE];
}

const char *tocha_form_name(uint8_t form) { return names_of(form)->name; }
const char *tocha_form_type(uint8_t form) { return names_of(form)->type; }
const char *tocha_form_short_name(uint8_t form) { return names_of(form)->short_name; }

/* Scrambles the bits of a sum, by the constants of SplitMix64. */
static uint64_t mix(uint64_t state, uint64_t value) {
  uint64_t x = state + value + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t tocha_intent_digest(const tocha_intent *i) {
  uint64_t state =
      mix(0, (uint64_t)i->form | (uint64_t)i->has_tensor << 8 | (uint64_t)i->dtype << 16 |
                 (uint64_t)i->device << 24 | (uint64_t)i->ndim << 32 | (uint64_t)i->reduces << 40 |
                 (uint64_t)i->op << 48);
  state = mix(state, (uint64_t)(int64_t)i->root);
  state = mix(state, (uint64_t)i->count);
  for (int d = 0; d < i->ndim && d < TOCHA_INTENT_DIMS; d++)
    state = mix(state, (uint64_t)i->sizes[d]);
  return mix(state, i->all_sizes);
}

/* --- texts ---------------------------------------------------------------------------------------- */

/* A text of fixed room, which further appending cuts. */
typedef struct buffer {
  char *text;
  size_t length, capacity;
} buffer;

static TOCHA_PRINTF(2, 3) void append(buffer *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(b->text + b->length, b->capacity - b->length, format, args);
  va_end(args);
  if (n > 0) b->length += (size_t)n;
  if (b->length >= b->capacity) b->length = b->capacity - 1;
}

static void append_sizes(buffer *b, const tocha_intent *i, const char *separator) {
  for (int d = 0; d < i->ndim && d < TOCHA_INTENT_DIMS; d++)
    append(b, "%s%lld", d ? separator : "", (long long)i->sizes[d]);
  if (i->ndim > TOCHA_INTENT_DIMS) append(b, "%s...", separator);
}

static tocha_dtype dtype_of(const tocha_intent *i) {
  return i->dtype < TOCHA_DTYPE_COUNT ? (tocha_dtype)i->dtype : TOCHA_UINT8;
}

static const char *device_name(const tocha_intent *i) {
  return i->device == TOCHA_CUDA ? "cuda" : "cpu";
}

static void append_options(buffer *b, const tocha_intent *i) {
  append(b,
         "TensorOptions(dtype=float (default), device=%s, layout=Strided (default), "
         "requires_grad=false (default), pinned_memory=false (default), "
         "memory_format=(nullopt))",
         device_name(i));
}

const char *tocha_intent_fingerprint(const tocha_intent *i, uint64_t sequence, char *text,
                                     size_t capacity) {
  buffer b = {text, 0, capacity};
  append(&b, "CollectiveFingerPrint(SequenceNumber=%llu", (unsigned long long)sequence);
  append(&b, i->has_tensor ? ", OpType=%s" : "OpType=%s", names_of(i->form)->type);
  if (i->has_tensor) {
    append(&b, ", TensorShape=[");
    append_sizes(&b, i, ", ");
    append(&b, "], TensorDtypes=%s, TensorDeviceTypes=", tocha_dtype_scalar_type(dtype_of(i)));
    append_options(&b, i);
  }
  append(&b, ")");
  return text;
}

static bool same_sizes(const tocha_intent *a, const tocha_intent *b) {
  if (a->ndim != b->ndim || a->all_sizes != b->all_sizes || a->has_tensor != b->has_tensor)
    return false;
  for (int d = 0; d < a->ndim && d < TOCHA_INTENT_DIMS; d++)
    if (a->sizes[d] != b->sizes[d]) return false;
  return true;
}

const char *tocha_intent_difference(const tocha_intent *x, const tocha_intent *y, char *text,
                                    size_t capacity) {
  buffer b = {text, 0, capacity};
  text[0] = '\0';
  if (x->form != y->form)
    append(&b, "  Op type: %svs %s", names_of(x->form)->type, names_of(y->form)->type);
  if (!same_sizes(x, y)) {
    append(&b, "  Tensor Tensor shapes: ");
    append_sizes(&b, x, " ");
    append(&b, "vs ");
    append_sizes(&b, y, " ");
  }
  if (x->has_tensor != y->has_tensor || x->dtype != y->dtype)
    append(&b, "  Tensor Tensor dtypes: %svs %s",
           x->has_tensor ? tocha_dtype_scalar_type(dtype_of(x)) : "",
           y->has_tensor ? tocha_dtype_scalar_type(dtype_of(y)) : "");
  if (x->has_tensor && y->has_tensor && x->device != y->device)
    append(&b, "  Tensor Tensor devices: %svs %s", device_name(x), device_name(y));
  if (x->form == y->form && x->reduces && x->op != y->op)
    append(&b, "  Reduce op: %svs %s", tocha_reduce_op_name(x->op), tocha_reduce_op_name(y->op));
  if (x->form == y->form && x->root != y->root) append(&b, "  Root: %dvs %d", x->root, y->root);
  return text;
}

const char *tocha_reduce_op_name(int op) {
  static const char *const names[] = {"SUM",  "AVG", "PRODUCT", "MIN",       "MAX",
                                      "BAND", "BOR", "BXOR",    "PREMUL_SUM"};
  return op >= 0 && op < TOCHA_COUNT(names) ? names[op] : "UNKNOWN";
}

/* Appends the other rank of a send or a receive. */
static void append_peer(buffer *b, const tocha_intent *i) {
  if (i->form != TOCHA_FORM_SEND && i->form != TOCHA_FORM_RECV) return;
  append(b, i->form == TOCHA_FORM_SEND ? ", to " : ", from ");
  append(b, i->peer >= 0 ? "rank %d" : "any rank", i->peer);
  if (i->tag) append(b, ", tag %d", i->tag);
}

const char *tocha_intent_text(const tocha_intent *i, char *text, size_t capacity) {
  buffer b = {text, 0, capacity};
  append(&b, "%s(", names_of(i->form)->name);
  if (i->has_tensor) {
    append(&b, "%s [", tocha_dtype_name(dtype_of(i)));
    append_sizes(&b, i, ", ");
    append(&b, "]%s%s", i->device == TOCHA_CUDA ? " on " : "",
           i->device == TOCHA_CUDA ? "cuda" : "");
  }
  if (i->form == TOCHA_FORM_SPLIT) append_sizes(&b, i, ", ");
  if (i->reduces) append(&b, ", %s", tocha_reduce_op_name(i->op));
  if (i->root >= 0) append(&b, ", root %d", i->root);
  append_peer(&b, i);
  append(&b, ")");
  if (i->place[0]) append(&b, " at %.*s", TOCHA_PLACE_SIZE - 1, i->place);
  return text;
}

const char *tocha_rank_text(int rank, const char *host, char *text, size_t capacity) {
  size_t length = (size_t)snprintf(text, capacity, "rank %d", rank);
  if (host[0] && length < capacity) snprintf(text + length, capacity - length, " (%s)", host);
  return text;
}

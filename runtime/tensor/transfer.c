/* transfer.c: copies values between host and device, or between devices. */
#include "tensor/transfer.h"
#include "device/devices.h"

#include <string.h>

#include "tensor/copy.h"
#include "tensor/parallel.h"

static int place_of(const tocha_tensor *t) {
  return tocha_is_on_device(t) ? t->device.index : TOCHA_HOST;
}

/* --- pieces ---------------------------------------------------------------------------------------- */

/* PIECE: 4 MiB, which a bus copies in about 0.1 ms. PIECES: as many are filled or copied at a time. STAGED: the bytes up to which
 * a plug-in stages pageable memory itself. */
enum { PIECE = 4 << 20, PIECES = 4, STAGED = 1 << 16 };

typedef struct pieces {
  char *data[PIECES];   /* pinned memory; NULL: not used yet */
  void *copied[PIECES]; /* events */
} pieces;

typedef struct filling {
  char *to;
  const char *from;
} filling;

static void fill_part(void *user, int64_t begin, int64_t end) {
  const filling *f = user;
  memcpy(f->to + begin, f->from + begin, (size_t)(end - begin));
}

/* Makes piece k ready to be filled: allocates it, or waits for the copy that reads it. */
static bool ready_piece(tocha_stream *s, pieces *p, int k) {
  if (p->data[k]) return s->backend->synchronize_event(s->state, p->copied[k]);
  p->copied[k] = s->backend->new_event(s->state, s->device, false);
  p->data[k] = p->copied[k] ? s->backend->allocate_pinned(s->state, PIECE) : NULL;
  return p->data[k];
}

static void release_pieces(tocha_stream *s, pieces *p) {
  for (int k = 0; k < PIECES; k++) {
    if (p->data[k]) s->backend->release_pinned(s->state, p->data[k]);
    if (p->copied[k]) s->backend->free_event(s->state, p->copied[k]);
  }
}

/* Copies pageable memory to the stream's device through pinned memory, so that threads fill a piece while earlier pieces are copied.
 * `from` has been read on return; the copies may still run. */
static bool copy_in_pieces(tocha_context *cx, tocha_stream *s, char *to, const char *from,
                           size_t bytes) {
  enum { GRAIN = 1 << 18 };
  pieces p = {{NULL}, {NULL}};
  bool ok = true;
  for (size_t at = 0; ok && at < bytes; at += PIECE) {
    const size_t n = bytes - at < PIECE ? bytes - at : PIECE;
    const int k = (int)(at / PIECE % PIECES);
    filling f = {NULL, from + at};
    if (!(ok = tocha_launched(cx, ready_piece(s, &p, k)))) break;
    f.to = p.data[k];
    ok = tocha_parallel_for(cx, (int64_t)n, GRAIN, fill_part, &f) &&
         tocha_launched(cx, s->backend->copy(s, to + at, s->device, f.to, TOCHA_HOST, n, false) &&
                                s->backend->record(s, p.copied[k]));
  }
  release_pieces(s, &p);
  return ok;
}

static bool is_staged(tocha_stream *s, const tocha_tensor *source, size_t bytes) {
  return bytes > STAGED && !tocha_is_on_device(source) && !s->backend->is_capturing(s) &&
         !s->backend->is_pinned(s->state, tocha_bytes(source));
}

/* Copies dense bytes. Between two devices the copy waits for the target's stream, and the
 * target's stream waits for the copy. */
static bool copy_bytes(tocha_context *cx, tocha_tensor *target, const tocha_tensor *source,
                       bool blocking) {
  tocha_stream *s =
      tocha_stream_of(cx, tocha_is_on_device(source) ? source->device : target->device);
  tocha_stream *other = tocha_is_on_device(target) ? tocha_stream_of(cx, target->device) : s;
  size_t bytes = (size_t)target->numel * tocha_dtype_size(target->dtype);
  if (!s || !other || (s != other && !tocha_launched(cx, s->backend->order(other, s))))
    return false;
  if (blocking && !tocha_is_on_device(target) && !tocha_check_hidden_wait(cx)) return false;
  if (is_staged(s, source, bytes))
    return copy_in_pieces(cx, s, tocha_bytes(target), tocha_bytes(source), bytes);
  return tocha_launched(cx,
                        s->backend->copy(s, tocha_bytes(target), place_of(target),
                                         tocha_bytes(source), place_of(source), bytes, blocking)) &&
         (s == other || tocha_launched(cx, s->backend->order(s, other)));
}

static bool is_plain(const tocha_tensor *t, tocha_dtype dtype) {
  return t->dtype == dtype && tocha_is_contiguous(t);
}

bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking) {
  /* Only dense bytes of one dtype cross: values are converted on the side that leaves fewer
   * bytes to copy. */
  tocha_scope s = tocha_scope_begin(cx);
  tocha_dtype dtype =
      tocha_dtype_size((tocha_dtype)source->dtype) <= tocha_dtype_size((tocha_dtype)target->dtype)
          ? (tocha_dtype)source->dtype
          : (tocha_dtype)target->dtype;
  bool whole = tocha_same_sizes(target, source);
  tocha_tensor *from, *to = target;
  bool ok = (from = tocha_as_rows(cx, source, dtype)) != NULL;
  if (ok && !(whole && is_plain(target, dtype)))
    to = tocha_new(cx, source->ndim, source->sizes, dtype, target->device);
  ok = ok && to && copy_bytes(cx, to, from, blocking || to != target) &&
       (to == target || tocha_copy_data(cx, target, to));
  tocha_scope_end(cx, s, NULL);
  return ok;
}

tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t) {
  if (!tocha_is_on_device(t)) return t;
  return tocha_copy_as(cx, t, TOCHA_NO_DTYPE, tocha_cpu(), TOCHA_CONTIGUOUS_FORMAT);
}

bool tocha_read_bytes(tocha_context *cx, tocha_device device, const void *from, void *to,
                      size_t bytes) {
  if (device.type == TOCHA_CPU) {
    memcpy(to, from, bytes);
    return true;
  }
  tocha_stream *s = tocha_stream_of(cx, device);
  if (!s || !tocha_check_hidden_wait(cx)) return false;
  void **slot = &cx->devices->slot; /* pinned memory, so that the driver need not stage such a
                                     * small copy */
  if (!*slot) *slot = s->backend->allocate_pinned(s->state, TOCHA_SLOT);
  if (!*slot) return tocha_launched(cx, false);
  void *staged = bytes <= TOCHA_SLOT ? *slot : to;
  if (!tocha_launched(cx, s->backend->copy(s, staged, TOCHA_HOST, from, device.index, bytes, true)))
    return false;
  if (staged != to) memcpy(to, staged, bytes);
  return true;
}

bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element) {
  return tocha_read_bytes(cx, t->device, tocha_bytes(t), element, tocha_dtype_size(t->dtype));
}

/* --- pinned memory --------------------------------------------------------------------------------- */

static void release_pinned(void *user, void *data) {
  const tocha_backend *backend = user;
  backend->release_pinned(NULL, data); /* perhaps on another thread, after the context's end */
}

tocha_tensor *tocha_pin_memory(tocha_context *cx, tocha_tensor *tensor) {
  char type[32];
  if (!tensor || tocha_failed(cx)) return NULL;
  if (tensor->device.type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cannot pin '%s' only dense CPU tensors can be pinned",
                      tocha_type_text(tensor, type));
  tocha_devices *d = tocha_device_available(cx, tocha_cuda_device(-1)) ? cx->devices : NULL;
  if (!d) return NULL;
  if (tensor->numel == 0 || tocha_is_pinned(cx, tensor)) return tensor;
  size_t bytes = (size_t)tensor->numel * tocha_dtype_size((tocha_dtype)tensor->dtype);
  void *data = d->backend->allocate_pinned(d->state, bytes);
  if (!tocha_launched(cx, data != NULL)) return NULL;
  tocha_tensor *pinned =
      tocha_from_memory(cx, data, tensor->ndim, tensor->sizes, (tocha_dtype)tensor->dtype,
                        release_pinned, (tocha_backend *)(uintptr_t)d->backend);
  if (!pinned) {
    d->backend->release_pinned(d->state, data);
    return NULL;
  }
  pinned->storage->any_thread = true;
  return tocha_copy_data(cx, pinned, tensor) ? pinned : NULL;
}

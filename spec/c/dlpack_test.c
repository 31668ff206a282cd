/* dlpack_test.c: tensors for another library and of one, which keeps and frees them on threads of its own. The structs are
 * declared here as the standard lays them out. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/autograd.h"
#include "tocha/context.h"
#include "tocha/dlpack.h"
#include "tocha/ops/add.h"
#include "tocha/ops/full.h"
#include "tocha/ops/resize_.h"
#include "tocha/ops/t.h"
#include "tocha/ops/zeros.h"
#include "tocha/tensor.h"

typedef struct DLTensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
struct DLManagedTensor {
  DLTensor tensor;
  void *manager;
  void (*deleter)(struct DLManagedTensor *self);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor tensor;
};
typedef struct DLManagedTensorVersioned versioned;

/* --- for another library --------------------------------------------------------------------------- */

static void test_lending(void) {
  tocha_context *cx = tocha_open(NULL);
  int64_t size[] = {2, 3};
  tocha_tensor *x = tocha_full(cx, 2, size, tocha_float(2)), *turned = tocha_t(cx, x);
  versioned *m = tocha_to_dlpack(cx, turned, true);
  struct DLManagedTensor *old = tocha_to_dlpack_unversioned(cx, x);
  CHECK(m && m->major == 1 && m->flags == 1 && m->tensor.ndim == 2);
  CHECK(m->tensor.shape[0] == 3 && m->tensor.strides[0] == 1 && m->tensor.strides[1] == 3);
  CHECK(m->tensor.dtype.code == 2 && m->tensor.dtype.bits == 32 && m->tensor.dtype.lanes == 1);
  CHECK(m->tensor.device.type == TOCHA_DLPACK_CPU && m->tensor.data == tocha_data(x));
  ((float *)old->tensor.data)[1] = 7;
  CHECK(((float *)tocha_data(x))[1] == 7);
  int64_t more = 1000000;
  CHECK(!tocha_resize_(cx, x, 1, &more) && tocha_failed(cx)); /* its memory stays where it is */
  tocha_clear_error(cx);
  tocha_dlpack_free_unversioned(old);
  tocha_dlpack_free(m);
  tocha_dlpack_free(NULL);
  tocha_close(cx);
}

static void *give_back(void *user) {
  versioned *m = user;
  m->deleter(m);
  return NULL;
}

/* Memory that comes back on other threads is free when the context next allocates. */
static void test_threads(void) {
  enum { THREADS = 4, ROUNDS = 50 };
  tocha_context *cx = tocha_open(NULL);
  int64_t n = 100000;
  size_t live = tocha_host_bytes(cx).live;
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t threads[THREADS];
    tocha_scope s = tocha_scope_begin(cx);
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, give_back,
                     tocha_to_dlpack(cx, tocha_full(cx, 1, &n, tocha_float(i)), false));
    tocha_scope_end(cx, s, NULL);
    for (int i = 0; i < THREADS; i++) tocha_zeros(cx, 1, &n); /* beside them */
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    tocha_scope_end(cx, s, NULL);
  }
  int64_t one = 1;
  tocha_scope s = tocha_scope_begin(cx);
  tocha_zeros(cx, 1, &one);
  tocha_scope_end(cx, s, NULL);
  CHECK(tocha_host_bytes(cx).live <= live + 4096); /* the stack of scopes has grown */
  tocha_close(cx);
}

/* The memory outlives the context, and goes with its last user, on any thread. */
static void test_after_close(void) {
  enum { COUNT = 8 };
  versioned *m[COUNT];
  pthread_t threads[COUNT];
  tocha_context *cx = tocha_open(NULL);
  int64_t n = 1000;
  for (int i = 0; i < COUNT; i++)
    m[i] = tocha_to_dlpack(cx, tocha_full(cx, 1, &n, tocha_float(i)), false);
  pthread_create(&threads[0], NULL, give_back, m[0]); /* while it closes */
  tocha_close(cx);
  for (int i = 1; i < COUNT; i++) CHECK(((float *)m[i]->tensor.data)[n - 1] == (float)i);
  for (int i = 1; i < COUNT; i++) pthread_create(&threads[i], NULL, give_back, m[i]);
  for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
}

static void count_call(void *user, void *data) {
  (void)data;
  ++*(int *)user;
}

/* Memory of the host's is lent without a copy, too. */
static void test_host_memory(void) {
  float values[3] = {1, 2, 3};
  int64_t n = 3;
  int calls = 0;
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *x = tocha_from_memory(cx, values, 1, &n, TOCHA_FLOAT32, count_call, &calls);
  versioned *m = tocha_to_dlpack(cx, x, false);
  CHECK(m && m->tensor.data == values);
  tocha_close(cx);
  CHECK(calls == 0);
  tocha_dlpack_free(m);
  CHECK(calls == 1);
}

static void test_refused_lending(void) {
  tocha_context *cx = tocha_open(NULL);
  int64_t n = 2;
  tocha_tensor *x = tocha_full(cx, 1, &n, tocha_float(1));
  tocha_dlpack_device device;
  CHECK(!tocha_to_dlpack(cx, NULL, false) && tocha_failed(cx));
  CHECK(!tocha_to_dlpack(cx, x, false)); /* the first error stays */
  tocha_clear_error(cx);
  tocha_set_requires_grad(cx, x, true);
  tocha_dlpack_free(tocha_to_dlpack(cx, x, false));
  CHECK(!tocha_failed(cx));
  tocha_device meta = {TOCHA_META, -1};
  tocha_tensor *none = tocha_new(cx, 1, &n, TOCHA_FLOAT32, meta);
  CHECK(!tocha_to_dlpack_unversioned(cx, none) && tocha_failed(cx));
  tocha_clear_error(cx);
  CHECK(!tocha_dlpack_device_of(cx, none, &device) && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_tensor *gone = tocha_full(cx, 1, &n, tocha_float(1));
  tocha_tensor_forget(gone);
  CHECK(!tocha_to_dlpack(cx, gone, false) && tocha_failed(cx));
  tocha_close(cx);
}

/* --- of another library ---------------------------------------------------------------------------- */

typedef struct foreign {
  versioned managed;
  int64_t shape[2], strides[2];
  double data[16];
  int deleted;
} foreign;

static void delete_foreign(versioned *self) { ((foreign *)self->manager)->deleted++; }

/* A matrix of 2 x 3 doubles, numbered along its columns. */
static foreign a_foreign_matrix(void) {
  foreign f = {.shape = {2, 3}, .strides = {1, 2}};
  for (int i = 0; i < 16; i++) f.data[i] = i;
  f.managed.major = 1;
  f.managed.deleter = delete_foreign;
  f.managed.tensor = (DLTensor){.device = {1, 0}, .ndim = 2, .dtype = {2, 64, 1}, .byte_offset = 8};
  return f;
}

static versioned *prepared(foreign *f) {
  f->managed.manager = f;
  f->managed.tensor.data = f->data;
  f->managed.tensor.shape = f->shape;
  f->managed.tensor.strides = f->strides;
  return &f->managed;
}

static void test_borrowing(void) {
  tocha_context *cx = tocha_open(NULL);
  foreign f = a_foreign_matrix();
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_from_dlpack(cx, prepared(&f));
  CHECK(x && tocha_dtype_of(x) == TOCHA_FLOAT64 && tocha_strides(x)[1] == 2);
  CHECK(x && tocha_data(x) == f.data + 1);
  tocha_tensor *sum = tocha_add(cx, x, x);
  CHECK(sum && ((double *)tocha_data(sum))[0] == 2);
  tocha_tensor *kept = tocha_retain(tocha_t(cx, x));
  tocha_scope_end(cx, s, NULL);
  CHECK(f.deleted == 0); /* a view keeps it */
  tocha_release(kept);
  CHECK(f.deleted == 1);
  f = a_foreign_matrix();
  prepared(&f)->tensor.strides = NULL;
  x = tocha_from_dlpack(cx, &f.managed);
  CHECK(x && tocha_strides(x)[0] == 3);
  versioned *lent = tocha_to_dlpack(cx, x, false); /* on to a third */
  tocha_close(cx);
  CHECK(lent && f.deleted == 0);
  tocha_dlpack_free(lent);
  CHECK(f.deleted == 1);
}

/* Tries to borrow, and expects an error that leaves the struct to its owner. */
static void refused(foreign *f, const char *why) {
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *x = tocha_from_dlpack(cx, &f->managed);
  EXPECT(!x && tocha_failed(cx), why);
  tocha_close(cx);
  EXPECT(f->deleted == 0, why);
}

static void test_refused_borrowing(void) {
#define REFUSED(change, why)                                                                       \
  do {                                                                                             \
    foreign f = a_foreign_matrix();                                                                \
    DLTensor *t = &prepared(&f)->tensor;                                                           \
    (void)t;                                                                                       \
    change;                                                                                        \
    refused(&f, why);                                                                              \
  } while (0)
  REFUSED(f.managed.major = 2, "a later version");
  REFUSED(t->ndim = -1, "less than no dimensions");
  REFUSED(t->ndim = 1000, "a thousand dimensions");
  REFUSED(t->shape = NULL, "no sizes");
  REFUSED(t->data = NULL, "no memory");
  REFUSED(t->dtype.lanes = 2, "vectors as elements");
  REFUSED(t->dtype.bits = 24, "24 bits");
  REFUSED(t->dtype.code = 5; t->dtype.bits = 128, "complex numbers");
  REFUSED(t->dtype.code = 99, "an unknown kind");
  REFUSED(t->device.type = 7, "Vulkan");
  REFUSED(t->device.type = 2; t->device.id = 70000, "a GPU that is not there");
  REFUSED(f.shape[0] = -2, "a negative size");
  REFUSED(f.strides[0] = -1, "a negative stride");
  REFUSED(f.shape[0] = f.shape[1] = INT64_C(1) << 40, "more elements than can be counted");
  REFUSED(f.shape[0] = INT64_C(1) << 61; f.strides[0] = 8, "more bytes than can be counted");
#undef REFUSED
}

int main(void) {
  test_lending();
  test_threads();
  test_after_close();
  test_host_memory();
  test_refused_lending();
  test_borrowing();
  test_refused_borrowing();
  return finish();
}

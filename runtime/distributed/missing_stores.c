/* missing_stores.c: stands in for the stores until they are there. */
#include "distributed/store.h"
#define WEAK __attribute__((weak))
WEAK bool store_set(tocha_store *s, const char *n, const void *b, size_t z, tocha_store_failure *f) {
  (void)s, (void)n, (void)b, (void)z, (void)f;
  return false;
}
WEAK bool store_get(tocha_store *s, const char *n, int64_t d, void **b, size_t *z, tocha_store_failure *f) {
  (void)s, (void)n, (void)d, (void)b, (void)z, (void)f;
  return false;
}
WEAK tocha_store *open_rendezvous(tocha_context *cx, const char *m, double t, int *r, int *w) {
  (void)m, (void)t, (void)r, (void)w;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "stores are missing");
}
WEAK tocha_store *tocha_prefix_store_new(tocha_context *cx, const char *p, tocha_store *s) {
  (void)p, (void)s;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "stores are missing");
}
WEAK tocha_store *tocha_store_retain(tocha_store *s) { return s; }
WEAK void tocha_store_free(tocha_store *s) { (void)s; }

/* host.c: Tocha inside a C program: a line fitted by gradient descent, and a mistake survived.
 *
 *   cc host.c $(pkg-config --cflags --libs tocha)      (in this repository: ./bootstrap build; build/host)
 */
#include <stdio.h>
#include <stdlib.h>
#include <tocha/tocha.h>

/* One step of gradient descent on mean((x w + b - y)^2); the loss, or -1 with an error pending. */
static double step(tocha_context *cx, tocha_tensor *x, tocha_tensor *y, tocha_tensor *w,
                   tocha_tensor *b) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *error = tocha_sub(cx, tocha_add(cx, tocha_matmul(cx, x, w), b), y);
  tocha_tensor *loss = tocha_mean(cx, tocha_mul(cx, error, error));
  tocha_scalar value = tocha_float(-1);
  if (loss && tocha_backward(cx, loss, NULL, false, false) && tocha_item(cx, loss, &value)) {
    bool grad_mode = tocha_set_grad_enabled(cx, false);
    tocha_add_full_(cx, w, tocha_operand_of(tocha_grad(w)), tocha_float(-0.5));
    tocha_add_full_(cx, b, tocha_operand_of(tocha_grad(b)), tocha_float(-0.5));
    tocha_set_grad_enabled(cx, grad_mode);
    tocha_set_grad(cx, w, NULL);
    tocha_set_grad(cx, b, NULL);
  }
  tocha_scope_end(cx, scope, NULL); /* every temporary of this step is gone */
  return tocha_failed(cx) ? -1 : tocha_scalar_real(value);
}

static void show(tocha_context *cx, const char *name, const tocha_tensor *t) {
  char *text = tocha_to_string(cx, t);
  if (text) printf("%s = %s\n", name, text);
  free(text);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return EXIT_FAILURE;
  enum { N = 20 };
  float xs[N], ys[N];
  for (int i = 0; i < N; i++) {
    xs[i] = (float)i / N;
    ys[i] = 0.7f * xs[i] + 0.3f;
  }
  const int64_t column[] = {N, 1}, one[] = {1, 1}, scalar[] = {1};
  const float zero = 0;
  tocha_tensor *x = tocha_from_memory(cx, xs, 2, column, TOCHA_FLOAT32, NULL, NULL); /* no copy */
  tocha_tensor *y = tocha_from_memory(cx, ys, 2, column, TOCHA_FLOAT32, NULL, NULL);
  tocha_tensor *w = tocha_from_values(cx, &zero, 2, one, TOCHA_FLOAT32);
  tocha_tensor *b = tocha_from_values(cx, &zero, 1, scalar, TOCHA_FLOAT32);
  tocha_set_requires_grad(cx, w, true);
  tocha_set_requires_grad(cx, b, true);

  for (int i = 0; i <= 400 && !tocha_failed(cx); i++) {
    double loss = step(cx, x, y, w, b);
    if (i % 100 == 0) printf("step %3d  loss %.6f\n", i, loss);
  }
  show(cx, "w", w);
  show(cx, "b", b);

  /* A mistake is a NULL and a message; NULL flows through, and one test at the end is enough. */
  tocha_tensor *wrong = tocha_add(cx, tocha_matmul(cx, x, x), b);
  if (!wrong) printf("as it should: %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);

  bool fitted = false;
  tocha_scalar value;
  if (tocha_item(cx, w, &value)) fitted = tocha_scalar_real(value) > 0.69;
  tocha_close(cx); /* with the context go all tensors of its scopes */
  return fitted ? EXIT_SUCCESS : EXIT_FAILURE;
}

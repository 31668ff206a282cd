/* sequence.c: an LSTM and a Transformer encoder of PyTorch: several inputs and results. */
#include <stdio.h>
#include <stdlib.h>
#include <tocha/tocha.h>

static tocha_tensor *tensor(const tocha_value *root, const char *name) {
  return tocha_value_tensor(tocha_value_find(root, name));
}

/* Copies the weights in the file's entry `name` into the module, and switches its dropout off. */
static bool load(tocha_context *cx, tocha_module *module, const tocha_value *root,
                 const char *name) {
  return tocha_module_load_value(cx, module, tocha_value_find(root, name), true) &&
         tocha_module_train(module, false);
}

/* Prints if a result is what PyTorch computed and wrote to the file's entry `name`. */
static void compare(tocha_context *cx, tocha_tensor *result, const tocha_value *root,
                    const char *name) {
  char shape[64];
  bool same = false;
  if (tocha_allclose(cx, result, tensor(root, name), 1e-6, 1e-6, false, &same))
    printf("%-8s%-12s%s\n", name,
           tocha_shape_text(tocha_ndim(result), tocha_sizes(result), shape, sizeof shape),
           same ? "as PyTorch" : "not as PyTorch");
}

static void run_lstm(tocha_context *cx, const tocha_value *root) {
  tocha_lstm_options options = tocha_lstm_defaults(6, 8);
  options.num_layers = 2;
  options.batch_first = options.bidirectional = true;
  tocha_module *lstm = tocha_nn_lstm_with(cx, &options);
  tocha_tensor *output, *h, *c; /* the first states are zeros: no hx */
  if (load(cx, lstm, root, "lstm") &&
      tocha_nn_lstm_forward(cx, lstm, tensor(root, "signal"), 0, NULL, NULL, NULL, NULL, &output,
                            &h, &c)) {
    compare(cx, output, root, "output");
    compare(cx, h, root, "h");
    compare(cx, c, root, "c");
  }
  tocha_module_release(lstm);
}

static void run_encoder(tocha_context *cx, const tocha_value *root) {
  tocha_transformer_encoder_layer_options options = tocha_transformer_encoder_layer_defaults(8, 2);
  options.dim_feedforward = 16;
  options.batch_first = true;
  tocha_module *layer = tocha_nn_transformer_encoder_layer_with(cx, &options);
  tocha_transformer_encoder_options stack = tocha_transformer_encoder_defaults(layer, 2);
  tocha_module *encoder =
      tocha_nn_transformer_encoder_with(cx, &stack); /* has copies of the layer */
  tocha_module_release(layer);
  if (load(cx, encoder, root, "encoder"))
    compare(cx, tocha_module_call(cx, encoder, tensor(root, "tokens")), root, "encoded");
  tocha_module_release(encoder);
}

int main(int count, char **arguments) {
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return EXIT_FAILURE;
  tocha_set_inference_mode(cx, true);
  tocha_checkpoint *file = tocha_load(cx, count > 1 ? arguments[1] : "sequence.pt", NULL);
  const tocha_value *root = tocha_checkpoint_root(file);
  if (file) {
    run_lstm(cx, root);
    run_encoder(cx, root);
  }
  char message[1024];
  int status = tocha_failed(cx) ? EXIT_FAILURE : EXIT_SUCCESS;
  if (status) fprintf(stderr, "%s\n", tocha_error_text(cx, message, sizeof message));
  tocha_checkpoint_free(file);
  tocha_close(cx);
  return status;
}

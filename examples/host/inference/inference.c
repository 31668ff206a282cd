/* inference.c: a convolutional network that PyTorch trained reads handwritten digits. */
#include <stdio.h>
#include <stdlib.h>
#include <tocha/tocha.h>

/* Returns the network of write.py without its weights, owned by the caller; NULL if a call failed. */
static tocha_module *make_net(tocha_context *cx) {
  tocha_conv2d_options first = tocha_conv2d_defaults(1, 8, 3),
                       second = tocha_conv2d_defaults(8, 16, 3);
  first.padding = second.padding = tocha_ints_of(1);
  tocha_batch_norm2d_options norm = tocha_batch_norm2d_defaults(8);
  tocha_max_pool2d_options pool = tocha_max_pool2d_defaults(2);
  tocha_linear_options linear = tocha_linear_defaults(64, 10);

  tocha_module *net = tocha_nn_sequential(cx);
  tocha_module_add_child(cx, net, NULL, tocha_nn_conv2d_with(cx, &first));
  tocha_module_add_child(cx, net, NULL, tocha_nn_batch_norm2d_with(cx, &norm));
  tocha_module_add_child(cx, net, NULL, tocha_nn_relu(cx, false));
  tocha_module_add_child(cx, net, NULL, tocha_nn_max_pool2d_with(cx, &pool));
  tocha_module_add_child(cx, net, NULL, tocha_nn_conv2d_with(cx, &second));
  tocha_module_add_child(cx, net, NULL, tocha_nn_relu(cx, false));
  tocha_module_add_child(cx, net, NULL, tocha_nn_max_pool2d_with(cx, &pool));
  tocha_module_add_child(cx, net, NULL, tocha_nn_flatten(cx, 1, -1));
  tocha_module_add_child(cx, net, NULL, tocha_nn_linear_with(cx, &linear));
  tocha_module_train(net, false);
  if (!tocha_failed(cx)) return net;
  tocha_module_release(net);
  return NULL;
}

/* Prints what the network reads in the file's images, and if the logits are those that PyTorch computed. */
static void read_digits(tocha_context *cx, tocha_module *net, const tocha_value *root) {
  const int64_t classes = 1;
  bool same = false;
  tocha_tensor *logits =
      tocha_module_call(cx, net, tocha_value_tensor(tocha_value_find(root, "images")));
  tocha_tensor *read = tocha_argmax(cx, logits, &classes, false);
  tocha_tensor *labels = tocha_value_tensor(tocha_value_find(root, "labels"));
  tocha_tensor *expected = tocha_value_tensor(tocha_value_find(root, "logits"));
  if (!tocha_allclose(cx, logits, expected, 1e-5, 1e-5, false, &same)) return;
  const int64_t *guess = tocha_data(read), *label = tocha_data(labels);
  printf("read   ");
  for (int64_t i = 0; i < tocha_numel(read); i++) printf(" %d", (int)guess[i]);
  printf("\nwritten");
  for (int64_t i = 0; i < tocha_numel(labels); i++) printf(" %d", (int)label[i]);
  printf("\nthe logits are %s\n", same ? "PyTorch's" : "not PyTorch's");
}

int main(int count, char **arguments) {
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return EXIT_FAILURE;
  tocha_set_inference_mode(cx, true);
  tocha_checkpoint *file = tocha_load(cx, count > 1 ? arguments[1] : "digits.pt", NULL);
  const tocha_value *root = tocha_checkpoint_root(file);
  tocha_module *net = make_net(cx);
  if (net && tocha_module_load_value(cx, net, tocha_value_find(root, "net"), true))
    read_digits(cx, net, root);

  char message[1024];
  int status = tocha_failed(cx) ? EXIT_FAILURE : EXIT_SUCCESS;
  if (status) fprintf(stderr, "%s\n", tocha_error_text(cx, message, sizeof message));
  tocha_module_release(net);
  tocha_checkpoint_free(file);
  tocha_close(cx); /* with it go the tensors of its scopes */
  return status;
}

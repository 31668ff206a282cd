/* modules_test.c: modules whose forward takes or gives more than one tensor, in C, beside what PyTorch
 * made of the same weights and inputs (spec/golden/modules.py). Runs in the repository's root. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};
static const tocha_dtype usual = TOCHA_NO_DTYPE;
static tocha_checkpoint *answers;

enum { MOST = 8 };

/* The tensors of one case in the file. */
typedef struct example {
  const char *name;
  tocha_module *module;
  tocha_tensor *in[MOST];
  int count;
} example;

/* Returns the tensor CASE/KIND/NUMBER of the file, or NULL if there is none. */
static tocha_tensor *answer(const char *name, const char *kind, int number) {
  char key[128];
  snprintf(key, sizeof key, "%s/%s/%d", name, kind, number);
  return tocha_value_tensor(tocha_value_find(tocha_checkpoint_root(answers), key));
}

/* Returns the state dict CASE/state/..., which the caller releases. */
static tocha_state_dict *state_of(tocha_context *cx, const char *name) {
  char prefix[64];
  size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s/state/", name);
  const tocha_value *root = tocha_checkpoint_root(answers);
  tocha_state_dict *dict = tocha_state_dict_new(cx);
  for (int64_t i = 0; i < tocha_value_count(root); i++) {
    const char *key = tocha_value_text(tocha_value_key(root, i), NULL);
    if (key && strncmp(key, prefix, length) == 0)
      tocha_state_dict_set(cx, dict, key + length, tocha_value_tensor(tocha_value_item(root, i)),
                           NULL);
  }
  return dict;
}

/* Prepares a case: the module, which it takes over, with the file's weights, in evaluation; the
 * inputs. */
static example example_of(tocha_context *cx, const char *name, tocha_module *module) {
  example e = {.name = name, .module = module};
  tocha_state_dict *state = state_of(cx, name);
  EXPECT(module && tocha_module_load_state_dict(cx, module, state, true, false, NULL, NULL), name);
  if (tocha_failed(cx)) printf("%s: %s\n", name, tocha_error(cx)->message);
  tocha_state_dict_release(state);
  if (module) tocha_module_train(module, false);
  for (tocha_tensor *x; e.count < MOST && (x = answer(name, "in", e.count)); e.count++) {
    bool wants_grad = answer(name, "grad", e.count) != NULL;
    e.in[e.count] = tocha_clone(cx, x);
    if (wants_grad) tocha_set_requires_grad(cx, e.in[e.count], true);
  }
  return e;
}

/* Returns true if the values differ by at most 1e-6 of the larger ones. */
static bool is_near(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  if (!a || !b || !tocha_same_sizes(a, b)) return false;
  a = tocha_contiguous(cx, a);
  b = tocha_contiguous(cx, b);
  const float *x = tocha_data(a), *y = tocha_data(b);
  for (int64_t i = 0; i < tocha_numel(a); i++)
    if (!(fabsf(x[i] - y[i]) <= 1e-6F * fmaxf(1, fabsf(y[i])))) return false;
  return true;
}

/* Checks the results, and the gradients of the inputs if the file has them. Ends the case. */
static void check_results(tocha_context *cx, example *e, int count, tocha_tensor *const *out) {
  EXPECT(count > 0 && !answer(e->name, "out", count), e->name); /* as many as PyTorch has */
  for (int i = 0; i < count; i++) EXPECT(is_near(cx, out[i], answer(e->name, "out", i)), e->name);
  if (count > 0 && answer(e->name, "grad", 0))
    EXPECT(tocha_backward(cx, tocha_sum(cx, out[0]), NULL, false, false), e->name);
  for (int i = 0; i < e->count; i++)
    if (answer(e->name, "grad", i))
      EXPECT(is_near(cx, tocha_grad(e->in[i]), answer(e->name, "grad", i)), e->name);
  if (tocha_failed(cx)) printf("%s: %s\n", e->name, tocha_error(cx)->message);
  tocha_clear_error(cx);
  tocha_module_release(e->module);
}

/* Checks the module's results for all inputs of the case. */
static void check_module(tocha_context *cx, const char *name, tocha_module *module) {
  tocha_scope scope = tocha_scope_begin(cx);
  example e = example_of(cx, name, module);
  tocha_tensors out;
  tocha_module_call_many(cx, module, e.count, e.in, &out);
  check_results(cx, &e, out.count, out.items);
  tocha_tensors_free(cx, &out);
  tocha_scope_end(cx, scope, NULL);
}

static bool fails_with(tocha_context *cx, const char *message) {
  bool same = strstr(tocha_error(cx)->message, message) != NULL;
  if (!same) printf("got %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);
  return same;
}

/* --- recurrent layers -------------------------------------------------------------------------- */

static tocha_module *lstm(tocha_context *cx, int64_t layers, bool batch_first, bool bidirectional,
                          int64_t projected) {
  return tocha_nn_lstm(cx, 4, 6, layers, true, batch_first, 0, bidirectional, projected, anywhere,
                       usual);
}

static void test_recurrent(tocha_context *cx) {
  check_module(cx, "lstm", lstm(cx, 2, false, true, 0));
  check_module(cx, "lstm_states", lstm(cx, 2, false, true, 0));
  check_module(cx, "lstm_projected", lstm(cx, 1, true, false, 3));
  check_module(cx, "lstm_alone", lstm(cx, 1, false, false, 0));
  check_module(cx, "rnn",
               tocha_nn_rnn(cx, 4, 6, 1, "relu", true, false, 0, false, anywhere, usual));
  check_module(cx, "gru", tocha_nn_gru(cx, 4, 6, 2, true, false, 0, false, anywhere, usual));
  check_module(cx, "rnn_cell", tocha_nn_rnn_cell(cx, 4, 6, true, "tanh", anywhere, usual));
  check_module(cx, "gru_cell", tocha_nn_gru_cell(cx, 4, 6, true, anywhere, usual));
  check_module(cx, "lstm_cell", tocha_nn_lstm_cell(cx, 4, 6, true, anywhere, usual));
}

static void test_packed(tocha_context *cx) {
  example e = example_of(cx, "gru_packed",
                         tocha_nn_gru(cx, 4, 6, 1, true, false, 0, false, anywhere, usual));
  tocha_tensor *out[2] = {NULL, NULL};
  CHECK(tocha_nn_gru_forward(cx, e.module, e.in[0], NULL, e.in[1], e.in[2], e.in[3], &out[0],
                             &out[1]));
  check_results(cx, &e, 2, out);
}

/* --- attention --------------------------------------------------------------------------------- */

static tocha_module *attention(tocha_context *cx, int64_t heads, bool more, const int64_t *kdim,
                               const int64_t *vdim, bool batch_first) {
  return tocha_nn_multihead_attention(cx, 8, heads, 0, true, more, more, kdim, vdim, batch_first,
                                      anywhere, usual);
}

static void test_attention(tocha_context *cx) {
  static const int64_t kdim = 6, vdim = 5;
  check_module(cx, "attention", attention(cx, 2, false, NULL, NULL, false));
  example e = example_of(cx, "attention_masked", attention(cx, 2, true, NULL, NULL, false));
  tocha_tensor *out[2] = {NULL, NULL};
  CHECK(tocha_nn_multihead_attention_forward(cx, e.module, e.in[0], e.in[1], e.in[2], e.in[3], true,
                                             NULL, false, false, &out[0], &out[1]));
  check_results(cx, &e, 2, out);
  e = example_of(cx, "attention_widths", attention(cx, 4, false, &kdim, &vdim, true));
  CHECK(tocha_nn_multihead_attention_forward(cx, e.module, e.in[0], e.in[1], e.in[2], NULL, false,
                                             NULL, true, false, &out[0], &out[1]));
  CHECK(!out[1]);
  check_results(cx, &e, 1, out);
}

static void test_images(tocha_context *cx) {
  check_module(cx, "cross_map_lrn2d", tocha_nn_cross_map_lrn2d(cx, 3, 0.1, 0.75, tocha_int(1)));
}

/* --- transformers ------------------------------------------------------------------------------ */

static tocha_module *encoder_layer(tocha_context *cx, bool batch_first) {
  return tocha_nn_transformer_encoder_layer(cx, 8, 2, 16, 0.1, "relu", 1e-5, batch_first, false,
                                            true, anywhere, usual);
}

static tocha_module *decoder_layer(tocha_context *cx) {
  return tocha_nn_transformer_decoder_layer(cx, 8, 2, 16, 0.1, "relu", 1e-5, false, false, true,
                                            anywhere, usual);
}

static void test_layers(tocha_context *cx) {
  check_module(cx, "encoder_layer", encoder_layer(cx, false));
  check_module(cx, "encoder_layer_first",
               tocha_nn_transformer_encoder_layer(cx, 8, 2, 16, 0.1, "gelu", 1e-5, true, true,
                                                  false, anywhere, usual));
  check_module(cx, "decoder_layer", decoder_layer(cx));
  CHECK(!tocha_nn_transformer_encoder_layer(cx, 8, 2, 16, 0.1, "sin", 1e-5, true, true, false,
                                            anywhere, usual) &&
        fails_with(cx, "activation should be relu/gelu, not sin"));
}

static tocha_module *encoder(tocha_context *cx, bool with_norm) {
  const int64_t width = 8;
  tocha_module *layer = encoder_layer(cx, true), *stack, *norm = NULL;
  if (with_norm) norm = tocha_nn_layer_norm(cx, 1, &width, 1e-5, true, true, anywhere, usual);
  stack = tocha_nn_transformer_encoder(cx, layer, 2, norm, true, true);
  tocha_module_release(layer);
  tocha_module_release(norm);
  return stack;
}

/* Runs an encoder with padding. */
static void check_encoder(tocha_context *cx, const char *name, bool with_norm) {
  example e = example_of(cx, name, encoder(cx, with_norm));
  tocha_tensor *out =
      tocha_nn_transformer_encoder_forward(cx, e.module, e.in[0], NULL, e.in[1], NULL);
  check_results(cx, &e, 1, &out);
}

static void test_stacks(tocha_context *cx) {
  tocha_module *layer = decoder_layer(cx);
  check_module(cx, "decoder", tocha_nn_transformer_decoder(cx, layer, 2, NULL));
  tocha_module_release(layer);
  check_encoder(cx, "encoder", true);
  bool before = tocha_grad_enabled(cx);
  tocha_set_grad_enabled(cx, false); /* what is padding is zero then */
  check_encoder(cx, "encoder_no_grad", false);
  tocha_set_grad_enabled(cx, before);
  CHECK(!tocha_nn_transformer_encoder(cx, NULL, 2, NULL, true, true) &&
        fails_with(cx, "argument 'encoder_layer' must be Module, not NoneType"));
}

static tocha_module *transformer(tocha_context *cx, int64_t layers, bool batch_first) {
  return tocha_nn_transformer(cx, 8, 2, layers, layers, 16, 0.1, "relu", NULL, NULL, 1e-5,
                              batch_first, false, true, anywhere, usual);
}

/* Returns the sums of the parameters, in order. */
static tocha_tensor *parameter_sums(tocha_context *cx, tocha_module *module) {
  tocha_named_list list = {0};
  tocha_tensor *sums[128];
  tocha_named_parameters(cx, module, "", true, true, &list);
  for (int i = 0; i < list.count && i < 128; i++)
    sums[i] = tocha_detach(cx, tocha_sum(cx, list.items[i].tensor));
  tocha_tensor *out = tocha_stack(cx, list.count, sums, 0);
  tocha_named_list_free(&list);
  return out;
}

static void test_transformer(tocha_context *cx) {
  example e = example_of(cx, "transformer", transformer(cx, 2, false));
  tocha_tensor *mask = tocha_nn_generate_square_subsequent_mask(cx, 4, anywhere, usual);
  CHECK(is_near(cx, tocha_exp(cx, mask), tocha_exp(cx, e.in[2])));
  tocha_tensor *out = tocha_nn_transformer_forward(cx, e.module, e.in[0], e.in[1], NULL, e.in[2],
                                                   NULL, e.in[3], NULL, e.in[3], NULL, NULL, false);
  check_results(cx, &e, 1, &out);
  for (int i = 0; i < 2; i++) {
    tocha_manual_seed(cx, 3);
    tocha_module *drawn = transformer(cx, 1, i == 1);
    CHECK(is_near(cx, parameter_sums(cx, drawn), answer("transformer_drawn", "out", i)));
    tocha_module_release(drawn);
  }
}

static void test_copies(tocha_context *cx) {
  tocha_module *net = tocha_nn_sequential(cx), *one = encoder_layer(cx, false);
  tocha_register_module(cx, net, "0", one);
  tocha_register_module(cx, net, "1", one);
  tocha_module *copy = tocha_module_copy(cx, net);
  CHECK(copy && tocha_module_child(copy, 0) == tocha_module_child(copy, 1) &&
        tocha_module_child(copy, 0) != one);
  CHECK(tocha_parameter_count(cx, copy) == tocha_parameter_count(cx, net));
  tocha_tensor *a = tocha_get_parameter(cx, net, "0.linear1.weight"),
               *b = tocha_get_parameter(cx, copy, "1.linear1.weight");
  CHECK(!tocha_same_storage(a, b) && is_near(cx, a, b) && tocha_requires_grad(b));
  tocha_module_release(copy);
  tocha_module_release(one);
  tocha_module_release(net);
}

/* --- lazy modules ------------------------------------------------------------------------------ */

/* Checks the first call, which draws the members, and one in evaluation. The module was made after
 * seed 5. */
static void check_lazy(tocha_context *cx, const char *name, const char *base,
                       tocha_module *module) {
  tocha_tensor *x = answer(name, "in", 0), *out;
  EXPECT(module && x && (out = tocha_module_call(cx, module, x)) &&
             is_near(cx, out, answer(name, "out", 0)),
         name);
  EXPECT(strcmp(tocha_module_name(module), base) == 0, name);
  tocha_module_train(module, false);
  EXPECT((out = tocha_module_call(cx, module, x)) && is_near(cx, out, answer(name, "out", 1)),
         name);
  if (tocha_failed(cx)) printf("%s: %s\n", name, tocha_error(cx)->message);
  tocha_clear_error(cx);
  tocha_module_release(module);
  tocha_manual_seed(cx, 5);
}

static void test_lazy(tocha_context *cx) {
  static const int64_t three = 3, two = 2, one = 1, zero = 0;
  const double momentum = 0.1;
  tocha_manual_seed(cx, 5);
  check_lazy(cx, "lazy_linear", "Linear", tocha_nn_lazy_linear(cx, 4, true, anywhere, usual));
  check_lazy(cx, "lazy_conv2d", "Conv2d",
             tocha_nn_lazy_conv2d(cx, 4, 1, &three, 1, &two, 1, &one, 1, &one, 1, true, "zeros",
                                  anywhere, usual));
  check_lazy(cx, "lazy_conv_transpose1d", "ConvTranspose1d",
             tocha_nn_lazy_conv_transpose1d(cx, 4, 1, &three, 1, &one, 1, &zero, 1, &zero, 1, true,
                                            1, &one, "zeros", anywhere, usual));
  check_lazy(cx, "lazy_batch_norm2d", "BatchNorm2d",
             tocha_nn_lazy_batch_norm2d(cx, 1e-5, &momentum, true, true, anywhere, usual, true));
  check_lazy(cx, "lazy_instance_norm1d", "InstanceNorm1d",
             tocha_nn_lazy_instance_norm1d(cx, 1e-5, &momentum, true, true, anywhere, usual, true));
}

/* A state dict gives a lazy module its sizes; an optimizer may hold its parameters before. */
static void test_loaded_lazy(tocha_context *cx) {
  tocha_module *module = tocha_nn_lazy_linear(cx, 4, true, anywhere, usual);
  tocha_tensor *weight = tocha_get_parameter(cx, module, "weight");
  char *text = tocha_module_to_string(cx, module);
  CHECK(text && strcmp(text, "LazyLinear(in_features=0, out_features=4, bias=True)") == 0);
  free(text);
  CHECK(tocha_is_uninitialized(weight));
  tocha_module *copy = tocha_module_copy(cx, module);
  CHECK(copy && tocha_is_uninitialized(tocha_get_parameter(cx, copy, "weight")));
  tocha_module_release(copy);
  check_module(cx, "lazy_loaded", tocha_module_retain(module));
  CHECK(tocha_get_parameter(cx, module, "weight") == weight && !tocha_is_uninitialized(weight));
  CHECK(strcmp(tocha_module_name(module), "Linear") == 0);
  tocha_module_release(module);
  module = tocha_nn_lazy_conv2d(cx, 4, 1, (const int64_t[]){3}, 1, (const int64_t[]){1}, 1,
                                (const int64_t[]){0}, 1, (const int64_t[]){1}, 1, true, "zeros",
                                anywhere, usual);
  CHECK(!tocha_module_call(cx, module, tocha_ones(cx, 2, (const int64_t[]){4, 4})) &&
        fails_with(cx, "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input "
                       "of size: torch.Size([4, 4])"));
  tocha_module_release(module);
}

/* --- losses ------------------------------------------------------------------------------------ */

static tocha_module *adaptive(tocha_context *cx) {
  static const int64_t cutoffs[] = {4, 10};
  return tocha_nn_adaptive_log_softmax_with_loss(cx, 8, 20, 2, cutoffs, 2, false, anywhere, usual);
}

static void test_adaptive(tocha_context *cx) {
  check_module(cx, "adaptive", adaptive(cx));
  check_module(cx, "adaptive_alone", adaptive(cx));
  example e = example_of(cx, "adaptive_all", adaptive(cx));
  tocha_tensor *out[] = {tocha_adaptive_log_prob(cx, e.module, e.in[0]),
                         tocha_to_dtype(cx, tocha_adaptive_predict(cx, e.module, e.in[0]),
                                        TOCHA_FLOAT32, false, false)};
  check_results(cx, &e, 2, out);
  CHECK(!tocha_nn_adaptive_log_softmax_with_loss(cx, 8, 20, 2, (const int64_t[]){4, 4}, 2, false,
                                                 anywhere, usual) &&
        fails_with(cx, "cutoffs should be a sequence of unique, positive integers"));
}

static void test_losses(tocha_context *cx) {
  const double momentum = 0.1;
  check_module(cx, "triplet",
               tocha_nn_triplet_margin_with_distance_loss(cx, NULL, 1, true, "mean"));
  tocha_module *cosine = tocha_nn_cosine_similarity(cx, 1, 1e-8);
  check_module(cx, "triplet_cosine",
               tocha_nn_triplet_margin_with_distance_loss(cx, cosine, 0.5, false, "none"));
  tocha_module_release(cosine);
  check_module(cx, "sync_batch_norm",
               tocha_nn_sync_batch_norm(cx, 3, 1e-5, &momentum, true, true, anywhere, usual, true));
}

/* --- mistakes ---------------------------------------------------------------------------------- */

static tocha_tensor *half_forward(tocha_context *cx, void *data, tocha_module *module, int count,
                                  tocha_tensor *const *inputs) {
  (void)module;
  *(int *)data = count;
  return count ? tocha_mul_full(cx, inputs[0], tocha_number(tocha_float(0.5))) : NULL;
}

static void test_mistakes(tocha_context *cx) {
  tocha_module *layer = lstm(cx, 1, false, false, 0);
  tocha_tensor *x[4] = {tocha_ones(cx, 3, (const int64_t[]){5, 3, 4}), NULL, NULL, NULL};
  tocha_tensors out = {0};
  int count = 0;
  x[1] = x[2] = tocha_ones(cx, 3, (const int64_t[]){1, 3, 6});
  CHECK(!tocha_module_call_many(cx, layer, 0, x, &out) &&
        fails_with(cx, "LSTM.forward(): argument 'input' (position 1) must be Tensor"));
  CHECK(!tocha_module_call_many(cx, layer, 2, x, &out) && fails_with(cx, "two states h and c"));
  CHECK(!tocha_module_call_many(cx, layer, 4, x, &out) && fails_with(cx, "NoneType"));
  CHECK(!out.items && out.count == 0);
  CHECK(!tocha_nn_gru_forward(cx, layer, x[0], NULL, NULL, NULL, NULL, NULL, NULL) &&
        fails_with(cx, "argument 'module' must be GRU, not LSTM"));
  CHECK(tocha_nn_lstm_forward(cx, layer, x[0], 2, x + 1, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(!tocha_nn_lstm_forward(cx, layer, x[1], 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL) &&
        fails_with(cx, "input.size(-1) must be equal to input_size. Expected 4, got 6"));
  CHECK(tocha_module_forward(cx, layer, 1, x) != NULL); /* the first result */
  tocha_host_object host = {.data = &count,
                            .forward = half_forward}; /* takes the place of the class's */
  tocha_module_set_host_object(layer, &host);
  CHECK(tocha_module_call_many(cx, layer, 3, x, &out) && out.count == 1 && count == 3);
  tocha_tensors_free(cx, &out);
  tocha_module_release(layer);
}

/* The host's allocator: counts the bytes in use. */
static void *counted(void *user, void *block, size_t old_bytes, size_t bytes) {
  *(int64_t *)user += (int64_t)bytes - (int64_t)old_bytes;
  if (bytes) return realloc(block, bytes);
  free(block);
  return NULL;
}

int main(void) {
  int64_t bytes = 0;
  tocha_options options = {.allocate = counted, .allocate_user = &bytes};
  tocha_context *cx = tocha_open(&options);
  answers = tocha_load(cx, "spec/golden/modules.safetensors", NULL);
  CHECK(answers != NULL);
  if (answers) {
    test_recurrent(cx);
    test_packed(cx);
    test_attention(cx);
    test_images(cx);
    test_layers(cx);
    test_stacks(cx);
    test_transformer(cx);
    test_copies(cx);
    test_lazy(cx);
    test_loaded_lazy(cx);
    test_adaptive(cx);
    test_losses(cx);
    test_mistakes(cx);
  }
  tocha_checkpoint_free(answers);
  tocha_close(cx);
  CHECK(bytes == 0); /* nothing is left */
  return finish();
}

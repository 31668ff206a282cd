/* transformer_layers.c: TransformerEncoderLayer and TransformerDecoderLayer. */
#include <stdio.h>
#include <string.h>

#include "nn/functions/decoder_layer.h"
#include "nn/functions/encoder_layer.h"
#include "nn/functions/transformer_layer.h"
#include "nn/transformer.h"
#include "tocha/nn/dropout.h"
#include "tocha/nn/layer_norm.h"
#include "tocha/nn/linear.h"
#include "tocha/nn/multihead_attention.h"
#include "tocha/ops/add.h"
#include "tocha/ops/gelu.h"
#include "tocha/ops/relu.h"

typedef tocha_tensor tensor;

tocha_module *tocha_module_child_named(const tocha_module *module, const char *name) {
  tocha_module *child = NULL;
  tocha_module_member(module, name, NULL, &child);
  return child;
}

/* --- members --------------------------------------------------------------------------------- */

static bool add_attention(tocha_context *cx, tocha_module *module, const char *name) {
  return tocha_module_add_child(
      cx, module, name,
      tocha_nn_multihead_attention(
          cx, tocha_option_int(module, "d_model"), tocha_option_int(module, "nhead"),
          tocha_option_real(module, "dropout"), tocha_option_flag(module, "bias"), false, false,
          NULL, NULL, tocha_option_flag(module, "batch_first"), tocha_option_device(cx, module),
          tocha_option_dtype(cx, module)));
}

static bool add_linear(tocha_context *cx, tocha_module *module, const char *name, int64_t in,
                       int64_t out) {
  return tocha_module_add_child(cx, module, name,
                                tocha_nn_linear(cx, in, out, tocha_option_flag(module, "bias"),
                                                tocha_option_device(cx, module),
                                                tocha_option_dtype(cx, module)));
}

/* Adds a dropout; number 0 stands for none in its name. */
static bool add_dropout(tocha_context *cx, tocha_module *module, int number) {
  char name[24] = "dropout";
  if (number) snprintf(name, sizeof name, "dropout%d", number);
  return tocha_module_add_child(
      cx, module, name,
      tocha_nn_dropout(cx, tocha_float(tocha_option_real(module, "dropout")), false));
}

static bool add_norm(tocha_context *cx, tocha_module *module, int number) {
  char name[24];
  const int64_t width = tocha_option_int(module, "d_model");
  snprintf(name, sizeof name, "norm%d", number);
  return tocha_module_add_child(
      cx, module, name,
      tocha_nn_layer_norm(cx, 1, &width, tocha_option_real(module, "layer_norm_eps"), true,
                          tocha_option_flag(module, "bias"), tocha_option_device(cx, module),
                          tocha_option_dtype(cx, module)));
}

static bool is_decoder_layer(const tocha_module *module) {
  return tocha_module_is(module, tocha_find_module_class("TransformerDecoderLayer"));
}

/* Adds the members of both kinds of layers, in PyTorch's order, in which values are drawn. */
bool tocha_module_init_transformer_layer(tocha_context *cx, tocha_module *module) {
  bool decoder = is_decoder_layer(module);
  int64_t width = tocha_option_int(module, "d_model");
  int64_t hidden = tocha_option_int(module, "dim_feedforward");
  const char *activation = tocha_module_option(module, "activation")->value.string;
  if (strcmp(activation, "relu") != 0 && strcmp(activation, "gelu") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "activation should be relu/gelu, not %s",
                      activation);
  bool ok = add_attention(cx, module, "self_attn") &&
            (!decoder || add_attention(cx, module, "multihead_attn")) &&
            add_linear(cx, module, "linear1", width, hidden) && add_dropout(cx, module, 0) &&
            add_linear(cx, module, "linear2", hidden, width);
  int count = decoder ? 3 : 2;
  for (int i = 1; ok && i <= count; i++) ok = add_norm(cx, module, i);
  for (int i = 1; ok && i <= count; i++) ok = add_dropout(cx, module, i);
  return ok;
}

/* --- forward --------------------------------------------------------------------------------- */

/* Calls the child of this name with one tensor. */
static tensor *call_child(tocha_context *cx, const tocha_module *module, const char *name,
                          tensor *x) {
  if (!x) return NULL;
  tocha_module *child = tocha_get_submodule(cx, (tocha_module *)module, name);
  return child ? tocha_module_call(cx, child, x) : NULL;
}

static tensor *call_numbered(tocha_context *cx, const tocha_module *module, const char *kind,
                             int number, tensor *x) {
  char name[24];
  snprintf(name, sizeof name, "%s%d", kind, number);
  return call_child(cx, module, name, x);
}

/* One of the blocks of a layer: an attention, or the two linear layers if `attention` is NULL. */
typedef struct block {
  int number; /* of its norm and dropout, from 1 */
  const char *attention;
  tensor *memory; /* what x attends to; NULL: x itself */
  tensor *mask, *padding;
  bool causal;
} block;

static tensor *activated(tocha_context *cx, const tocha_module *module, tensor *x) {
  tocha_module *child = tocha_module_child_named(module, "activation");
  if (child) return x ? tocha_module_call(cx, child, x) : NULL;
  const char *name = tocha_module_option(module, "activation")->value.string;
  return strcmp(name, "gelu") == 0 ? tocha_gelu(cx, x) : tocha_relu(cx, x);
}

static tensor *run_block(tocha_context *cx, const tocha_module *module, const block *b, tensor *x) {
  if (!x) return NULL;
  if (!b->attention) {
    x = activated(cx, module, call_child(cx, module, "linear1", x));
    return call_child(cx, module, "linear2", call_child(cx, module, "dropout", x));
  }
  tensor *memory = b->memory ? b->memory : x, *out = NULL;
  tocha_module *attention = tocha_get_submodule(cx, (tocha_module *)module, b->attention);
  if (!attention) return NULL;
  tocha_nn_multihead_attention_forward(cx, attention, x, memory, memory, b->padding, false, b->mask,
                                       true, b->causal, &out, NULL);
  return out;
}

/* Returns x + block(norm(x)), or norm(x + block(x)). */
static tensor *residual(tocha_context *cx, const tocha_module *module, const block *b, tensor *x) {
  bool norm_first = tocha_option_flag(module, "norm_first");
  tensor *y = norm_first ? call_numbered(cx, module, "norm", b->number, x) : x;
  y = call_numbered(cx, module, "dropout", b->number, run_block(cx, module, b, y));
  y = tocha_add(cx, x, y);
  return norm_first ? y : call_numbered(cx, module, "norm", b->number, y);
}

bool tocha_module_run_encoder_layer(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                                    tocha_results *results) {
  enum { SRC, MASK, PADDING, IS_CAUSAL };
  tensor *x = a[SRC].tensor;
  const block attention = {.number = 1,
                           .attention = "self_attn",
                           .padding = tocha_additive_mask(cx, a[PADDING].tensor, x),
                           .mask = tocha_additive_mask(cx, a[MASK].tensor, x),
                           .causal = a[IS_CAUSAL].value.flag};
  const block feed_forward = {.number = 2};
  if (tocha_failed(cx)) return false;
  x = residual(cx, module, &attention, x);
  results->fixed[0] = residual(cx, module, &feed_forward, x);
  return results->fixed[0] != NULL;
}

bool tocha_module_run_decoder_layer(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                                    tocha_results *results) {
  enum { TGT, MEMORY, MASK, MEMORY_MASK, PADDING, MEMORY_PADDING, IS_CAUSAL, MEMORY_IS_CAUSAL };
  const block blocks[] = {{.number = 1,
                           .attention = "self_attn",
                           .mask = a[MASK].tensor,
                           .padding = a[PADDING].tensor,
                           .causal = a[IS_CAUSAL].value.flag},
                          {.number = 2,
                           .attention = "multihead_attn",
                           .memory = a[MEMORY].tensor,
                           .mask = a[MEMORY_MASK].tensor,
                           .padding = a[MEMORY_PADDING].tensor,
                           .causal = a[MEMORY_IS_CAUSAL].value.flag},
                          {.number = 3}};
  tensor *x = a[TGT].tensor;
  for (int i = 0; x && i < TOCHA_COUNT(blocks); i++) x = residual(cx, module, &blocks[i], x);
  results->fixed[0] = x;
  return x != NULL;
}

/* transformer.c: TransformerEncoder and TransformerDecoder, stacks of copied layers, and Transformer. */
#include <stdio.h>
#include <string.h>

#include "nn/functions/decoder.h"
#include "nn/functions/encoder.h"
#include "nn/functions/transformer.h"
#include "nn/transformer.h"
#include "tocha/nn/init.h"
#include "tocha/nn/layer_norm.h"
#include "tocha/nn/module_list.h"
#include "tocha/nn/transformer_decoder.h"
#include "tocha/nn/transformer_decoder_layer.h"
#include "tocha/nn/transformer_encoder.h"
#include "tocha/nn/transformer_encoder_layer.h"
#include "tocha/ops/cumprod.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/equal.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/to.h"
#include "tocha/ops/unsqueeze.h"

typedef tocha_tensor tensor;

static const tocha_module_class *class_of(const char *name) {
  return tocha_find_module_class(name);
}

/* --- members --------------------------------------------------------------------------------- */

/* Adds `layers`, num_layers copies of a layer, and `norm`. */
static bool add_stack(tocha_context *cx, tocha_module *module, const char *layer_option) {
  tocha_module *layer = tocha_module_option(module, layer_option)->value.module, *norm;
  int64_t count = tocha_option_int(module, "num_layers");
  if (!layer)
    return tocha_refuse_none(cx, tocha_module_class_name(module->class), layer_option, "Module");
  tocha_module *list = tocha_nn_module_list(cx);
  bool ok = list != NULL;
  for (int64_t i = 0; ok && i < count; i++) {
    char name[24];
    snprintf(name, sizeof name, "%lld", (long long)i);
    ok = tocha_module_add_child(cx, list, name, tocha_module_copy(cx, layer));
  }
  if (!ok) tocha_module_release(list);
  norm = tocha_module_option(module, "norm")->value.module;
  ok = ok && tocha_module_add_child(cx, module, "layers", list) &&
       tocha_register_module(cx, module, "norm", norm);
  tocha_module_drop_option(cx, module, layer_option);
  tocha_module_drop_option(cx, module, "norm");
  return ok;
}

/* Returns the reason why the encoder cannot skip padding, or NULL if it can, in evaluation. */
static const char *why_padding_stays(const tocha_module *layer) {
  if (!tocha_module_is(layer, class_of("TransformerEncoderLayer")))
    return "encoder_layer was not TransformerEncoderLayer";
  const tocha_module *attention = tocha_module_child_named(layer, "self_attn");
  const tocha_module *activation = tocha_module_child_named(layer, "activation");
  tensor *t = NULL;
  if (tocha_option_flag(layer, "norm_first")) return "encoder_layer.norm_first was True";
  if (!tocha_option_flag(attention, "batch_first"))
    return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference "
           "performance)";
  tocha_module_member(attention, "in_proj_weight", &t, NULL);
  if (!t) return "encoder_layer.self_attn._qkv_same_embed_dim was not True";
  tocha_module_member(attention, "in_proj_bias", &t, NULL);
  if (!t) return "encoder_layer.self_attn was passed bias=False";
  if (activation && !tocha_module_is(activation, class_of("ReLU")) &&
      !tocha_module_is(activation, class_of("GELU")))
    return "encoder_layer.activation_relu_or_gelu was not True";
  if (tocha_option_real(tocha_module_child_named(layer, "norm1"), "eps") !=
      tocha_option_real(tocha_module_child_named(layer, "norm2"), "eps"))
    return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps";
  return tocha_option_int(attention, "num_heads") % 2 ? "encoder_layer.self_attn.num_heads is odd"
                                                      : NULL;
}

bool tocha_module_init_encoder(tocha_context *cx, tocha_module *module) {
  const tocha_module *layer = tocha_module_option(module, "encoder_layer")->value.module;
  const char *why = layer ? why_padding_stays(layer) : NULL;
  tocha_arg *nested = tocha_module_option(module, "enable_nested_tensor");
  if (nested->value.flag && why)
    tocha_warn(cx, "enable_nested_tensor is True, but self.use_nested_tensor is False because %s",
               why);
  nested->value.flag = nested->value.flag && !why;
  return add_stack(cx, module, "encoder_layer");
}

bool tocha_module_init_decoder(tocha_context *cx, tocha_module *module) {
  return add_stack(cx, module, "decoder_layer");
}

/* Returns a stack of `layer`, which is released, with a LayerNorm behind it. */
static tocha_module *stack_of(tocha_context *cx, const tocha_module *module, tocha_module *layer,
                              bool decoder) {
  const int64_t width = tocha_option_int(module, "d_model");
  int64_t count = tocha_option_int(module, decoder ? "num_decoder_layers" : "num_encoder_layers");
  tocha_module *norm =
      tocha_nn_layer_norm(cx, 1, &width, tocha_option_real(module, "layer_norm_eps"), true,
                          tocha_option_flag(module, "bias"), tocha_option_device(cx, module),
                          tocha_option_dtype(cx, module));
  tocha_module *stack = !layer || !norm ? NULL
                        : decoder
                            ? tocha_nn_transformer_decoder(cx, layer, count, norm)
                            : tocha_nn_transformer_encoder(cx, layer, count, norm, true, true);
  tocha_module_release(layer);
  tocha_module_release(norm);
  return stack;
}

static tocha_module *new_layer(tocha_context *cx, const tocha_module *module, bool decoder) {
  return (decoder ? tocha_nn_transformer_decoder_layer : tocha_nn_transformer_encoder_layer)(
      cx, tocha_option_int(module, "d_model"), tocha_option_int(module, "nhead"),
      tocha_option_int(module, "dim_feedforward"), tocha_option_real(module, "dropout"),
      tocha_module_option(module, "activation")->value.string,
      tocha_option_real(module, "layer_norm_eps"), tocha_option_flag(module, "batch_first"),
      tocha_option_flag(module, "norm_first"), tocha_option_flag(module, "bias"),
      tocha_option_device(cx, module), tocha_option_dtype(cx, module));
}

/* Adds the encoder or the decoder: the one given, or one of new layers. */
static bool add_part(tocha_context *cx, tocha_module *module, const char *name, const char *option,
                     bool decoder) {
  tocha_module *custom = tocha_module_option(module, option)->value.module;
  tocha_module *part = custom ? tocha_module_retain(custom)
                              : stack_of(cx, module, new_layer(cx, module, decoder), decoder);
  tocha_module_drop_option(cx, module, option);
  return tocha_module_add_child(cx, module, name, part);
}

bool tocha_module_init_transformer(tocha_context *cx, tocha_module *module) {
  return add_part(cx, module, "encoder", "custom_encoder", false) &&
         add_part(cx, module, "decoder", "custom_decoder", true);
}

bool tocha_module_reset_transformer(tocha_context *cx, tocha_module *module) {
  tocha_named_list list = {0};
  bool ok = tocha_named_parameters(cx, module, "", true, true, &list);
  for (int i = 0; ok && i < list.count; i++)
    if (list.items[i].tensor->ndim > 1)
      ok = tocha_init_xavier_uniform_(cx, list.items[i].tensor, 1, NULL) != NULL;
  tocha_named_list_free(&list);
  return ok;
}

/* --- forward --------------------------------------------------------------------------------- */

/* Calls a layer, or a part of a transformer, which may be a module of the program's: complete
 * arguments for a module of the class, else the tensors among them. */
static tensor *call_part(tocha_context *cx, tocha_module *part, const tocha_module_class *class,
                         int count, const tocha_arg *args) {
  tocha_results results;
  tensor *inputs[TOCHA_MAX_PARAMETERS];
  int given = 0;
  if (tocha_module_is(part, class))
    return tocha_module_call_arguments(cx, part, args, false, &results) ? results.fixed[0] : NULL;
  for (int i = 0; i < count; i++) {
    inputs[i] = args[i].tensor;
    if (inputs[i]) given = i + 1;
  }
  return tocha_module_forward(cx, part, given, inputs);
}

static tocha_arg tensor_arg(tensor *t) { return (tocha_arg){.tensor = t, .given = t != NULL}; }
static tocha_arg flag_arg(bool flag) { return (tocha_arg){.value.flag = flag, .given = true}; }

/* Returns true if the first layer's attention has the batch first. */
static bool batch_first_of(const tocha_module *stack) {
  const tocha_module *list = tocha_module_child_named(stack, "layers");
  const tocha_module *layer = list ? tocha_module_child(list, 0) : NULL;
  const tocha_module *attention = layer ? tocha_module_child_named(layer, "self_attn") : NULL;
  return attention && tocha_option_flag(attention, "batch_first");
}

/* Runs the layers and the norm. args[0] is the input of a layer, and changes. */
static tensor *run_stack(tocha_context *cx, const tocha_module *stack, const char *class_name,
                         int tensors, tocha_arg *args) {
  const tocha_module *list = tocha_module_child_named(stack, "layers");
  for (int i = 0; list && args[0].tensor && i < tocha_module_child_count(list); i++)
    args[0].tensor =
        call_part(cx, tocha_module_child(list, i), class_of(class_name), tensors, args);
  return args[0].tensor;
}

static tensor *normalized(tocha_context *cx, const tocha_module *stack, tensor *x) {
  tocha_module *norm = tocha_module_child_named(stack, "norm");
  return norm && x ? tocha_module_call(cx, norm, x) : x;
}

/* Returns true if gradients are recorded for x or a parameter of the layer. */
static bool records(tocha_context *cx, tocha_module *layer, const tensor *x) {
  tocha_named_list list = {0};
  bool any = tocha_requires_grad(x);
  if (!tocha_grad_enabled(cx)) return false;
  if (!tocha_named_parameters(cx, layer, "", true, true, &list)) return true;
  for (int i = 0; i < list.count; i++) any = any || tocha_requires_grad(list.items[i].tensor);
  tocha_named_list_free(&list);
  return any;
}

/* Returns true if PyTorch would compute only the valid positions, so that the rest of the output is
 * zeros. */
static bool leaves_padding_out(tocha_context *cx, const tocha_module *stack, const tensor *src,
                               const tensor *mask, tensor *padding) {
  const tocha_module *list = tocha_module_child_named(stack, "layers");
  tocha_module *layer = list ? tocha_module_child(list, 0) : NULL;
  bool left_aligned = true;
  if (!layer || !tocha_option_flag(stack, "enable_nested_tensor") || layer->training ||
      src->ndim != 3 || !padding || mask || cx->autocast.active || records(cx, layer, src))
    return false;
  if (!tocha_option_flag(stack, "mask_check")) return true;
  tensor *valid = tocha_eq_full(cx, padding, tocha_number(tocha_int(0)));
  tensor *first =
      tocha_to_dtype(cx, tocha_cumprod(cx, tocha_to_dtype(cx, valid, TOCHA_INT64, false, false), 1),
                     TOCHA_BOOL, false, false);
  return tocha_equal(cx, valid, first, &left_aligned) && left_aligned;
}

bool tocha_module_run_encoder(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                              tocha_results *results) {
  enum { SRC, MASK, PADDING, IS_CAUSAL };
  tensor *src = a[SRC].tensor;
  tensor *padding = tocha_additive_mask(cx, a[PADDING].tensor, src);
  tensor *mask = tocha_additive_mask(cx, a[MASK].tensor, src);
  if (tocha_failed(cx)) return false;
  bool causal = tocha_is_causal_mask(cx, mask, &a[IS_CAUSAL],
                                     tocha_sequence_length(src, batch_first_of(module)));
  tocha_arg args[] = {tensor_arg(src), tensor_arg(mask), tensor_arg(padding), flag_arg(causal)};
  tensor *out = run_stack(cx, module, "TransformerEncoderLayer", 3, args);
  if (out && leaves_padding_out(cx, module, src, mask, padding)) {
    tensor *left = tocha_unsqueeze(cx, tocha_ne_full(cx, padding, tocha_number(tocha_int(0))), -1);
    out = tocha_masked_fill_full(cx, out, left, tocha_number(tocha_int(0)));
  }
  results->fixed[0] = normalized(cx, module, out);
  return results->fixed[0] != NULL;
}

bool tocha_module_run_decoder(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                              tocha_results *results) {
  enum { TGT, MEMORY, MASK, MEMORY_MASK, PADDING, MEMORY_PADDING, IS_CAUSAL, COUNT = 8 };
  tocha_arg args[COUNT];
  int64_t length = tocha_sequence_length(a[TGT].tensor, batch_first_of(module));
  memcpy(args, a, sizeof args);
  args[IS_CAUSAL] = flag_arg(tocha_is_causal_mask(cx, a[MASK].tensor, &a[IS_CAUSAL], length));
  results->fixed[0] =
      normalized(cx, module, run_stack(cx, module, "TransformerDecoderLayer", 6, args));
  return results->fixed[0] != NULL;
}

static bool check_inputs(tocha_context *cx, const tocha_module *module, const tensor *src,
                         const tensor *tgt) {
  int64_t width = tocha_option_int(module, "d_model");
  int batch = tocha_option_flag(module, "batch_first") ? 0 : 1;
  if (src->ndim == 3 && (tgt->ndim != 3 || src->sizes[batch] != tgt->sizes[batch]))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the batch number of src and tgt must be equal");
  if (!src->ndim || !tgt->ndim || src->sizes[src->ndim - 1] != width ||
      tgt->sizes[tgt->ndim - 1] != width)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "the feature number of src and tgt must be equal to d_model");
  return true;
}

bool tocha_module_run_transformer(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                                  tocha_results *results) {
  enum {
    SRC,
    TGT,
    SRC_MASK,
    TGT_MASK,
    MEMORY_MASK,
    SRC_PADDING,
    TGT_PADDING,
    MEMORY_PADDING,
    SRC_IS_CAUSAL,
    TGT_IS_CAUSAL,
    MEMORY_IS_CAUSAL
  };
  tocha_module *encoder = tocha_get_submodule(cx, module, "encoder");
  tocha_module *decoder = tocha_get_submodule(cx, module, "decoder");
  if (!encoder || !decoder || !check_inputs(cx, module, a[SRC].tensor, a[TGT].tensor)) return false;
  const tocha_arg of_encoder[] = {a[SRC], a[SRC_MASK], a[SRC_PADDING], a[SRC_IS_CAUSAL]};
  tensor *memory = call_part(cx, encoder, class_of("TransformerEncoder"), 3, of_encoder);
  if (!memory) return false;
  const tocha_arg of_decoder[] = {a[TGT],           tensor_arg(memory), a[TGT_MASK],
                                  a[MEMORY_MASK],   a[TGT_PADDING],     a[MEMORY_PADDING],
                                  a[TGT_IS_CAUSAL], a[MEMORY_IS_CAUSAL]};
  results->fixed[0] = call_part(cx, decoder, class_of("TransformerDecoder"), 6, of_decoder);
  return results->fixed[0] != NULL;
}

/* attention.c: the members of MultiheadAttention: a joint projection of query, key and value, or
 * three separate ones if their sizes differ. */
#include "nn/construct.h"
#include "nn/functions/attention.h"
#include "tocha/nn/init.h"

/* Adds the output projection: a Linear, under the class name that PyTorch prints for it. */
static bool add_projection(tocha_context *cx, tocha_module *module, int64_t features, bool bias) {
  const tocha_module_class *linear = tocha_find_module_class("Linear");
  const tocha_arg args[] = {
      {.value.integer = features, .given = true},
      {.value.integer = features, .given = true},
      {.value.flag = bias, .given = true},
      {.value.device = tocha_option_device(cx, module), .given = true},
      {.value.dtype = tocha_option_dtype(cx, module), .given = true},
  };
  tocha_module *projection = tocha_module_new(cx, linear, "NonDynamicallyQuantizableLinear");
  bool ok = projection && tocha_module_init(cx, projection, args) &&
            tocha_register_module(cx, module, "out_proj", projection);
  tocha_module_release(projection);
  return ok;
}

bool tocha_module_init_attention(tocha_context *cx, tocha_module *module) {
  int64_t embed = tocha_option_int(module, "embed_dim");
  int64_t kdim = tocha_option_int(module, "kdim"), vdim = tocha_option_int(module, "vdim");
  bool bias = tocha_option_flag(module, "bias"), together = kdim == embed && vdim == embed;
  bool extra = tocha_option_flag(module, "add_bias_kv");
  int64_t all = tocha_wrapping_product(3, embed);
  const int64_t in[2] = {all, embed}, q[2] = {embed, embed}, k[2] = {embed, kdim},
                v[2] = {embed, vdim}, one[3] = {1, 1, embed};
  return tocha_module_add_parameter(cx, module, "in_proj_weight", together, 2, in, NULL) &&
         tocha_module_add_parameter(cx, module, "q_proj_weight", !together, 2, q, NULL) &&
         tocha_module_add_parameter(cx, module, "k_proj_weight", !together, 2, k, NULL) &&
         tocha_module_add_parameter(cx, module, "v_proj_weight", !together, 2, v, NULL) &&
         tocha_module_add_parameter(cx, module, "in_proj_bias", bias, 1, in, NULL) &&
         add_projection(cx, module, embed, bias) &&
         (!extra || (tocha_module_add_parameter(cx, module, "bias_k", true, 3, one, NULL) &&
                     tocha_module_add_parameter(cx, module, "bias_v", true, 3, one, NULL)));
}

bool tocha_module_reset_attention(tocha_context *cx, tocha_module *module) {
  static const char *const weights[] = {"in_proj_weight", "q_proj_weight", "k_proj_weight",
                                        "v_proj_weight"};
  static const char *const extra[] = {"bias_k", "bias_v"};
  tocha_module *projection = NULL;
  tocha_tensor *t = NULL, *bias = NULL;
  for (int i = 0; i < TOCHA_COUNT(weights); i++) {
    if (!tocha_module_find_tensor(cx, module, weights[i], &t)) return false;
    if (t && !tocha_init_xavier_uniform_(cx, t, 1, NULL)) return false;
  }
  tocha_module_member(module, "in_proj_bias", &t, NULL);
  tocha_module_member(module, "out_proj", NULL, &projection);
  if (projection) tocha_module_member(projection, "bias", &bias, NULL);
  if (t && (!tocha_init_zeros_(cx, t) || (bias && !tocha_init_zeros_(cx, bias)))) return false;
  for (int i = 0; i < TOCHA_COUNT(extra); i++)
    if (tocha_module_member(module, extra[i], &t, NULL) == TOCHA_MEMBER_PARAMETER && t &&
        !tocha_init_xavier_normal_(cx, t, 1, NULL))
      return false;
  return true;
}

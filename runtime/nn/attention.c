/* attention.c: the members of MultiheadAttention: a joint projection of query, key and value, or
 * three separate ones if their sizes differ; and its forward. */
#include "nn/construct.h"
#include "nn/functions/attention.h"
#include "tocha/nn/init.h"
#include "tocha/ops/multi_head_attention_forward.h"
#include "tocha/ops/transpose.h"

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
  if (projection && tocha_module_init(cx, projection, args))
    return tocha_module_add_child(cx, module, "out_proj", projection);
  tocha_module_release(projection);
  return false;
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

/* --- forward --------------------------------------------------------------------------------- */

enum { QUERY, KEY, VALUE, KEY_PADDING_MASK, NEED_WEIGHTS, ATTN_MASK, AVERAGE, IS_CAUSAL };

/* Transposes the batch and the steps of the inputs. Inputs that are the same tensor stay the same, so
 * that one product projects them. */
static void transpose_inputs(tocha_context *cx, tocha_tensor *x[3]) {
  const tocha_tensor *query = x[QUERY], *key = x[KEY], *value = x[VALUE];
  x[QUERY] = tocha_transpose(cx, x[QUERY], 0, 1);
  x[KEY] = key == query ? x[QUERY] : tocha_transpose(cx, x[KEY], 0, 1);
  x[VALUE] = value == key ? x[KEY] : tocha_transpose(cx, x[VALUE], 0, 1);
}

/* Returns members that a module may lack: NULL for None and for no member. Returns NULL on failure.
 * found: room for them. */
static tocha_tensor *const *read_weights(tocha_context *cx, tocha_module *module, int count,
                                         const char *const *names, tocha_tensor **found) {
  tocha_tensor *const *before = tocha_found_before(module, names);
  if (before) return before;
  for (int i = 0; i < count; i++) {
    found[i] = NULL;
    if (tocha_module_member(module, names[i], &found[i], NULL) == TOCHA_NO_MEMBER)
      found[i] = tocha_module_computed(cx, module, names[i]);
  }
  if (tocha_failed(cx)) return NULL;
  tocha_note_found(module, names, count, found);
  return found;
}

bool tocha_module_run_attention(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                                tocha_results *results) {
  enum { IN_WEIGHT, IN_BIAS, BIAS_K, BIAS_V, Q_WEIGHT, K_WEIGHT, V_WEIGHT, MEMBERS };
  static const char *const names[] = {"in_proj_weight", "in_proj_bias",  "bias_k",       "bias_v",
                                      "q_proj_weight",  "k_proj_weight", "v_proj_weight"};
  static const char *const of_projection[] = {"weight", "bias"};
  tocha_tensor *found[MEMBERS], *found_out[2], *const *w, *const *out;
  tocha_tensor *x[] = {a[QUERY].tensor, a[KEY].tensor, a[VALUE].tensor};
  tocha_module *projection = tocha_get_submodule(cx, module, "out_proj");
  bool swap = tocha_option_flag(module, "batch_first") && x[QUERY]->ndim == 3;
  if (!projection || !(w = read_weights(cx, module, MEMBERS, names, found)) ||
      !(out = read_weights(cx, projection, 2, of_projection, found_out)))
    return false;
  if (swap) transpose_inputs(cx, x);
  if (!tocha_multi_head_attention_forward(
          cx, x[QUERY], x[KEY], x[VALUE], tocha_option_int(module, "embed_dim"),
          tocha_option_int(module, "num_heads"), w[IN_WEIGHT], w[IN_BIAS], w[BIAS_K], w[BIAS_V],
          tocha_option_flag(module, "add_zero_attn"), tocha_option_real(module, "dropout"), out[0],
          out[1], module->training, a[KEY_PADDING_MASK].tensor, a[NEED_WEIGHTS].value.flag,
          a[ATTN_MASK].tensor, !w[IN_WEIGHT], w[Q_WEIGHT], w[K_WEIGHT], w[V_WEIGHT], NULL, NULL,
          a[AVERAGE].value.flag, a[IS_CAUSAL].value.flag, &results->fixed[0], &results->fixed[1]))
    return false;
  if (swap) results->fixed[0] = tocha_transpose(cx, results->fixed[0], 0, 1);
  if (!a[NEED_WEIGHTS].value.flag) results->fixed[1] = NULL;
  return results->fixed[0] != NULL;
}

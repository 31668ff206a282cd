/* embedding.c: Embedding and EmbeddingBag: the row of zeros, and given tables. */
#include "nn/construct.h"
#include "nn/functions/embedding.h"
#include "tocha/nn/init.h"
#include "tocha/ops/select.h"

/* Makes a negative padding_idx count from the end. Fails if padding_idx is out of range. */
static bool wrap_padding(tocha_context *cx, tocha_module *module) {
  tocha_arg *padding = tocha_module_option(module, "padding_idx");
  int64_t rows = tocha_option_int(module, "num_embeddings");
  if (!padding->given) return true;
  int64_t index = padding->value.integer;
  bool within = index == 0 || (index < 0 ? index >= -rows : index < rows);
  if (!within) {
    bool bag =
        tocha_module_option(module, "include_last_offset") != NULL; /* PyTorch has two spellings */
    tocha_fail(cx, TOCHA_ASSERTION_ERROR, "%cadding_idx must be within num_embeddings",
               bag ? 'p' : 'P');
    return false;
  }
  if (padding->value.integer < 0) padding->value.integer += rows;
  return true;
}

bool tocha_module_init_embedding(tocha_context *cx, tocha_module *module) {
  int64_t sizes[2] = {tocha_option_int(module, "num_embeddings"),
                      tocha_option_int(module, "embedding_dim")};
  tocha_tensor *given = tocha_module_option(module, "_weight")->tensor;
  if (!wrap_padding(cx, module)) return false;
  if (!given) return tocha_module_add_parameter(cx, module, "weight", true, 2, sizes, NULL);
  if (given->ndim != 2 || given->sizes[0] != sizes[0] || given->sizes[1] != sizes[1]) {
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "Shape of weight does not match num_embeddings and embedding_dim");
    return false;
  }
  bool frozen = tocha_option_flag(module, "_freeze");
  return tocha_register_parameter(cx, module, "weight", tocha_parameter_new(cx, given, !frozen));
}

/* Draws the values of the table. The first call, in the constructor, keeps a given table. */
bool tocha_module_reset_embedding(tocha_context *cx, tocha_module *module) {
  const tocha_arg none = {.given = false};
  tocha_arg *given = tocha_module_option(module, "_weight");
  const tocha_arg *padding = tocha_module_option(module, "padding_idx");
  tocha_tensor *weight;
  if (given->tensor)
    return tocha_module_set_option(cx, module, (int)(given - module->options), &none);
  if (!tocha_module_find_tensor(cx, module, "weight", &weight) ||
      !tocha_init_normal_(cx, weight, 0, 1, NULL))
    return false;
  if (!padding->given || !weight->sizes[0]) return true;
  bool recording = tocha_set_grad_enabled(cx, false);
  tocha_tensor *row = tocha_select(cx, weight, 0, padding->value.integer);
  tocha_set_grad_enabled(cx, recording);
  return row && tocha_init_zeros_(cx, row);
}

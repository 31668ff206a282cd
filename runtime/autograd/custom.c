/* custom.c: functions of the host's own in the graph (torch.autograd.Function). */
#include <string.h>

#include "autograd/node.h"

typedef struct custom_node {
  tocha_node node;
  tocha_custom_function function;
  void *user;
  tocha_saved *saved; /* saved[i].tensor NULL with index UINT32_MAX: NULL was saved */
  int saved_count, saved_capacity;
} custom_node;

static const char *custom_name(const tocha_node *node) {
  return ((const custom_node *)node)->function.name;
}

static bool custom_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                         tocha_tensor **out) {
  custom_node *n = (custom_node *)node;
  return n->function.backward(cx, node, n->user, grads, out);
}

static void custom_release_saved(tocha_node *node) {
  custom_node *n = (custom_node *)node;
  for (int i = 0; i < n->saved_count; i++) tocha_saved_release(&n->saved[i]);
  node->freed = true;
}

static void custom_destroy(tocha_node *node) {
  custom_node *n = (custom_node *)node;
  tocha_deallocate(node->context, n->saved, (size_t)n->saved_capacity * sizeof *n->saved);
  if (n->function.free) n->function.free(n->user);
}

static const tocha_node_class custom_class = {.name_of = custom_name,
                                              .apply = custom_apply,
                                              .release_saved = custom_release_saved,
                                              .destroy = custom_destroy};

tocha_node *tocha_custom_node(tocha_context *cx, const tocha_custom_function *function, void *user,
                              int input_count, tocha_tensor *const *inputs, int result_count) {
  if (tocha_failed(cx)) return NULL;
  custom_node *n = (custom_node *)tocha_node_new(cx, &custom_class, sizeof(custom_node),
                                                 input_count, result_count);
  if (!n) return NULL;
  for (int i = 0; i < input_count; i++)
    if (inputs[i] && !tocha_gradient_edge(cx, inputs[i], &n->node.edges[i])) {
      tocha_node_release(&n->node);
      return NULL;
    }
  n->node.sequence = ++cx->next_sequence;
  n->function = *function;
  n->user = user;
  return &n->node;
}

void *tocha_custom_user(tocha_node *node) { return ((custom_node *)node)->user; }

bool tocha_custom_save(tocha_context *cx, tocha_node *node, tocha_tensor *t, int result) {
  custom_node *n = (custom_node *)node;
  if (n->saved_count == n->saved_capacity) {
    int capacity = n->saved_capacity ? 2 * n->saved_capacity : 4;
    tocha_saved *saved = tocha_allocate(cx, (size_t)capacity * sizeof *saved);
    if (!saved) return false;
    if (n->saved_count) memcpy(saved, n->saved, (size_t)n->saved_count * sizeof *saved);
    tocha_deallocate(cx, n->saved, (size_t)n->saved_capacity * sizeof *saved);
    n->saved = saved;
    n->saved_capacity = capacity;
  }
  tocha_saved *s = &n->saved[n->saved_count];
  if (!t) {
    memset(s, 0, sizeof *s);
    s->index = UINT32_MAX;
  } else if (!tocha_save_tensor(node, s, t, result)) {
    tocha_saved_release(s);
    return false;
  }
  n->saved_count++;
  return true;
}

int tocha_custom_saved_count(const tocha_node *node) {
  return ((const custom_node *)node)->saved_count;
}

tocha_tensor *tocha_custom_saved(tocha_context *cx, tocha_node *node, int i) {
  custom_node *n = (custom_node *)node;
  if (i < 0 || i >= n->saved_count) return NULL;
  const tocha_saved *s = &n->saved[i];
  if (!s->tensor && s->index == UINT32_MAX && !node->freed) return NULL;
  return tocha_unsave_tensor(cx, node, s);
}

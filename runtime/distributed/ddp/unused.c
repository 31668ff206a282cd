/* unused.c: which parameters took part in a forward pass: a walk through the graph of its results. */
#include <string.h>

#include "autograd/node.h"
#include "distributed/ddp/reducer.h"

/* The nodes that were met: a table of addresses, whose size is a power of two, and the nodes to visit. */
typedef struct walk {
  tocha_context *cx;
  const tocha_node **table;
  size_t slots, used;
  const tocha_node **todo;
  size_t todo_count, todo_capacity;
} walk;

static size_t slot_of(const tocha_node **table, size_t slots, const tocha_node *node) {
  size_t at = ((uintptr_t)node >> 4) * (size_t)0x9E3779B97F4A7C15u & (slots - 1);
  while (table[at] && table[at] != node) at = (at + 1) & (slots - 1);
  return at;
}

static bool grow_table(walk *w) {
  size_t slots = w->slots ? 2 * w->slots : 256;
  const tocha_node **table = tocha_allocate_zeroed(w->cx, slots * sizeof *table);
  if (!table) return false;
  for (size_t i = 0; i < w->slots; i++)
    if (w->table[i]) table[slot_of(table, slots, w->table[i])] = w->table[i];
  tocha_deallocate(w->cx, w->table, w->slots * sizeof *w->table);
  w->table = table;
  w->slots = slots;
  return true;
}

static bool grow_todo(walk *w) {
  size_t capacity = w->todo_capacity ? 2 * w->todo_capacity : 256;
  const tocha_node **todo = tocha_allocate(w->cx, capacity * sizeof *todo);
  if (!todo) return false;
  if (w->todo_count) memcpy(todo, w->todo, w->todo_count * sizeof *todo);
  tocha_deallocate(w->cx, w->todo, w->todo_capacity * sizeof *w->todo);
  w->todo = todo;
  w->todo_capacity = capacity;
  return true;
}

/* Notes that the node is to be visited, unless it was met before. */
static bool meet(walk *w, const tocha_node *node) {
  if (!node) return true;
  if (2 * w->used >= w->slots && !grow_table(w)) return false;
  size_t at = slot_of(w->table, w->slots, node);
  if (w->table[at]) return true;
  w->table[at] = node;
  w->used++;
  if (w->todo_count == w->todo_capacity && !grow_todo(w)) return false;
  w->todo[w->todo_count++] = node;
  return true;
}

static bool was_met(const walk *w, const tocha_node *node) {
  return node && w->slots && w->table[slot_of(w->table, w->slots, node)] == node;
}

static bool visit_all(walk *w) {
  for (int64_t steps = 1; w->todo_count; steps++) {
    if (steps % 4096 == 0 && tocha_interrupted(w->cx)) return false;
    const tocha_node *node = w->todo[--w->todo_count];
    for (int i = 0; i < node->edge_count; i++)
      if (!meet(w, node->edges[i].node)) return false;
  }
  return true;
}

bool find_parameters_in_graph(tocha_context *cx, tocha_ddp *ddp, int count,
                              tocha_tensor *const *outputs) {
  walk w = {.cx = cx};
  bool ok = true;
  for (int i = 0; ok && i < count; i++) {
    tocha_edge edge = {0};
    ok = !outputs[i] || tocha_gradient_edge(cx, outputs[i], &edge);
    if (!ok || !edge.node) continue;
    ok = meet(&w, edge.node);
    tocha_node_release(edge.node); /* the output keeps it */
  }
  ok = ok && visit_all(&w);
  for (int i = 0; ok && i < ddp->count; i++) {
    const tocha_autograd_meta *meta = ddp->parameters[i].tensor->autograd;
    ddp->parameters[i].in_graph = meta && was_met(&w, meta->accumulator);
  }
  tocha_deallocate(cx, w.table, w.slots * sizeof *w.table);
  tocha_deallocate(cx, w.todo, w.todo_capacity * sizeof *w.todo);
  return ok;
}

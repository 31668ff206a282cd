/* split.c: divides the connections of a group among groups of its ranks. */
#include "device/devices.h"
#include "distributed/channel.h"
#include "distributed/operation.h"

/* Describes the plan to other ranks: the sizes of the first parts, and a digest of all ranks. Returns the part of this rank, -1 if it is in
 * none. */
static int declare(tocha_work *w, int parts, const int *part_sizes, const int *ranks) {
  tocha_intent *i = &w->intent;
  int own = -1;
  i->ndim = (uint8_t)(parts < UINT8_MAX ? parts : UINT8_MAX);
  for (int p = 0, at = 0; p < parts; p++) {
    if (p < TOCHA_INTENT_DIMS) i->sizes[p] = part_sizes[p];
    i->all_sizes = i->all_sizes * 31 + (uint64_t)part_sizes[p];
    for (int end = at + part_sizes[p]; at < end; at++) {
      i->all_sizes = i->all_sizes * 1000003 + (uint64_t)ranks[at];
      if (ranks[at] == w->group->rank) own = p;
    }
  }
  return own;
}

/* Prepares the new group for a part of the parent's channel. Returns false if it has another engine, or with an error. */
static bool takes_part(tocha_context *cx, tocha_process_group *child,
                       const tocha_process_group *parent, tocha_device device) {
  if (!child || !child->backends.engines[TOCHA_CUDA][0]) return false;
  if (tocha_group_engine(cx, child, device) != parent->engines[TOCHA_CUDA]) return false;
  child->gpu = parent->gpu;
  return true;
}

bool tocha_group_split(tocha_context *cx, tocha_process_group *parent, int parts,
                       const int *part_sizes, const int *ranks, tocha_process_group *child) {
  parent = tocha_group_or_default(cx, parent);
  if (!parent) return false;
  tocha_device device = tocha_cuda_device(parent->gpu);
  if (!parent->backends.engines[TOCHA_CUDA][0]) return true;
  const tocha_engine *engine = tocha_group_engine(cx, parent, device);
  if (!engine || !engine->moves_gpu || !engine->split) return engine != NULL;
  if (!tocha_choose_gpu(cx, parent, device)) return false;
  tocha_work *w = tocha_work_new(cx, parent, TOCHA_SPLIT, TOCHA_FORM_SPLIT, device);
  if (!w) return false;
  w->color = declare(w, parts, part_sizes, ranks);
  if (takes_part(cx, child, parent, device))
    w->child = child;
  else
    w->color = -1;
  if (tocha_failed(cx)) return tocha_work_drop(w);
  w = tocha_work_start(cx, w, false);
  tocha_work_free(w);
  return w != NULL;
}

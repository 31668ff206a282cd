/* operation.c: checks the arguments of a group's operations in PyTorch's words, and describes them for the engine. */
#include "distributed/operation.h"

#include "device/devices.h"
#include "distributed/host_copies.h"

#include <string.h>

/* --- checks --------------------------------------------------------------------------------------- */

static bool reduces(tocha_collective kind) {
  return kind == TOCHA_ALL_REDUCE || kind == TOCHA_REDUCE || kind == TOCHA_REDUCE_SCATTER;
}

static bool has_root(tocha_collective kind) {
  return kind == TOCHA_BROADCAST || kind == TOCHA_REDUCE || kind == TOCHA_GATHER ||
         kind == TOCHA_SCATTER;
}

static bool check_root(tocha_context *cx, const tocha_operation *o,
                       const tocha_process_group *group) {
  if (!has_root(o->kind) || (o->root >= 0 && o->root < group->size)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ProcessGroupGloo::%s: invalid root rank: %d",
             tocha_form_short_name(o->form), o->root);
  tocha_hint(cx, "the group has ranks 0 to %d", group->size - 1);
  return false;
}

static bool check_peer(tocha_context *cx, const tocha_operation *o,
                       const tocha_process_group *group) {
  bool sends = o->kind == TOCHA_SEND, receives = o->kind == TOCHA_RECV;
  if (!sends && !receives) return true;
  if (o->root == group->rank) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               sends ? "Invalid destination rank: destination rank should not be the same as the "
                       "rank of the current process."
                     : "Invalid source rank: source rank should not be the same as the rank of "
                       "the current process.");
    return false;
  }
  if (o->root >= (receives ? -1 : 0) && o->root < group->size) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Invalid %s rank: %d", sends ? "destination" : "source",
             o->root);
  tocha_hint(cx, "the group has ranks 0 to %d", group->size - 1);
  return false;
}

static bool check_op(tocha_context *cx, const tocha_operation *o, const tocha_engine *engine) {
  tocha_dtype dtype = o->like ? tocha_dtype_of(o->like) : TOCHA_UINT8;
  if (reduces(o->kind)) {
    if (o->op > TOCHA_REDUCE_PREMUL_SUM)
      return tocha_fail(cx, TOCHA_VALUE_ERROR, "Invalid ReduceOp: %d", (int)o->op);
    bool is_bitwise = o->op >= TOCHA_REDUCE_BAND && o->op <= TOCHA_REDUCE_BXOR;
    if (is_bitwise && tocha_dtype_category(dtype) == TOCHA_CATEGORY_FLOATING)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Cannot use ReduceOp.%s with non-integral dtype",
                        tocha_reduce_op_name((int)o->op));
  }
  if (reduces(o->kind) && o->op == TOCHA_REDUCE_AVG && !tocha_dtype_is_floating(dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "result type Float can't be cast to the desired output type %s",
                      dtype == TOCHA_BOOL ? "Long" : tocha_dtype_scalar_type(dtype));
  if (engine->takes(o->kind, dtype, o->op)) return true;
  if (reduces(o->kind) && engine->takes(o->kind, dtype, TOCHA_REDUCE_SUM)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Cannot use ReduceOp.%s with %c%s",
               tocha_reduce_op_name((int)o->op), engine->name[0] - 'a' + 'A', engine->name + 1);
    return false;
  }
  bool is_narrow = tocha_dtype_is_floating(dtype) && tocha_dtype_size(dtype) == 1;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             is_narrow && engine->moves_gpu ? "Unsupported Float8 type for NCCL reduction"
                                            : "Invalid scalar type");
  tocha_hint(cx, "%s has no %s of torch.%s", engine->name, tocha_form_name(o->form),
             tocha_dtype_name(dtype));
  return false;
}

bool tocha_choose_gpu(tocha_context *cx, tocha_process_group *group, tocha_device device) {
  device = tocha_concrete_device(cx, device);
  if (group->gpu < 0 && !tocha_device_available(cx, device)) return false;
  if (group->gpu < 0) group->gpu = device.index;
  if (group->gpu == device.index) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Tensor found on device cuda:%d but backend constrained to cuda:%d", device.index,
             group->gpu);
  tocha_hint(cx, "a rank has one GPU: call torch.cuda.set_device(LOCAL_RANK), and create tensors "
                 "on \"cuda\"");
  return false;
}

/* Returns the device whose engine serves an operation without tensors. */
static tocha_device default_device(const tocha_process_group *group) {
  tocha_device device = tocha_cpu();
  if (!group->backends.engines[TOCHA_CPU][0])
    device = (tocha_device){TOCHA_CUDA, (int16_t)group->gpu};
  return device;
}

/* Fills in what the other ranks see. Sizes of all_to_all's tensors may differ: its counts are compared. */
static void declare(const tocha_operation *o) {
  tocha_intent *i = &o->work->intent;
  const tocha_tensor *t = o->like;
  i->reduces = reduces(o->kind);
  i->op = i->reduces ? (uint8_t)o->op : 0;
  if (has_root(o->kind)) i->root = o->root;
  i->peer = o->root;
  i->tag = o->tag;
  if (!t) return;
  i->has_tensor = true;
  i->dtype = t->dtype;
  if (o->kind == TOCHA_ALL_TO_ALL) return;
  i->count = t->numel;
  i->ndim = t->ndim;
  for (int d = 0; d < t->ndim; d++) {
    if (d < TOCHA_INTENT_DIMS)
      i->sizes[d] = t->sizes[d];
    else
      i->all_sizes = i->all_sizes * 31 + (uint64_t)t->sizes[d];
  }
}

bool tocha_operation_begin(tocha_context *cx, tocha_operation *o, tocha_process_group *group,
                           tocha_tensor *like) {
  group = tocha_group_or_default(cx, group);
  if (!group) return false;
  if (!like && o->kind != TOCHA_BARRIER)
    return tocha_refuse_none(cx, tocha_form_name(o->form), "tensor", "Tensor");
  if (like && (like->flags & TOCHA_FLAGS_WITHOUT_DATA))
    return tocha_refuse_without_data(cx, like, tocha_form_short_name(o->form));
  tocha_device device = like ? tocha_device_of(like) : default_device(group);
  const tocha_engine *engine = tocha_group_engine(cx, group, device);
  o->like = like;
  if (!engine || !check_root(cx, o, group) || !check_peer(cx, o, group) || !check_op(cx, o, engine))
    return false;
  if (engine->moves_gpu && !tocha_choose_gpu(cx, group, device)) return false;
  o->is_root = o->root == group->rank;
  tocha_work *w = o->work = tocha_work_new(cx, group, o->kind, o->form, device);
  if (!w) return false;
  w->transfer.root = o->root;
  w->transfer.op = o->op;
  w->transfer.separate = o->form == TOCHA_FORM_REDUCE_SCATTER;
  w->transfer.tag = (uint32_t)o->tag;
  w->transfer.factor = group->world->factor;
  w->transfer.dtype = like ? tocha_dtype_of(like) : TOCHA_UINT8;
  w->transfer.count = like ? like->numel : 0;
  declare(o);
  return true;
}

bool tocha_operation_check_member(tocha_context *cx, const tocha_operation *o, tocha_tensor *t) {
  if (!t) return tocha_refuse_none(cx, tocha_form_name(o->form), "tensors", "Tensor");
  if (t->flags & TOCHA_FLAGS_WITHOUT_DATA)
    return tocha_refuse_without_data(cx, t, tocha_form_short_name(o->form));
  if (t->dtype != o->like->dtype)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Invalid usage of tensors with different dtypesFound torch.%s and  torch.%s",
                      tocha_dtype_name(tocha_dtype_of(t)),
                      tocha_dtype_name(tocha_dtype_of(o->like)));
  if (t->device.type == o->like->device.type) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "ProcessGroupGloo::%s: tensors must be on the same device",
                    tocha_form_short_name(o->form));
}

/* Writes "(2, 3)". */
static const char *size_text(const tocha_tensor *t, char text[160]) {
  tocha_shape_text(t->ndim, t->sizes, text, 160);
  size_t length = strlen(text);
  text[0] = '(';
  if (text[length - 1] == ']') text[length - 1] = ')';
  return text;
}

bool tocha_operation_check_list(tocha_context *cx, const tocha_operation *o,
                                tocha_tensor *const *list, const char *role) {
  char expected[160], got[160];
  if (!list) return tocha_refuse_none(cx, tocha_form_name(o->form), role, "list of tensors");
  for (int i = 0; i < o->work->group->size; i++) {
    if (!tocha_operation_check_member(cx, o, list[i])) return false;
    if (tocha_same_sizes(list[i], o->like)) continue;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "ProcessGroupGloo::%s: invalid tensor size at index %d (expected %s, got %s)",
                      tocha_form_short_name(o->form), i, size_text(o->like, expected),
                      size_text(list[i], got));
  }
  return true;
}

bool tocha_operation_check_parts(tocha_context *cx, const tocha_operation *o, tocha_tensor *whole,
                                 tocha_tensor *part, const char *whole_role,
                                 const char *part_role) {
  if (!whole || !part)
    return tocha_refuse_none(cx, tocha_form_name(o->form), whole ? part_role : whole_role,
                             "Tensor");
  if (!tocha_operation_check_member(cx, o, whole) || !tocha_operation_check_member(cx, o, part))
    return false;
  if (whole->numel == part->numel * o->work->group->size) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "%s tensor size must be equal to world_size times %s tensor size", whole_role,
             part_role);
  tocha_hint(cx, "%s has %lld elements, %s %lld, and the group %d ranks", whole_role,
             (long long)whole->numel, part_role, (long long)part->numel, o->work->group->size);
  return false;
}

/* --- memory ---------------------------------------------------------------------------------------- */

/* Says, once, that tensors of a GPU take a detour. */
static void note_copies(tocha_context *cx, tocha_process_group *group) {
  if (group->world->has_noted_copies) return;
  group->world->has_noted_copies = true;
  if (cx->options.log)
    cx->options.log(cx->options.log_user, TOCHA_LOG_NOTE,
                    "tensors of a GPU are copied to the host's memory for the operations of this "
                    "backend, and back");
}

static bool hand_over(tocha_context *cx, tocha_operation *o, int count, tocha_tensor *const *list,
                      tocha_direction direction) {
  tocha_work *w = o->work;
  for (int i = 0; i < count; i++)
    if (!tocha_work_keep(cx, w, list[i])) return false;
  bool reads = direction != TOCHA_OUTPUT;
  bool writes = direction == TOCHA_OUTPUT || direction == TOCHA_IN_PLACE;
  if (count && list[0]->device.type == TOCHA_CUDA) {
    if (w->group->engines[TOCHA_CUDA]->moves_gpu) {
      if (!tocha_find_packed(count, list))
        list = tocha_packed_copies_of(cx, w, count, list, reads, writes);
    } else {
      note_copies(cx, w->group);
      list = tocha_copies_of(cx, w, count, list, reads, writes);
    }
    if (!list) return false;
  }
  void *packed = tocha_stage(cx, &w->staging, count, list, reads, writes);
  if (!packed) return false;
  if (direction != TOCHA_OUTPUT) w->transfer.input = packed;
  if (direction != TOCHA_INPUT) w->transfer.output = packed;
  return true;
}

bool tocha_operation_buffer(tocha_context *cx, tocha_operation *o, tocha_tensor *t,
                            tocha_direction direction) {
  return hand_over(cx, o, 1, &t, direction);
}

bool tocha_operation_list(tocha_context *cx, tocha_operation *o, tocha_tensor *const *list,
                          tocha_direction direction) {
  return hand_over(cx, o, o->work->group->size, list, direction);
}

void *tocha_operation_drop(tocha_operation *o) {
  if (o->work) tocha_work_drop(o->work);
  return NULL;
}

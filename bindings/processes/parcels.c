/* parcels.c: Lua values on their way to another process that runs this program. Tensors are copied. */
#include <stdlib.h>
#include <string.h>

#include "data/parcel.h"
#include "processes/processes.h"
#include "tocha/ops/contiguous.h"

/* Before the bytes of a tensor. */
typedef struct tensor_head {
  uint64_t bytes;
  int64_t sizes[TOCHA_MAX_DIMS];
  int32_t dtype, ndim, uninitialized;
} tensor_head;

/* Adds a shared tensor's head and values. */
static void add_tensor(lua_State *L, luaL_Buffer *b, const tocha_shared *shared) {
  tocha_context *cx = CX(L);
  tensor_head head;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_from_shared(cx, shared);
  memset(&head, 0, sizeof head);
  head.uninitialized = t && tocha_is_uninitialized(t);
  if (t && !head.uninitialized) t = tocha_contiguous(cx, t);
  if (!t) {
    tocha_scope_end(cx, scope, NULL);
    raise_error(L);
    return;
  }
  head.dtype = (int32_t)tocha_dtype_of(t);
  head.ndim = head.uninitialized ? 0 : tocha_ndim(t);
  if (head.ndim) memcpy(head.sizes, tocha_sizes(t), (size_t)head.ndim * sizeof *head.sizes);
  if (!head.uninitialized)
    head.bytes = (uint64_t)tocha_numel(t) * tocha_dtype_size(tocha_dtype_of(t));
  luaL_addlstring(b, (const char *)&head, sizeof head);
  if (head.bytes) luaL_addlstring(b, tocha_data(t), head.bytes);
  tocha_scope_end(cx, scope, NULL);
}

/* pack(labels, ...): returns the values as text for `unpack` in another process. */
static int pack(lua_State *L) {
  const char *labels[8];
  int values = lua_gettop(L) - 1;
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argcheck(L, values <= TOCHA_COUNT(labels), 1, "too many values");
  for (int i = 0; i < values; i++) {
    labels[i] = lua_rawgeti(L, 1, i + 1) == LUA_TSTRING ? lua_tostring(L, -1) : "value";
    lua_pop(L, 1); /* the table keeps the text */
  }
  parcel **kept = push_parcel(L);
  lua_insert(L, 1);
  *kept = pack_for_process(L, 3, labels);
  const parcel *p = *kept;
  uint64_t sizes[2] = {p->size, (uint64_t)p->tensor_count};
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addlstring(&b, (const char *)sizes, sizeof sizes);
  luaL_addlstring(&b, (const char *)p->bytes, p->size);
  for (int i = 0; i < p->tensor_count; i++) add_tensor(L, &b, p->tensors[i]);
  luaL_pushresult(&b);
  return 1;
}

/* A text that is being read. */
typedef struct reader {
  lua_State *L;
  const char *at, *end;
} reader;

static const void *take(reader *r, uint64_t size) {
  if (size > (uint64_t)(r->end - r->at)) luaL_error(r->L, "a parcel ends early");
  const void *taken = r->at;
  r->at += size;
  return taken;
}

/* Makes a tensor of the next head and values. */
static tocha_shared *take_tensor(reader *r) {
  tocha_context *cx = CX(r->L);
  tensor_head head;
  memcpy(&head, take(r, sizeof head), sizeof head);
  const void *values = take(r, head.bytes);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t =
      head.uninitialized
          ? tocha_uninitialized_new(cx, false, false, (tocha_dtype)head.dtype, tocha_cpu())
          : tocha_from_values(cx, values, head.ndim, head.sizes, (tocha_dtype)head.dtype);
  tocha_shared *shared = t ? tocha_share(cx, t) : NULL;
  tocha_scope_end(cx, scope, NULL);
  if (!shared) raise_error(r->L);
  return shared;
}

/* unpack(text): returns the values. */
static int unpack(lua_State *L) {
  size_t size;
  uint64_t sizes[2];
  const char *text = luaL_checklstring(L, 1, &size);
  reader r = {L, text, text + size};
  lua_settop(L, 1);
  parcel **kept = push_parcel(L);
  memcpy(sizes, take(&r, sizeof sizes), sizeof sizes);
  const void *bytes = take(&r, sizes[0]);
  parcel *p = *kept = calloc(1, sizeof *p);
  if (p) {
    p->bytes = malloc(sizes[0] + 1);
    p->tensors = calloc(sizes[1] + 1, sizeof(tocha_shared *));
  }
  if (!p || !p->bytes || !p->tensors)
    return raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
  memcpy(p->bytes, bytes, sizes[0]);
  p->size = sizes[0];
  while ((uint64_t)p->tensor_count < sizes[1]) {
    tocha_shared *shared = take_tensor(&r);
    p->tensors[p->tensor_count++] = shared;
  }
  return unpack_values(L, p);
}

void open_parcels(lua_State *L) {
  static const luaL_Reg functions[] = {{"pack", pack}, {"unpack", unpack}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

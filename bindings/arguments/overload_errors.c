/* overload_errors.c: PyTorch's messages for arguments that fit none of several signatures. */
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

/* Pushes the types of the arguments as PyTorch lists them: "Tensor, str, dim=int". [-0, +1, e] */
static const char *push_received(lua_State *L, int first, int n, int kw) {
  luaL_Buffer b;
  const char *separator = "";
  luaL_buffinit(L, &b);
  for (int i = 0; i < n; i++) {
    luaL_addstring(&b, separator);
    luaL_addstring(&b, python_type(L, first + i));
    separator = ", ";
  }
  luaL_pushresult(&b);
  if (kw) {
    for (const char *name = NULL; (name = next_keyword(L, kw, name));) {
      lua_getfield(L, kw, name);
      const char *said = strcmp(name, "stop") == 0 ? "end" : name; /* `end` is a keyword in Lua */
      lua_pushfstring(L, "%s%s%s=%s", lua_tostring(L, -2), separator, said, python_type(L, -1));
      lua_replace(L, -3);
      lua_pop(L, 1);
      separator = ", ";
    }
    if (n == 0) { /* sic */
      lua_pushliteral(L, ", ");
      lua_concat(L, 2);
    }
  }
  return lua_tostring(L, -1);
}

/* Returns true if the number of arguments suits the overload. If an overload is named after a
 * parameter ("sum.dim", "div.mode" after rounding_mode), that parameter is required. */
static bool plausible(const struct overload *o, int given) {
  const signature *s = &o->signature;
  const char *suffix = o->refused ? NULL : strchr(o->op->name, '.');
  int required = 0;
  for (int i = 0; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    const char *last = strrchr(p->name, '_');
    bool named = suffix && (strncmp(p->name, suffix + 1, strlen(p->name)) == 0 ||
                            (last && strcmp(last + 1, suffix + 1) == 0));
    required += named || is_required(p);
  }
  bool out = o->refused && o->op->flags & TOCHA_OP_OUT; /* PyTorch's overload has out=, too */
  const tocha_parameter *last = s->positional ? &s->parameters[s->positional - 1] : NULL;
  bool open = last && last->variadic && last->kind == TOCHA_KIND_TENSORS; /* not for sizes */
  return given >= required && (open || given <= s->count + out);
}

/* Pushes a signature as PyTorch shows it: "Tensor input, Number alpha = 1". [-0, +1, m] */
static void push_signature(lua_State *L, const struct overload *o) {
  const signature *s = &o->signature;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = s->self_count; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (i > s->self_count) luaL_addstring(&b, ", ");
    if (i == s->positional) luaL_addstring(&b, "*, ");
    luaL_addstring(&b, p->python);
    luaL_addchar(&b, ' ');
    luaL_addstring(&b, public_name(p));
    char text[32];
    const tocha_arg *d = &p->default_value;
    if (i >= o->op->parameter_count && !o->refused) luaL_addstring(&b, " = None"); /* out */
    if (!p->has_default) continue;
    switch (p->kind) {
    case TOCHA_KIND_BOOL:
      snprintf(text, sizeof text, " = %s", d->value.flag ? "True" : "False");
      break;
    case TOCHA_KIND_FLOAT:
      snprintf(text, sizeof text, " = %g", d->value.real);
      break;
    case TOCHA_KIND_SCALAR:
      snprintf(text, sizeof text, " = %g", tocha_scalar_real(d->value.scalar));
      break;
    case TOCHA_KIND_INT:
    case TOCHA_KIND_DIM:
      snprintf(text, sizeof text, " = %lld", (long long)d->value.integer);
      break;
    default:
      text[0] = '\0';
    }
    luaL_addstring(&b, text);
  }
  luaL_pushresult(&b);
}

/* Returns true if PyTorch's errors show one signature of several, of the method if there is a
 * self. */
static bool shows_one(const overloads *o, const tocha_op *op) {
  return op->flags & (o->self_count ? TOCHA_OP_ONE_SHOWN_METHOD : TOCHA_OP_ONE_SHOWN);
}

/* Returns true if PyTorch's errors speak of several signatures, of the method if there is a
 * self. */
static bool is_overloaded(const overloads *o, const tocha_op *op) {
  return op->flags & (o->self_count ? TOCHA_OP_OVERLOADED_METHOD : TOCHA_OP_OVERLOADED);
}

/* Returns true if the entry stands for several signatures of PyTorch's, as far as the number of
 * arguments tells. */
static bool hides_signatures(const overloads *o, const tocha_op *op, int given) {
  if (op->flags & TOCHA_OP_OUT_ALONE && given > op->parameter_count) return false;
  if (!is_overloaded(o, op) || shows_one(o, op)) return false;
  int shown = 0;
  for (int i = 0; i < o->count; i++) shown += !(o->items[i].op->flags & TOCHA_OP_UNLISTED);
  return op->hides && given >= op->hides && (shown == 1 || op->flags & TOCHA_OP_HIDES);
}

/* Replaces the mismatch by that of an unlisted signature if more of its parameters fit: that
 * signature was probably meant. Returns the signature to which the mismatch belongs. */
static const signature *fit_unlisted(lua_State *L, const overloads *o, const signature *s,
                                     const call *c, argument_arena *a, tocha_arg *args,
                                     mismatch *why) {
  for (int i = 0; i < o->count; i++) {
    mismatch other;
    a->used = 0;
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED &&
        !fit_arguments(L, &o->items[i].signature, c, a, args, &other) &&
        other.parameter > why->parameter) {
      *why = other;
      s = &o->items[i].signature;
    }
  }
  return s;
}

/* Returns the hint for a keyword that no overload has: the nearest name, or NULL. */
static const char *near_keyword(lua_State *L, const overloads *o, const call *c) {
  for (const char *name = NULL; c->kw && (name = next_keyword(L, c->kw, name));) {
    nearest near = nearest_to(name);
    bool known = false;
    for (int i = 0; i < o->count; i++)
      for (int k = 0; k < o->items[i].signature.count; k++) {
        const tocha_parameter *p = &o->items[i].signature.parameters[k];
        known = known || is_name_of(L, &o->items[i].signature, p, name, c->kw);
        compare_name(&near, p->name);
      }
    if (!known && near.name) return lua_pushfstring(L, "did you mean '%s'?", near.name);
  }
  return NULL;
}

static int list_signatures(lua_State *L, const overloads *o, const call *c, const tocha_op *op) {
  bool one = shows_one(o, op);
  const char *received = push_received(L, c->first + o->self_count, c->n - o->self_count, c->kw);
  lua_pushfstring(L,
                  "%s() received an invalid combination of arguments - got (%s), but expected %s",
                  o->items[0].signature.function, received, one ? "" : "one of:");
  for (int i = 0; i < (one ? 1 : o->count); i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED) continue;
    push_signature(L, &o->items[i]);
    lua_pushfstring(L, one ? "%s(%s)" : "%s\n * (%s)", lua_tostring(L, -2), lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
  const char *message = lua_tostring(L, -1), *hint = near_keyword(L, o, c);
  if (!hint) hint = call_hint(L, c);
  if (!hint) hint = colon_of_namespace_hint(L);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint ? hint : results_hint(L, c), "%s", message);
}

/* Returns the number of the signature that a call fits furthest, before a value of the wrong kind,
 * or of the first. PyTorch has one signature for all of them. */
static int nearest_signature(lua_State *L, const overloads *o, const call *c, int given,
                             argument_arena *a, tocha_arg *args) {
  int chosen = -1, reached = -1;
  bool any = false;
  mismatch why;
  for (int i = 0; i < o->count; i++) any = any || plausible(&o->items[i], given);
  for (int i = 0; i < o->count; i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED) continue;
    if (any && !plausible(&o->items[i], given)) continue;
    a->used = 0;
    fit_arguments(L, &o->items[i].signature, c, a, args, &why);
    bool kind = why.reason == WRONG_KIND || why.reason == WRONG_ELEMENT;
    if (chosen >= 0 && (!kind || why.parameter <= reached)) continue;
    chosen = i;
    reached = kind ? why.parameter : -1;
  }
  return chosen < 0 ? 0 : chosen;
}

int raise_no_overload(lua_State *L, const overloads *o, const call *c, argument_arena *a,
                      tocha_arg *args) {
  int candidates = 0, chosen = 0, given = c->n + (c->kw ? count_keywords(L, c->kw) : 0);
  mismatch why;
  for (int i = 0; i < o->count; i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED || !plausible(&o->items[i], given)) continue;
    candidates++;
    chosen = i;
  }
  if (o->items[0].signature.python || !is_overloaded(o, o->items[chosen].op))
    chosen = nearest_signature(L, o, c, given, a, args);
  const tocha_op *op = o->items[chosen].op;
  const signature *s = &o->items[chosen].signature;
  if (candidates == 1 && hides_signatures(o, op, given)) candidates++;
  a->used = 0;
  fit_arguments(L, s, c, a, args, &why);
  s = fit_unlisted(L, o, s, c, a, args, &why);
  if (s->python) {
    complain_as_python(L, s, c);
    complain_of_use(L, s, &why);
    complain_of_nil(L, s, &why, args);
  }
  bool began = why.reason == WRONG_KIND && why.element > 0; /* a size, spelled out: rand(2, "x") */
  if (candidates == 1 || !is_overloaded(o, op) || began) return raise_mismatch(L, s, c, &why);
  return list_signatures(L, o, c, op);
}

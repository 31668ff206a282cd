/* matching.c: string.find, match, gmatch and gsub of a sandbox. */
#include "sandbox/pattern.h"

#include <string.h>

/* Returns the offset of a position of Lua's, from 0; a negative one counts from the end. */
static size_t offset_of(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position - 1;
  if (position == 0 || position < -(lua_Integer)length) return 0;
  return length - (size_t)(-position);
}

static bool is_special(char c) { return c && strchr("^$*+?.([%-", c); }

/* Returns true if a pattern has no special character. */
static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (is_special(pattern[i])) return false;
  return true;
}

/* Returns where `wanted` begins in the subject, from `at` on, or NULL. */
static const char *find_text(pattern_match *m, const char *at, const char *wanted, size_t length) {
  if (length == 0) return at;
  for (; (size_t)(m->end - at) >= length; at++) {
    at = memchr(at, *wanted, (size_t)(m->end - at) - length + 1);
    if (!at) return NULL;
    count_steps(m, 1 + (unsigned)(length / 64));
    if (memcmp(at, wanted, length) == 0) return at;
  }
  return NULL;
}

/* Returns the character with which every match begins, or -1 if there is none. */
static int first_character(const pattern_match *m) {
  ptrdiff_t length = m->pattern_end - m->pattern;
  if (length == 0 || is_special(m->pattern[0]) || m->pattern[0] == ')') return -1;
  bool may_lack = length > 1 && m->pattern[1] && strchr("*?-", m->pattern[1]);
  return may_lack ? -1 : (unsigned char)m->pattern[0];
}

/* Finds the first match from `at` on. Returns its start and writes its end, or returns NULL. */
static const char *find_match(pattern_match *m, const char *at, bool anchored, const char **end) {
  int first = anchored ? -1 : first_character(m);
  do {
    count_steps(m, 1);
    if (first >= 0 && !(at = memchr(at, first, (size_t)(m->end - at)))) return NULL;
    *end = match_at(m, at);
    if (*end) return at;
  } while (at++ < m->end && !anchored);
  return NULL;
}

/* (text, pattern, init, plain) Does the work of find and match. */
static int find_first(lua_State *L, bool find) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length), *end;
  size_t init = offset_of(luaL_optinteger(L, 3, 1), length);
  pattern_match m;
  if (init > length) {
    luaL_pushfail(L);
    return 1;
  }
  bool plain = find && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length));
  bool anchored = !plain && pattern_length > 0 && *pattern == '^';
  begin_pattern(&m, L, sandbox_of(L), text, length, pattern + anchored, pattern_length - anchored);
  m.count = 0;
  const char *start = plain ? find_text(&m, text + init, pattern, pattern_length)
                            : find_match(&m, text + init, anchored, &end);
  if (!start) {
    luaL_pushfail(L);
    return 1;
  }
  if (plain) end = start + pattern_length;
  if (!find) return push_captures(&m, start, end);
  lua_pushinteger(L, start - text + 1);
  lua_pushinteger(L, end - text);
  return 2 + push_captures(&m, NULL, NULL);
}

static int find(lua_State *L) { return find_first(L, true); }
static int match(lua_State *L) { return find_first(L, false); }

/* --- gmatch ------------------------------------------------------------------------------------------------ */

typedef struct search {
  size_t at;
  ptrdiff_t
      last_end; /* of the last match, -1: none. An empty match does not follow a match at its end */
} search;

/* The iterator. Upvalues: sandbox, text, pattern, search. */
static int next_match(lua_State *L) {
  size_t length, pattern_length;
  const char *text = lua_tolstring(L, lua_upvalueindex(2), &length);
  const char *pattern = lua_tolstring(L, lua_upvalueindex(3), &pattern_length);
  search *g = lua_touserdata(L, lua_upvalueindex(4));
  pattern_match m;
  begin_pattern(&m, L, sandbox_of(L), text, length, pattern, pattern_length);
  for (; g->at <= length; g->at++) {
    count_steps(&m, 1);
    const char *start = text + g->at, *end = match_at(&m, start);
    if (!end || end - text == g->last_end) continue;
    g->at = (size_t)(end - text);
    g->last_end = end - text;
    return push_captures(&m, start, end);
  }
  return 0;
}

/* (text, pattern, init) */
static int gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  size_t init = offset_of(luaL_optinteger(L, 3, 1), length);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  search *g = lua_newuserdatauv(L, sizeof *g, 0);
  *g = (search){init > length ? length + 1 : init, -1};
  lua_pushcclosure(L, next_match, 4);
  return 1;
}

/* --- gsub --------------------------------------------------------------------------------------------------- */

/* Adds the replacement's text, in which %1 is a capture and %0 the whole match. */
static void add_template(pattern_match *m, luaL_Buffer *b, const char *start, const char *end) {
  lua_State *L = m->L;
  size_t length;
  const char *text = lua_tolstring(L, 3, &length), *stop = text + length;
  for (const char *sign; (sign = memchr(text, '%', (size_t)(stop - text))) != NULL;
       text = sign + 2) {
    luaL_addlstring(b, text, (size_t)(sign - text));
    char kind = sign + 1 < stop ? sign[1] : '\0';
    if (kind == '%') {
      luaL_addchar(b, '%');
    } else if (kind == '0') {
      luaL_addlstring(b, start, (size_t)(end - start));
    } else if (kind >= '1' && kind <= '9') {
      push_capture(m, kind - '1', start, end);
      luaL_tolstring(L, -1, NULL); /* a position is a number */
      lua_remove(L, -2);
      luaL_addvalue(b);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
  luaL_addlstring(b, text, (size_t)(stop - text));
}

/* Adds what replaces a match. Returns false if the match stays as it is. */
static bool add_replacement(pattern_match *m, luaL_Buffer *b, const char *start, const char *end) {
  lua_State *L = m->L;
  int type = lua_type(L, 3);
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(m, start, end), 1);
  } else if (type == LUA_TTABLE) {
    push_capture(m, 0, start, end);
    lua_gettable(L, 3);
  } else {
    add_template(m, b, start, end);
    return true;
  }
  if (lua_toboolean(L, -1)) {
    if (!lua_isstring(L, -1))
      luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(b);
    return true;
  }
  lua_pop(L, 1);
  luaL_addlstring(b, start, (size_t)(end - start));
  return false;
}

/* (text, pattern, replacement, n) */
static int gsub(lua_State *L) {
  size_t length, pattern_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  int type = lua_type(L, 3);
  luaL_argexpected(
      L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
      3, "string/function/table");
  lua_Integer limit = luaL_optinteger(L, 4, (lua_Integer)length + 1), count = 0;
  bool anchored = pattern_length > 0 && *pattern == '^', changed = false;
  const char *at = text, *stop = text + length, *last_end = NULL;
  pattern_match m;
  luaL_Buffer b;
  begin_pattern(&m, L, sandbox_of(L), text, length, pattern + anchored, pattern_length - anchored);
  luaL_buffinit(L, &b);
  while (count < limit) {
    const char *end = match_at(&m, at);
    if (end && end != last_end) {
      count++;
      changed |= add_replacement(&m, &b, at, end);
      at = last_end = end;
    } else if (at < stop) {
      luaL_addchar(&b, *at++);
    } else {
      break;
    }
    if (anchored) break;
  }
  if (changed) {
    luaL_addlstring(&b, at, (size_t)(stop - at));
    luaL_pushresult(&b);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

void open_sandbox_matching(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL}};
  set_sandbox_functions(L, functions);
}

/* pattern.c: matches one pattern at one place.
 *
 * An item is a single character, a class (%a), a set ([...]) or ".", with the sign after it that says
 * how often it occurs. */
#include "sandbox/pattern.h"

#include <ctype.h>
#include <string.h>

/* OPEN: a capture whose end has not been reached; POSITION: "()". */
enum { OPEN = -1, POSITION = -2 };
/* Nested matches, as many as in Lua's own. */
enum { DEPTH = 200 };

void begin_pattern(pattern_match *m, lua_State *L, sandbox *s, const char *subject, size_t length,
                   const char *pattern, size_t pattern_length) {
  m->L = L;
  m->s = s;
  m->subject = subject;
  m->end = subject + length;
  m->pattern = pattern;
  m->pattern_end = pattern + pattern_length;
  m->steps = 0;
}

/* --- one character -------------------------------------------------------------------------------------- */

/* Returns true if c is in the class that a letter names, or is the sign that is not a letter. */
static bool in_class(int c, int letter) {
  bool found;
  switch (tolower(letter)) {
  case 'a':
    found = isalpha(c);
    break;
  case 'c':
    found = iscntrl(c);
    break;
  case 'd':
    found = isdigit(c);
    break;
  case 'g':
    found = isgraph(c);
    break;
  case 'l':
    found = islower(c);
    break;
  case 'p':
    found = ispunct(c);
    break;
  case 's':
    found = isspace(c);
    break;
  case 'u':
    found = isupper(c);
    break;
  case 'w':
    found = isalnum(c);
    break;
  case 'x':
    found = isxdigit(c);
    break;
  default:
    return letter == c;
  }
  return isupper(letter) ? !found : found;
}

/* Returns the end of the item that begins at p, without its sign. */
static const char *item_end(pattern_match *m, const char *p) {
  if (*p == '%') {
    if (p + 1 == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 2;
  }
  if (*p != '[') return p + 1;
  p += p + 1 < m->pattern_end && p[1] == '^' ? 2 : 1;
  bool first = true; /* a "]" that comes first is one of the set */
  for (; p < m->pattern_end && (first || *p != ']'); first = false)
    p += *p == '%' && p + 1 < m->pattern_end ? 2 : 1;
  if (p >= m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
  return p + 1;
}

/* Returns true if c is in the set from "[" to "]". */
static bool in_set(int c, const char *set, const char *last) {
  bool excludes = set[1] == '^';
  for (const char *p = set + (excludes ? 2 : 1); p < last; p++) {
    bool is_range = p + 2 < last && p[1] == '-' && *p != '%';
    if (*p == '%') {
      if (in_class(c, (unsigned char)*++p)) return !excludes;
    } else if (is_range) {
      if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2]) return !excludes;
      p += 2;
    } else if ((unsigned char)*p == c) {
      return !excludes;
    }
  }
  return excludes;
}

/* Returns true if the item from p to `end` takes the character at `at`. */
static inline bool takes(const pattern_match *m, const char *at, const char *p, const char *end) {
  if (at >= m->end) return false;
  int c = (unsigned char)*at;
  switch (*p) {
  case '.':
    return true;
  case '%':
    return in_class(c, (unsigned char)p[1]);
  case '[':
    return in_set(c, p, end - 1);
  default:
    return (unsigned char)*p == c;
  }
}

/* --- captures --------------------------------------------------------------------------------------------- */

static const char *match(pattern_match *m, const char *at, const char *p);

static const char *open_capture(pattern_match *m, const char *at, const char *p) {
  bool position = p + 1 < m->pattern_end && p[1] == ')';
  if (m->count >= MAX_CAPTURES) luaL_error(m->L, "too many captures");
  m->captures[m->count].start = at;
  m->captures[m->count].length = position ? POSITION : OPEN;
  m->count++;
  const char *end = match(m, at, p + (position ? 2 : 1));
  if (!end) m->count--;
  return end;
}

static const char *close_capture(pattern_match *m, const char *at, const char *p) {
  int last = m->count - 1;
  while (last >= 0 && m->captures[last].length != OPEN) last--;
  if (last < 0) luaL_error(m->L, "invalid pattern capture");
  m->captures[last].length = at - m->captures[last].start;
  const char *end = match(m, at, p + 1);
  if (!end) m->captures[last].length = OPEN;
  return end;
}

/* Returns the end of the text that capture `digit` repeats at `at`, or NULL. */
static const char *match_repeated(pattern_match *m, const char *at, int digit) {
  int index = digit - '1';
  if (index < 0 || index >= m->count || m->captures[index].length == OPEN)
    luaL_error(m->L, "invalid capture index %%%d", index + 1);
  ptrdiff_t length = m->captures[index].length;
  if (length < 0 || m->end - at < length) return NULL; /* a position repeats nothing */
  count_steps(m, 1 + (unsigned)(length / 64));
  return memcmp(m->captures[index].start, at, (size_t)length) == 0 ? at + length : NULL;
}

void push_capture(pattern_match *m, int index, const char *start, const char *end) {
  if (index >= m->count) {
    if (index != 0) luaL_error(m->L, "invalid capture index %%%d", index + 1);
    lua_pushlstring(m->L, start, (size_t)(end - start));
    return;
  }
  ptrdiff_t length = m->captures[index].length;
  if (length == OPEN) luaL_error(m->L, "unfinished capture");
  if (length == POSITION)
    lua_pushinteger(m->L, m->captures[index].start - m->subject + 1);
  else
    lua_pushlstring(m->L, m->captures[index].start, (size_t)length);
}

int push_captures(pattern_match *m, const char *start, const char *end) {
  int count = m->count == 0 && start ? 1 : m->count;
  luaL_checkstack(m->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(m, i, start, end);
  return count;
}

/* --- items ------------------------------------------------------------------------------------------------- */

/* Returns the end of a text with balanced characters p[0] and p[1], or NULL. */
static const char *match_balanced(pattern_match *m, const char *at, const char *p) {
  if (p + 1 >= m->pattern_end) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  if (at >= m->end || *at != p[0]) return NULL;
  int64_t level = 1;
  for (const char *c = at + 1; c < m->end; c++) {
    count_steps(m, 1);
    if (*c == p[1]) {
      if (--level == 0) return c + 1;
    } else if (*c == p[0]) {
      level++;
    }
  }
  return NULL;
}

/* Returns true if the set after "%f" begins to hold at `at`. `*p` moves behind the set. */
static bool is_frontier(pattern_match *m, const char *at, const char **p) {
  const char *set = *p;
  if (set >= m->pattern_end || *set != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
  *p = item_end(m, set);
  int before = at == m->subject ? '\0' : (unsigned char)at[-1];
  int here = at == m->end ? '\0' : (unsigned char)*at;
  return !in_set(before, set, *p - 1) && in_set(here, set, *p - 1);
}

/* Matches as many as possible of the item, at least `least`, and then the rest. */
static const char *match_longest(pattern_match *m, const char *at, const char *p, const char *end,
                                 int least) {
  ptrdiff_t count = 0;
  while (takes(m, at + count, p, end)) {
    count++;
    count_steps(m, 1);
  }
  for (; count >= least; count--) {
    count_steps(m, 1);
    const char *whole = match(m, at + count, end + 1);
    if (whole) return whole;
  }
  return NULL;
}

/* Matches as few as possible of the item, and then the rest. */
static const char *match_shortest(pattern_match *m, const char *at, const char *p,
                                  const char *end) {
  for (;; at++) {
    count_steps(m, 1);
    const char *whole = match(m, at, end + 1);
    if (whole) return whole;
    if (!takes(m, at, p, end)) return NULL;
  }
}

/* Matches what begins with "%b", "%f" or a digit. Returns false if p is an ordinary item. Otherwise
 * moves `*p` behind it, and `*at` behind what it matched, or sets `*at` to NULL. */
static bool match_special(pattern_match *m, const char **at, const char **p) {
  if (**p != '%' || *p + 1 >= m->pattern_end) return false;
  char kind = (*p)[1];
  if (kind == 'b') {
    *at = match_balanced(m, *at, *p + 2);
    *p += 4;
  } else if (kind == 'f') {
    *p += 2;
    if (!is_frontier(m, *at, p)) *at = NULL;
  } else if (isdigit((unsigned char)kind)) {
    *at = match_repeated(m, *at, kind);
    *p += 2;
  } else {
    return false;
  }
  return true;
}

/* Matches the pattern from p on. Items that leave no choice are matched in this loop. */
static const char *match_items(pattern_match *m, const char *at, const char *p) {
  while (at && p < m->pattern_end) {
    if (*p == '(') return open_capture(m, at, p);
    if (*p == ')') return close_capture(m, at, p);
    if (*p == '$' && p + 1 == m->pattern_end) return at == m->end ? at : NULL;
    if (match_special(m, &at, &p)) continue;
    const char *end = item_end(m, p);
    char sign = end < m->pattern_end ? *end : '\0';
    if (sign == '*' || sign == '+') return match_longest(m, at, p, end, sign == '+');
    if (sign == '-') return match_shortest(m, at, p, end);
    bool taken = takes(m, at, p, end);
    if (sign == '?') {
      const char *whole = taken ? match(m, at + 1, end + 1) : NULL;
      if (whole) return whole;
      end++;
    } else if (!taken) {
      return NULL;
    } else {
      at++;
    }
    p = end;
  }
  return at;
}

static const char *match(pattern_match *m, const char *at, const char *p) {
  if (m->depth-- == 0) luaL_error(m->L, "pattern too complex");
  count_steps(m, 1);
  const char *end = match_items(m, at, p);
  m->depth++;
  return end;
}

const char *match_at(pattern_match *m, const char *at) {
  m->count = 0;
  m->depth = DEPTH - 1;
  return match_items(m, at, m->pattern);
}

/* pattern.h: Lua's patterns, matched step by step, so that a match that would take for ever is ended
 * by a limit. Lua's own never returns to its machine, and no hook reaches it. */
#ifndef TOCHA_BINDING_PATTERN_H
#define TOCHA_BINDING_PATTERN_H

#include "sandbox/sandbox.h"

enum { MAX_CAPTURES = 32, MAX_STEPS = 16384 };

typedef struct pattern_match {
  lua_State *L;
  sandbox *s;
  const char *subject, *end;         /* the text */
  const char *pattern, *pattern_end; /* without the "^" that anchors it */
  int depth;                         /* nested calls that are left */
  unsigned steps;                    /* since the sandbox was asked */
  int count;                         /* captures */
  struct {
    const char *start;
    ptrdiff_t length; /* or one of the numbers of pattern.c */
  } captures[MAX_CAPTURES];
} pattern_match;

void begin_pattern(pattern_match *m, lua_State *L, sandbox *s, const char *subject, size_t length,
                   const char *pattern, size_t pattern_length);
/* Matches the pattern at `at`, and returns the end of the match, or NULL. [-0, +0, e] */
const char *match_at(pattern_match *m, const char *at);
/* Pushes capture `index`, from 0; the whole match from `start` to `end` if the pattern has none.
 * [-0, +1, e] */
void push_capture(pattern_match *m, int index, const char *start, const char *end);
/* Pushes all captures and returns their number. `start`: the whole match if there are none, or NULL.
 * [-0, +n, e] */
int push_captures(pattern_match *m, const char *start, const char *end);
/* Counts steps, and asks the sandbox after MAX_STEPS of them, about 50 microseconds. */
static inline void count_steps(pattern_match *m, unsigned steps) {
  m->steps += steps;
  if (m->steps < MAX_STEPS) return;
  spend(m->L, m->s, m->steps);
  m->steps = 0;
}

#endif

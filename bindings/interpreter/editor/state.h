/* state.h: the state of an editor, for the files with the actions of keys: actions.c,
 * history_keys.c, completion.c. */
#ifndef TOCHA_EDITOR_STATE_H
#define TOCHA_EDITOR_STATE_H

#include "interpreter/editor/editor.h"
#include "interpreter/editor/history.h"
#include "interpreter/editor/keys.h"
#include "interpreter/editor/screen.h"
#include "platform/platform.h"

enum {
  CTRL_C = 3,
  CTRL_D = 4,
  CTRL_G = 7,
  TAB = 9,
  CTRL_Q = 17,
  CTRL_R = 18,
  CTRL_S = 19,
  CTRL_Y = 25,
  ESCAPE = 27,
  BACKSPACE = 127
};

struct editor {
  keys keys;
  screen screen;
  text_buffer text;
  history history;
  editor_language language;
  platform_terminal before;
  const char *prompt, *continuation;
  bytes prefill, search_prompt, styles;
  bool done;
  editor_result result;
  /* looking through the history */
  bool looking;
  size_t entry, prefix;
  bytes draft;
  /* the rest of the newest entry that begins with the text, a part of `history` until the next
   * key; NULL: none */
  const char *suggestion;
  size_t suggestion_length;
  /* searching the history */
  bool searching;
  bytes query, origin;
};

typedef void key_action(editor *e);

/* --- editor.c ---------------------------------------------------------------------------------- */

/* Moves the cursor below the text. */
void editor_leave(editor *e);
/* editor_pause gives the terminal to another program. editor_resume takes it back. */
void editor_pause(editor *e);
void editor_resume(editor *e);

/* --- actions.c --------------------------------------------------------------------------------- */

/* Returns the action of a key, or NULL for a character or an unknown key. */
key_action *editor_action(key k);
/* Returns true if consecutive edits of this action are undone together. */
bool editor_joins(key_action *a);
void editor_insert_spaces(editor *e, int count);

/* --- history_keys.c ---------------------------------------------------------------------------- */

key_action editor_up, editor_down, editor_older, editor_newer, editor_last_word, editor_search;
/* Handles a key of a search. Returns false for a key that ends the search and keeps its own
 * action. */
bool editor_search_key(editor *e, key k);

/* --- suggestion.c ------------------------------------------------------------------------------ */

/* Looks for a suggestion to show behind the text. */
void editor_suggest(editor *e);
/* Inserts the suggestion, or only its first word, at the end of the text. Returns false if there is
 * none. */
bool editor_accept(editor *e, bool word);

/* --- completion.c ------------------------------------------------------------------------------ */

key_action editor_complete;

#endif

/* editor.c: the terminal's modes, and the loop that handles keys. */
#include <stdlib.h>
#include <string.h>

#include "interpreter/editor/state.h"

/* --- the terminal --------------------------------------------------------------------------------------- */

bool editor_can_run(int in, int out) {
  const char *terminal = getenv("TERM");
  return platform_is_terminal(in) && platform_is_terminal(out) && terminal && terminal[0] &&
         strcmp(terminal, "dumb") != 0;
}

/* Makes keys arrive one by one, Ctrl-C as a key, and pasted text in brackets. Returns false if
 * the terminal refuses. */
static bool enter_raw_mode(editor *e) {
  if (!platform_enter_mode(e->keys.file, PLATFORM_KEYS, &e->before)) return false;
  platform_watch_window(true);
  screen_write(&e->screen, "\033[?2004h", 8);
  return true;
}

static void leave_raw_mode(editor *e) {
  platform_leave_mode(e->keys.file, PLATFORM_KEYS, &e->before);
  platform_watch_window(false);
}

/* --- drawing -------------------------------------------------------------------------------------------- */

enum { MAX_STYLED = 1 << 16 /* bytes: longer text has no colours while it is typed */ };

static view view_of(editor *e) {
  view v = {.prompt = e->prompt,
            .continuation = e->continuation,
            .text = e->text.content.data,
            .length = e->text.content.length,
            .cursor = e->text.cursor,
            .suggestion_length = e->suggestion_length};
  if (e->suggestion) { /* only its first line */
    const char *end = memchr(e->suggestion, '\n', e->suggestion_length);
    v.suggestion = e->suggestion;
    if (end) v.suggestion_length = (size_t)(end - e->suggestion);
  }
  if (e->searching && e->search_prompt.data) v.prompt = e->search_prompt.data;
  if (!e->screen.colours || v.length == 0 || v.length > MAX_STYLED) return v;
  e->styles.length = 0;
  if (!bytes_add(&e->styles, v.text, v.length)) return v; /* only for the memory */
  memset(e->styles.data, STYLE_PLAIN, v.length);
  size_t cursor = e->done ? v.length + 1 : v.cursor;
  if (e->language.highlight(e->language.context, v.text, v.length, cursor,
                            (unsigned char *)e->styles.data))
    v.styles = (const unsigned char *)e->styles.data;
  return v;
}

static void draw(editor *e) {
  view v = view_of(e);
  screen_draw(&e->screen, &v);
}

/* Moves the cursor below the text. Brackets around pasted text are on only while a text is
 * edited. */
void editor_leave(editor *e) {
  e->suggestion = NULL;
  view v = view_of(e);
  screen_write(&e->screen, "\033[?2004l", 8);
  screen_leave(&e->screen, &v);
}

/* --- keys --------------------------------------------------------------------------- */

static void do_key(editor *e, key k) {
  char data[4];
  key_action *a = editor_action(k);
  if (e->searching && editor_search_key(e, k)) return;
  if (a != editor_up && a != editor_down && a != editor_older && a != editor_newer)
    e->looking = false;
  if (k != CTRL_Y && k != ('y' | KEY_ALT)) e->text.yanked = -1;
  if (a)
    a(e);
  else if (k >= ' ' && k < 0x110000 && k != BACKSPACE)
    text_insert(&e->text, data, text_encode(k, data), EDIT_TYPING);
  if (a && !editor_joins(a)) text_break(&e->text);
  e->suggestion = NULL; /* the suggestion was for the text before this key */
}

void editor_pause(editor *e) {
  editor_leave(e);
  leave_raw_mode(e);
}

void editor_resume(editor *e) { enter_raw_mode(e); }

/* --- an entry ------------------------------------------------------------------------------------------------ */

static void begin(editor *e, const char *prompt, const char *continuation) {
  e->prompt = prompt;
  e->continuation = continuation;
  e->done = e->looking = e->searching = false;
  e->suggestion = NULL;
  e->screen.cursor_row = e->screen.first = 0;
  text_set(&e->text, e->prefill.data ? e->prefill.data : "", e->prefill.length);
  e->prefill.length = 0;
  screen_measure(&e->screen);
}

editor_result editor_read(editor *e, const char *prompt, const char *continuation,
                          const char **text, size_t *length) {
  begin(e, prompt, continuation);
  if (!enter_raw_mode(e)) return EDITOR_END;
  draw(e);
  while (!e->done) {
    key k = keys_next(&e->keys);
    if (k == KEY_CLOSED) {
      e->result = EDITOR_END;
      break;
    }
    if (k == KEY_RESIZE) {
      view v = view_of(e);
      screen_resize(&e->screen, &v);
    } else {
      do_key(e, k);
    }
    if (e->done || (k != KEY_RESIZE && keys_pending(&e->keys))) continue;
    editor_suggest(e);
    draw(e);
  }
  editor_leave(e);
  leave_raw_mode(e);
  *text = e->text.content.data;
  *length = e->text.content.length;
  if (e->result == EDITOR_ENTRY) history_add(&e->history, *text, *length);
  return e->result;
}

/* --- opening and closing ----------------------------------------------------------------------------------- */

editor *editor_open(int in, int out, const editor_language *language) {
  editor *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  const char *no_color = getenv("NO_COLOR");
  e->keys.file = in;
  e->screen.file = out;
  e->screen.colours = !no_color || !no_color[0];
  e->language = *language;
  history_open(&e->history);
  return e;
}

void editor_close(editor *e) {
  if (!e) return;
  text_free(&e->text);
  history_close(&e->history);
  bytes *all[] = {&e->keys.pasted, &e->screen.out, &e->prefill, &e->search_prompt,
                  &e->styles,      &e->draft,      &e->query,   &e->origin};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) bytes_free(all[i]);
  free(e);
}

void editor_prefill(editor *e, const char *text, size_t length) {
  e->prefill.length = 0;
  bytes_add(&e->prefill, text, length);
}

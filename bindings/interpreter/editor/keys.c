/* keys.c: a terminal's bytes as keys: UTF-8, the sequences of xterm and similar terminals,
 * bracketed paste. */
#include "interpreter/editor/keys.h"

#include <errno.h>
#include <string.h>

#include "platform/platform.h"

enum { ESCAPE = 27, ESCAPE_WAIT = 100 /* milliseconds: slow lines send a sequence in parts */ };
enum { CLOSED = -1, RESIZED = -2, NOTHING = -3 };

/* Returns the next byte. `wait` is in milliseconds, or -1 for no limit. */
static int next_byte(keys *k, int wait) {
  if (k->begin == k->end) {
    if (wait >= 0 && !platform_wait_for_input(k->file, wait)) return NOTHING;
    int64_t n = platform_read(k->file, k->buffer, sizeof k->buffer);
    if (n < 0 && errno == EINTR) return RESIZED;
    if (n <= 0) return CLOSED;
    k->begin = 0;
    k->end = (size_t)n;
  }
  return k->buffer[k->begin++];
}

bool keys_pending(keys *k) { return k->begin < k->end || platform_wait_for_input(k->file, 0); }

/* --- sequences --------------------------------------------------------------------------------------------- */

static key with_modifiers(key named, int modifiers) {
  int bits = modifiers > 0 ? modifiers - 1 : 0;
  if (bits & 2) named |= KEY_ALT;
  if (bits & 4) named |= KEY_CTRL;
  return named;
}

static key letter_key(int final, int modifiers) {
  static const struct {
    char letter;
    key named;
  } all[] = {{'A', KEY_UP},   {'B', KEY_DOWN}, {'C', KEY_RIGHT},   {'D', KEY_LEFT},
             {'H', KEY_HOME}, {'F', KEY_END},  {'Z', KEY_BACK_TAB}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].letter == final) return with_modifiers(all[i].named, modifiers);
  return KEY_NONE;
}

static key numbered_key(int number, int modifiers) {
  static const key all[] = {KEY_NONE,    KEY_HOME,      KEY_NONE, KEY_DELETE, KEY_END,
                            KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END};
  if (number < 0 || number >= (int)(sizeof all / sizeof *all)) return KEY_NONE;
  return all[number] == KEY_NONE ? KEY_NONE : with_modifiers(all[number], modifiers);
}

/* Returns the key of a character with modifiers, as some terminals report it. */
static key reported_key(int character, int modifiers) {
  int bits = modifiers > 0 ? modifiers - 1 : 0;
  key c = character > 0 && character < 0x110000 ? (key)character : KEY_NONE;
  if ((bits & 4) && c >= 'a' && c <= 'z') c &= 31;
  return bits & 2 ? c | KEY_ALT : c;
}

/* Reads a paste up to its end into k->pasted. Line breaks become \n. */
static key read_paste(keys *k) {
  static const char stop[] = "\033[201~";
  size_t seen = 0;
  k->pasted.length = 0;
  for (;;) {
    int byte = next_byte(k, -1);
    if (byte == RESIZED) continue;
    if (byte < 0) return KEY_CLOSED;
    char c = (char)byte;
    if (!bytes_add(&k->pasted, &c, 1)) return KEY_NONE;
    seen = c == stop[seen] ? seen + 1 : (c == stop[0] ? 1 : 0);
    if (stop[seen] == '\0') break;
  }
  size_t out = 0, n = k->pasted.length - (sizeof stop - 1);
  for (size_t i = 0; i < n; i++) {
    char c = k->pasted.data[i];
    if (c == '\r' && i + 1 < n && k->pasted.data[i + 1] == '\n') continue;
    k->pasted.data[out++] = c == '\r' ? '\n' : c;
  }
  k->pasted.length = out;
  return KEY_PASTE;
}

/* Reads a sequence after ESC [ : numbers separated by semicolons, and a final byte. */
static key read_control_sequence(keys *k) {
  int numbers[4] = {0, 0, 0, 0}, at = 0, byte;
  while ((byte = next_byte(k, ESCAPE_WAIT)) >= 0 && (byte < 0x40 || byte > 0x7E)) {
    if (byte >= '0' && byte <= '9' && at < 4 && numbers[at] < 10000000)
      numbers[at] = numbers[at] * 10 + byte - '0';
    else if (byte == ';')
      at++;
  }
  if (byte == '~') return numbers[0] == 200 ? read_paste(k) : numbered_key(numbers[0], numbers[1]);
  if (byte == 'u') return reported_key(numbers[0], numbers[1]);
  return letter_key(byte, numbers[1]);
}

static key read_character(keys *k, int first) {
  char data[4] = {(char)first};
  size_t n = 1, length = 0;
  size_t wanted = first < 0xC2 || first > 0xF4 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  while (n < wanted) {
    int byte = next_byte(k, ESCAPE_WAIT);
    if (byte < 0) break;
    if ((byte & 0xC0) != 0x80) { /* not part of the character: a key of its own */
      k->begin--;
      break;
    }
    data[n++] = (char)byte;
  }
  return text_character(data, n, &length);
}

static key read_escape(keys *k) {
  int byte = next_byte(k, ESCAPE_WAIT);
  if (byte < 0) return ESCAPE;
  if (byte == '[') return read_control_sequence(k);
  if (byte == 'O') return letter_key(next_byte(k, ESCAPE_WAIT), 0);
  if (byte == ESCAPE) /* Alt with a key that is itself a sequence */
    return next_byte(k, ESCAPE_WAIT) == '[' ? read_control_sequence(k) | KEY_ALT : ESCAPE;
  return read_character(k, byte) | KEY_ALT;
}

key keys_next(keys *k) {
  int byte = next_byte(k, -1);
  if (byte == RESIZED) return KEY_RESIZE;
  if (byte < 0) return KEY_CLOSED;
  return byte == ESCAPE ? read_escape(k) : read_character(k, byte);
}

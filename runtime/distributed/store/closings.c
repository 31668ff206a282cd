/* closings.c: what a TCPStore's server makes known when the connection of a rank is closed. */
#include "distributed/store/closings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct announcement {
  announcement *next;
  store_text name;
};

static const char connected[] = "tocha/connected/", meeting[] = "tocha/meeting/",
                  member[] = "/member/";

/* Returns the place of `part` in a name, or NULL if it is not in it. */
static const char *find_in(store_text name, const char *part) {
  size_t size = strlen(part);
  for (size_t i = 0; i + size <= name.size; i++)
    if (memcmp(name.bytes + i, part, size) == 0) return name.bytes + i;
  return NULL;
}

static bool is_of_meeting(store_text name) {
  return find_in(name, meeting) && find_in(name, member);
}

bool store_note_announcement(announcement **list, store_text name) {
  if (!find_in(name, connected) && !is_of_meeting(name)) return true;
  announcement *a = calloc(1, sizeof *a);
  char *copy = a ? malloc(name.size) : NULL;
  if (!copy) {
    free(a);
    return false;
  }
  a->name = (store_text){memcpy(copy, name.bytes, name.size), name.size};
  a->next = *list;
  *list = a;
  return true;
}

void store_forget_announcement(announcement **list, store_text name) {
  for (announcement *a; (a = *list); list = &a->next) {
    if (a->name.size != name.size || memcmp(a->name.bytes, name.bytes, name.size) != 0) continue;
    *list = a->next;
    a->next = NULL;
    store_free_announcements(a);
    return;
  }
}

bool store_is_visitor(const announcement *list) {
  for (; list; list = list->next)
    if (is_of_meeting(list->name)) return true;
  return false;
}

bool store_is_connected(const announcement *list) {
  for (; list; list = list->next)
    if (!is_of_meeting(list->name)) return true;
  return false;
}

void store_free_announcements(announcement *list) {
  for (announcement *next; list; list = next) {
    next = list->next;
    free((void *)list->name.bytes);
    free(list);
  }
}

/* --- telling ------------------------------------------------------------------------------------------ */

/* Sets values, and the names to set. */
typedef struct teller {
  store_values *values;
  void (*set)(void *user, store_text name, store_text value);
  void *user;
  store_buffer name;
} teller;

/* Returns the name of the first `size` bytes of `prefix`, and `rest`. */
static store_text make_name(teller *t, const char *prefix, size_t size, const char *rest) {
  t->name.size = 0;
  store_put(&t->name, prefix, size);
  store_put(&t->name, rest, strlen(rest));
  return (store_text){t->name.bytes, t->name.size};
}

/* "tocha/connected/RANK" was set, and not deleted since. */
static void tell_connection(teller *t, store_text announced, bool silent) {
  if (!store_values_delete(t->values, announced)) return;
  const char *begin = find_in(announced, connected), *rank = begin + sizeof connected - 1;
  size_t prefix = (size_t)(begin - announced.bytes);
  int length = (int)(announced.size - prefix - (sizeof connected - 1));
  char text[64];
  snprintf(text, sizeof text, "tocha/closed/%.*s", length < 20 ? length : 20, rank);
  store_text name = make_name(t, announced.bytes, prefix, text);
  if (!t->name.failed) t->set(t->user, name, (store_text){"1", 1});
  name = make_name(t, announced.bytes, prefix, "tocha/closings");
  store_call add = {.operation = STORE_ADD, .count = 1, .names = &name, .number = 1};
  store_text awaited;
  if (!t->name.failed) store_values_run(t->values, &add, false, &awaited);
  snprintf(text, sizeof text, "tocha/closing/%lld", (long long)add.answer.number);
  name = make_name(t, announced.bytes, prefix, text);
  char value[40];
  int size = snprintf(value, sizeof value, "%.*s%s", length < 20 ? length : 20, rank,
                      silent ? " silent" : "");
  if (!t->name.failed) t->set(t->user, name, (store_text){value, (size_t)size});
}

/* Copies one line of what a member says of itself (meeting.c); 0 is the first. */
static void take_line(const store_text *text, int line, char *to, size_t capacity) {
  const char *at = text->bytes, *end = at + text->size;
  for (; line > 0 && at < end; at++) line -= *at == '\n';
  size_t length = 0;
  while (at + length < end && at[length] != '\n' && length + 1 < capacity) length++;
  memcpy(to, at, length);
  to[length] = 0;
}

/* ".../member/RANK" was set, and there may be no verdict yet. */
static void tell_visitor(teller *t, store_text announced) {
  size_t prefix = (size_t)(find_in(announced, member) - announced.bytes);
  const store_text *record = store_values_find(t->values, announced);
  store_text name = make_name(t, announced.bytes, prefix, "/verdict");
  if (!record || t->name.failed || store_values_find(t->values, name)) return;
  char rank[16], process[24], host[64], problem[300];
  take_line(record, 0, rank, sizeof rank);
  take_line(record, 2, process, sizeof process);
  take_line(record, 3, host, sizeof host);
  int size = snprintf(problem, sizeof problem,
                      "rank %s (host %s, process %s) " STORE_ENDED_EARLY "\nsee what it printed",
                      rank, host, process);
  t->set(t->user, name, (store_text){problem, (size_t)size});
}

void store_tell_closing(const announcement *list, bool silent, store_values *values,
                        void (*set)(void *user, store_text name, store_text value), void *user) {
  teller t = {.values = values, .set = set, .user = user};
  for (; list; list = list->next) {
    if (is_of_meeting(list->name))
      tell_visitor(&t, list->name);
    else
      tell_connection(&t, list->name, silent);
  }
  free(t.name.bytes);
}

/* main.c: what clients ask of the service: good requests, junk, endless ones, and new models, some of which do not work. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service.h"

enum { INPUTS = 4, MANY = 2000 };

static void reload(service *s, const char *model) {
  char message[REQUEST_TEXT];
  bool ok = service_reload(s, model, message, sizeof message);
  printf("model %s: %s\n", model, ok ? "in use" : message);
}

static void show(const char *name, const request *r) {
  printf("%s: %s%s\n", name, r->ok ? "" : "error: ", r->text);
}

static void ask(service *s, const char *name, request r) {
  service_send(s, &r);
  service_wait(s, &r);
  show(name, &r);
}

/* Sends a request that would run for years, and cancels it once it runs. */
static void ask_and_cancel(service *s) {
  request r = {.numbers = {1e6f}, .count = INPUTS};
  service_send(s, &r);
  while (!service_runs(s, &r)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  service_cancel(s, &r);
  service_wait(s, &r);
  show("cancelled", &r);
}

/* Sends many requests at once; all threads must give the same answer. */
static void ask_many(service *s) {
  request *all = calloc(MANY, sizeof *all);
  int alike = 0;
  if (!all) return;
  for (int i = 0; i < MANY; i++) {
    all[i] = (request){.numbers = {0, 1, 2, 3}, .count = INPUTS};
    service_send(s, &all[i]);
  }
  for (int i = 0; i < MANY; i++) {
    service_wait(s, &all[i]);
    alike += all[i].ok && strcmp(all[i].text, all[0].text) == 0;
  }
  show("many", &all[0]);
  printf("%d of %d answers are alike\n", alike, MANY);
  free(all);
}

int main(void) {
  char message[REQUEST_TEXT];
  service *s = service_start(INPUTS, message, sizeof message);
  if (!s) {
    fprintf(stderr, "%s\n", message);
    return EXIT_FAILURE;
  }
  reload(s, "first");
  ask(s, "good", (request){.numbers = {0, 1, 2, 3}, .count = INPUTS});
  ask(s, "junk", (request){.numbers = {0, 1}, .count = 2});
  reload(s, "typo");
  reload(s, "curious");
  ask(s, "good", (request){.numbers = {0, 1, 2, 3}, .count = INPUTS});
  reload(s, "second");
  ask(s, "good", (request){.numbers = {0, 1, 2, 3}, .count = INPUTS});
  ask_and_cancel(s);
  ask(s, "endless", (request){.numbers = {1e6f}, .count = INPUTS});
  ask(s, "greedy", (request){.numbers = {-1}, .count = INPUTS});
  ask_many(s);
  service_stop(s);
  return EXIT_SUCCESS;
}

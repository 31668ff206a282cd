/* service.h: a service that answers requests by a model which somebody else wrote in Lua.
 *
 * Four threads take requests from one queue. Each has a sandboxed Lua state with the model of its own; the weights of the layer
 * `base`, which the host gives to every model, are in memory once. All functions may be called by any thread. */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct service service;

enum { REQUEST_NUMBERS = 16, REQUEST_TEXT = 512 };

/* A request: numbers for the model. It belongs to the caller, who keeps it until service_wait has returned. */
typedef struct request {
  float numbers[REQUEST_NUMBERS];
  int count;
  /* What the service writes: */
  bool ok;
  char text[REQUEST_TEXT]; /* the answer, or the error with its cause */
  /* The service's own: */
  enum { REQUEST_NEW, REQUEST_WAITS, REQUEST_RUNS, REQUEST_DONE } state;
  struct worker *worker;
  struct request *next;
} request;

/* Starts a service whose models get a base layer of `inputs` numbers. Returns NULL with a message if it cannot. */
service *service_start(int inputs, char *message, size_t capacity);
/* Ends the threads, after the requests that were sent. */
void service_stop(service *s);
/* Gives all threads a new model. Returns false, with the reason in `message`, if the script does not work: then the old one
 * stays. */
bool service_reload(service *s, const char *name, char *message, size_t capacity);
void service_send(service *s, request *r);
/* Returns when the request has been answered. */
void service_wait(service *s, request *r);
/* Returns true if a thread is working on the request. */
bool service_runs(service *s, const request *r);
/* Interrupts a request that runs, and takes back one that waits. */
void service_cancel(service *s, request *r);

#endif

/* intent.h: what a rank is about to do, as the other ranks of the group see it. */
#ifndef TOCHA_INTENT_H
#define TOCHA_INTENT_H

#include "distributed/group.h"

/* The forms of operations that PyTorch tells apart; intent.c has their names. */
typedef enum tocha_form {
  TOCHA_FORM_NONE,
  TOCHA_FORM_ALL_REDUCE,
  TOCHA_FORM_BROADCAST,
  TOCHA_FORM_REDUCE,
  TOCHA_FORM_ALL_GATHER,
  TOCHA_FORM_ALL_GATHER_INTO_TENSOR,
  TOCHA_FORM_GATHER,
  TOCHA_FORM_SCATTER,
  TOCHA_FORM_REDUCE_SCATTER,
  TOCHA_FORM_REDUCE_SCATTER_TENSOR,
  TOCHA_FORM_ALL_TO_ALL,
  TOCHA_FORM_ALL_TO_ALL_SINGLE,
  TOCHA_FORM_SEND,
  TOCHA_FORM_RECV,
  TOCHA_FORM_BARRIER,
  TOCHA_FORM_BATCH, /* sends and receives */
  TOCHA_FORM_ALL_REDUCE_COALESCED,
  TOCHA_FORM_ALL_GATHER_COALESCED,
  TOCHA_FORM_REDUCE_SCATTER_COALESCED,
  TOCHA_FORM_SPLIT,
  TOCHA_FORM_COUNT
} tocha_form;

enum { TOCHA_INTENT_DIMS = 8 };

/* Lies in memory that processes share. */
typedef struct tocha_intent {
  uint8_t form;
  uint8_t has_tensor; /* dtype, device and sizes mean something */
  uint8_t dtype, device, ndim;
  uint8_t reduces; /* `op` means something */
  uint8_t op;
  uint8_t is_even;   /* of all_to_all_single: without sizes of parts; ranks may differ in it */
  int32_t root;      /* -1: none */
  int32_t peer, tag; /* of a send or a receive; peer -1: any rank */
  int64_t sizes[TOCHA_INTENT_DIMS]; /* the first ones */
  int64_t count;                    /* of elements */
  uint64_t all_sizes;               /* a digest of more dimensions than fit */
  char place[TOCHA_PLACE_SIZE];
} tocha_intent;

/* Returns a number that is the same for operations that may meet: the place does not count. */
uint64_t tocha_intent_digest(const tocha_intent *intent);
/* Returns "SUM" and the like. */
const char *tocha_reduce_op_name(int op);
/* Returns the public name of a form: "all_gather_into_tensor". */
const char *tocha_form_name(uint8_t form);
/* Returns PyTorch's OpType of a form: "_ALLGATHER_BASE". */
const char *tocha_form_type(uint8_t form);
/* Returns the name of a form as PyTorch's gloo says it in messages ("allgather"). */
const char *tocha_form_short_name(uint8_t form);
/* Writes PyTorch's CollectiveFingerPrint(...). Returns `text`. */
const char *tocha_intent_fingerprint(const tocha_intent *intent, uint64_t sequence, char *text,
                                     size_t capacity);
/* Writes PyTorch's list of differences: "  Op type: ALLREDUCEvs BROADCAST". Returns `text`. */
const char *tocha_intent_difference(const tocha_intent *a, const tocha_intent *b, char *text,
                                    size_t capacity);
/* Writes "rank 1", or "rank 1 (host)" if the name of a host is given. Returns `text`. */
const char *tocha_rank_text(int rank, const char *host, char *text, size_t capacity);
/* Writes the operation for people: "all_reduce(float32 [3], SUM) at train.lua:12". Returns `text`. */
const char *tocha_intent_text(const tocha_intent *intent, char *text, size_t capacity);

#endif

/* running.h: which operator a context runs, for other threads. */
#ifndef TOCHA_RUNNING_H
#define TOCHA_RUNNING_H

#include "distributed/group.h"

/* Notes the operators that the context runs from now on, unless a profile is on or memory is short. */
void tocha_note_operators(tocha_distributed *world);
/* Ends that. */
void tocha_forget_operators(tocha_distributed *world);
/* Returns the name of the operator that runs, NULL if none does or if it is not known. Any thread. */
const char *tocha_running_operator(const tocha_distributed *world);

#endif

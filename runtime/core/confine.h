/* confine.h: what a confined context may do (tocha/confine.h), for those who open files or hand out memory. */
#ifndef TOCHA_CORE_CONFINE_H
#define TOCHA_CORE_CONFINE_H

#include "tocha/confine.h"

/* Opens a file for the context: every path that a script or a checkpoint names comes here. Returns
 * NULL with errno set if that fails. */
FILE *tocha_open_file(tocha_context *cx, const char *path, tocha_file_use use);
/* Fills the storage of a new tensor with zeros if its context is confined. Called where a tensor is
 * given to its user before anything is written to it. */
void tocha_clear_unwritten(const tocha_tensor *t);

#endif

/* internal.h: includes the structures behind the public types, for libtocha's own files only. */
#ifndef TOCHA_INTERNAL_H
#define TOCHA_INTERNAL_H

#include "core/allocator.h"
#include "core/context.h"
#include "core/storage.h"
#include "core/tensor.h"

#endif

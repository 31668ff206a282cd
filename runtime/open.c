/* open.c: opens a context that uses all folders of the runtime, and frees what each of them
 * keeps in it. */
#include "amp/autocast.h"
#include "autograd/node.h"
#include "core/loans.h"
#include "device/devices.h"
#include "operators.h"
#include "ops/matmul/cpu/bfloat16.h"
#include "ops/convolution/cpu/onednn.h"
#include "ops/matmul/cpu/onednn.h"
#include "tocha/nn.h"
#include "tocha/profiler.h"

#include <stdlib.h>
#include <string.h>

const char *tocha_version(void) { return TOCHA_VERSION; }

int tocha_version_number(void) { return TOCHA_VERSION_NUMBER; }

void tocha_free(void *block) { free(block); }

char *tocha_new_text(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  char *copy = text ? malloc(size) : NULL;
  return copy ? memcpy(copy, text, size) : NULL;
}

static void close_rooms(tocha_context *cx) {
  tocha_profile_stop(cx);
  tocha_onednn_convolutions_close(cx);
  tocha_onednn_close(cx);
  tocha_deallocate(cx, cx->module_calls,
                   (size_t)cx->module_call_capacity * sizeof *cx->module_calls);
  tocha_pass_ends_close(cx);
  tocha_node_pool_clear(cx);
  tocha_devices_close(cx);
}

static const tocha_call_hooks call_hooks = {tocha_begin_record, tocha_end_record, tocha_fail_record,
                                            tocha_call_autocast, tocha_op_families};
static const tocha_hooks hooks = {
    tocha_device_allocate, tocha_resolve_device, tocha_autograd_meta_free, tocha_hooks_shared,
    close_rooms,           &call_hooks,          &tocha_cpu_kernels};

tocha_context *tocha_open(const tocha_options *options) {
  tocha_options none = {0};
  tocha_context *cx = tocha_context_new(options ? options : &none, &hooks);
  if (cx && !tocha_stream_of(cx, tocha_cpu())) { /* created now, so that no operator fails for
                                                  * lack of it */
    tocha_close(cx);
    return NULL;
  }
  return cx;
}

void tocha_close(tocha_context *cx) {
  if (!cx || cx->closed) return;
  if (cx->close_distributed) cx->close_distributed(cx);
  tocha_scope all = {0};
  tocha_scope_end(cx, all, NULL);
  tocha_module_unwind(cx, 0);
  tocha_clear_autocast_cache(cx);
  tocha_break_cycles(cx);
  cx->closed = true;
  cx->release_memory = NULL;
  tocha_close_loans(cx);
}

bool tocha_has_bfloat16_products(void) { return tocha_bfloat16_kernel(); }

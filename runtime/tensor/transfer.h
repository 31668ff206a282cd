/* transfer.h: values that cross between host and device, or between devices. */
#ifndef TOCHA_TRANSFER_H
#define TOCHA_TRANSFER_H

#include "device/devices.h"

/* Values between two devices, one of which may be the CPU: target and source of one shape, not empty,
 * any strides and dtypes. blocking: a copy to the host has happened on return (others are ordered by
 * the streams anyway). */
bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);
/* t where the host can look at it: t itself, or a dense copy in the scope; waits. NULL on failure. */
tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t);
/* Bytes of a device's memory into the host's; waits. */
bool tocha_read_bytes(tocha_context *cx, tocha_device device, const void *from, void *to,
                      size_t bytes);
/* The same for t's first element. */
bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element);

#endif

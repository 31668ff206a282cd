/* transfer.h: copies values between host and device, or between devices. */
#ifndef TOCHA_TRANSFER_H
#define TOCHA_TRANSFER_H

#include "device/devices.h"

/* Copies values between two devices, one of which may be the CPU. The tensors are not empty, and
 * `source` broadcasts to `target`. Strides and dtypes may differ. If `blocking`, a copy to the
 * host is complete on return; streams order all other copies. */
bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);
/* Returns t if the host can read it, else a dense copy in the scope; waits for the device.
 * Returns NULL if it fails. */
tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t);
/* Copies bytes from a device's memory to the host's; waits for the device. */
bool tocha_read_bytes(tocha_context *cx, tocha_device device, const void *from, void *to,
                      size_t bytes);
/* Copies t's first element to the host. */
bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element);

#endif

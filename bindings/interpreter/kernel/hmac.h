/* hmac.h: the signature of notebooks' messages: HMAC (RFC 2104) of SHA-256 (FIPS 180-4). */
#ifndef TOCHA_KERNEL_HMAC_H
#define TOCHA_KERNEL_HMAC_H

#include <stddef.h>

enum { HMAC_DIGITS = 64 };

/* Writes the code of a text as 64 hexadecimal digits and a zero. */
void hmac_sha256(const char *key, size_t key_size, const char *text, size_t size,
                 char digits[HMAC_DIGITS + 1]);

#endif

/* huffman.h: Huffman codes for writing deflated blocks. */
#ifndef TOCHA_IO_HUFFMAN_H
#define TOCHA_IO_HUFFMAN_H

#include <stdint.h>

enum { TOCHA_HUFFMAN_SYMBOLS = 288 };

/* The code of each symbol, the first bit lowest, and its length in bits, 0 for a symbol that does
 * not occur. */
typedef struct tocha_huffman {
  uint16_t words[TOCHA_HUFFMAN_SYMBOLS];
  uint8_t lengths[TOCHA_HUFFMAN_SYMBOLS];
} tocha_huffman;

/* Finds the code of n symbols that occur so often, with at most `maximum` bits a symbol. */
void tocha_huffman_build(tocha_huffman *code, const uint32_t *counts, int n, int maximum);
/* Assigns the words that follow from code->lengths. */
void tocha_huffman_assign(tocha_huffman *code, int n);

#endif

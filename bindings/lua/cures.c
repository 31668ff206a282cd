/* cures.c: hints for errors that are recognized by their message, whichever operator or part raised
 * them. */
#include <string.h>

#include "lua/binding.h"

#define INTEGERS                                                                                   \
  "integers make int64 tensors; floating-point ones: torch.tensor{1.0, 2.0}, x:float()"
#define FROM_ZERO "positions count from 0: the last of n is n - 1, and -1 counts from the end"

/* A cure applies to messages that contain both texts. The second may be NULL, or "Long" for the
 * name of any integer type. */
static const struct cure {
  const char *first, *second, *hint;
} cures[] = {
    {"can't be cast to the desired output type", "Long", INTEGERS},
    {"not implemented for '", "Long", INTEGERS},
    {"to have the same dtype", "Long", "make both floating-point: x:float()"},
    {"must have the same dtype", "Long", "make both floating-point: x:float()"},
    {"to have same dtype, but found", "Long", "make both floating-point: x:float()"},
    {"cannot be converted to Scalar", NULL,
     "x:tolist() is a table of its numbers, x[0]:item() the first, x:sum():item() their sum"},
    {"unsupported operand type(s)", "'list'", "make a tensor of it: torch.tensor{...}"},
    {"dtype=str", NULL, "a dtype is not a string: dtype = torch.float32"},
    {"got torch.dtype", NULL,
     "keywords stand in a table: torch.zeros(2, 3, {dtype = torch.float32})"},
    {"tuple of ints,but got object", NULL,
     "functions and classes of torch are called with a dot: torch.zeros(2), nn.Linear(2, 3)"},
    {"is not a Module subclass", NULL,
     "a class makes a module when it is called: nn.ReLU(), not nn.ReLU"},
    {"loating point", "Got ", INTEGERS},
    {"only support floating point", NULL, INTEGERS},
    {"loating point but you specified", "Long", INTEGERS},
    {"nly Tensors of floating point", NULL, INTEGERS},
    {"is out of bounds for dimension", NULL, FROM_ZERO},
    {"too many indices for tensor", NULL,
     "one index for each dimension, x[{0, 1}]; a slice is a string: x[\"2:5\"], "
     "x[(\"%d:%d\"):format(i, k)]"},
    {"missing 1 required positional argument", "\"dim\"",
     "the dimension: 0 goes down the columns, -1 along the last one, softmax(x, -1)"},
    {"tuple index out of range", NULL, FROM_ZERO},
    {"list index out of range", NULL, FROM_ZERO},
    {"index out of range in self", NULL, FROM_ZERO},
    {"index ", " is out of range", FROM_ZERO},
    {"too many dimensions 'str'", NULL,
     "a tensor holds numbers: tonumber(s) is the number that a string holds"},
    {"only one element tensors can be converted to Python scalars", NULL,
     "torch.stack{a, b} makes tensors the rows of one, torch.cat{a, b} joins them"},
    {"Class values must be smaller than num_classes", NULL,
     "classes count from 0: labels - 1, if yours begin with 1"},
    {"(unbatched) or ", "(batched) input",
     "an input is (channels, ...) or (batch, channels, ...): "
     "x:unsqueeze(0) adds a dimension in front"},
    {"Using a target size", "deprecated",
     "a column and a row: target:unsqueeze(1) makes (N, 1) of (N)"},
    {"Input tensor dtype should be uint8", NULL,
     "x:clamp(0, 255):to(torch.uint8); of numbers from 0 to 1: (x * 255):to(torch.uint8)"},
    {"Dimension out of range", NULL, "dimensions count from 0, and -1 is the last"},
    {"does not require grad and does not have a grad_fn", NULL,
     "nothing in it asks for gradients: torch.rand(3, {requires_grad = true}); parameters of "
     "modules do"},
    {"1D tensors expected", NULL, "of matrices: a:matmul(b); element by element: (a * b):sum()"},
    {"zero-dimensional tensor", "cannot be concatenated",
     "torch.stack(list) makes a tensor of tensors without dimensions"},
    {"weight should have at least three dimensions", NULL,
     "a weight is (out channels, in channels, ...): kernel:reshape{1, 1, 3, 3}"},
    {"randint()", "(int, int, int", "a size is a table: torch.randint(0, 2, {1000})"},
    {"randint()", "'size' (position 2) must be tuple of ints, not int",
     "a size is a table: torch.randint(0, 2, {1000})"},
};

static bool names_integers(const char *message) {
  static const char *const types[] = {"Long", "Int", "Short", "Char", "Byte"};
  for (int i = 0; i < TOCHA_COUNT(types); i++)
    if (strstr(message, types[i])) return true;
  return false;
}

const char *cure_of(const char *message) {
  for (int i = 0; i < TOCHA_COUNT(cures); i++) {
    const struct cure *c = &cures[i];
    const char *at = strstr(message, c->first);
    if (!at) continue;
    at += strlen(c->first);
    if (!c->second ||
        (strcmp(c->second, "Long") == 0 ? names_integers(at) : strstr(at, c->second) != NULL))
      return c->hint;
  }
  return NULL;
}

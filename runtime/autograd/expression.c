/* expression.c: the expressions of gradients that programs define, read and computed in one pass. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/definition.h"

/* A value in an expression. */
typedef struct value {
  uint8_t kind; /* TOCHA_KIND_TENSOR, SCALAR, INTS, or that of the parameter it came from */
  tocha_arg arg;
} value;

typedef struct reader {
  tocha_context *cx;
  const tocha_op *op;
  const tocha_gradient_call *call; /* NULL: the expression is only checked */
  const char *at;
  int depth;
  int64_t numbers[64]; /* of all lists */
  int used;
} reader;
enum { MAX_DEPTH = 50, MAX_NUMBERS = 64 };

static value read_sum(reader *r);

static value number(double real) {
  value v = {TOCHA_KIND_SCALAR, {.given = true}};
  bool whole = real == (double)(int64_t)real;
  v.arg.value.scalar = whole ? tocha_int((int64_t)real) : tocha_float(real);
  return v;
}

static value tensor_value(tocha_tensor *t) {
  value v = {TOCHA_KIND_TENSOR, {.tensor = t, .given = true}};
  return v;
}

static value wrong(reader *r, const char *what) {
  tocha_fail(r->cx, TOCHA_VALUE_ERROR, "the gradient of %s: %s at '%.40s'", r->op->name, what,
             r->at);
  return number(0);
}

static void skip_blanks(reader *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}

/* Passes over a character if it is the next one. */
static bool take(reader *r, char c) {
  skip_blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool is_name_character(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

const char *tocha_find_expression(const char *gradient, const char *parameter) {
  size_t length = strlen(parameter);
  for (const char *at = gradient; at; at = strchr(at, ';')) {
    at += *at == ';';
    at += strspn(at, " \t\n");
    if (strncmp(at, parameter, length) != 0) continue;
    const char *equals = at + length + strspn(at + length, " \t\n");
    if (*equals == '=') return equals + 1;
  }
  return NULL;
}

/* --- calls of operators ------------------------------------------------------------------------------ */

/* Fits a value to a parameter. Returns false if it is of another kind. `list` is memory for the only
 * element of a list. */
static bool fit(const tocha_parameter *p, const value *v, tocha_arg *arg, int64_t *list) {
  *arg = v->arg;
  arg->given = true;
  if (p->kind == v->kind) return true;
  if (v->kind == TOCHA_KIND_TENSOR) return p->kind == TOCHA_KIND_OPERAND;
  if (v->kind == TOCHA_KIND_INTS) return p->kind == TOCHA_KIND_DIMS || p->kind == TOCHA_KIND_SIZE;
  tocha_scalar s = v->arg.value.scalar;
  if (v->kind == TOCHA_KIND_INT || v->kind == TOCHA_KIND_DIM) s = tocha_int(v->arg.value.integer);
  if (v->kind == TOCHA_KIND_FLOAT) s = tocha_float(v->arg.value.real);
  if (v->kind == TOCHA_KIND_BOOL) s = tocha_boolean(v->arg.value.flag);
  switch (p->kind) {
  case TOCHA_KIND_OPERAND:
  case TOCHA_KIND_SCALAR:
    arg->value.scalar = s;
    return true;
  case TOCHA_KIND_FLOAT:
    arg->value.real = tocha_scalar_real(s);
    return true;
  case TOCHA_KIND_BOOL:
    arg->value.flag = tocha_scalar_real(s) != 0;
    return s.kind == TOCHA_SCALAR_BOOL;
  case TOCHA_KIND_INT:
  case TOCHA_KIND_DIM:
  case TOCHA_KIND_INDEX:
    arg->value.integer = s.value.integer;
    return s.kind == TOCHA_SCALAR_INT;
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_SIZE:
    *list = s.value.integer;
    arg->value.ints = list;
    arg->count = 1;
    return s.kind == TOCHA_SCALAR_INT;
  default:
    return false;
  }
}

/* Calls an operator with values in the order of its parameters. */
static value call_operator(reader *r, const char *name, int count, const value *values) {
  const tocha_op *op = tocha_operator_named(r->cx, name);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  int64_t lists[TOCHA_MAX_PARAMETERS];
  if (tocha_failed(r->cx)) return number(0);
  if (!op || op->flags & (TOCHA_OP_LIST | TOCHA_OP_VALUE))
    return wrong(r, "no operator of that name");
  if (count > op->parameter_count) return wrong(r, "too many arguments");
  for (int i = 0; i < op->parameter_count; i++) {
    const tocha_parameter *p = &op->parameters[i];
    args[i] = p->default_value;
    if (i >= count && !p->has_default && !p->optional) return wrong(r, "an argument is missing");
    if (i < count && !fit(p, &values[i], &args[i], &lists[i]))
      return wrong(r, "an argument of another kind");
  }
  tocha_results results;
  if (!r->call) return tensor_value(NULL);
  return tensor_value(tocha_call(r->cx, op, args, &results) ? results.fixed[0] : NULL);
}

static bool is_number(const value *v) {
  return v->kind == TOCHA_KIND_SCALAR || v->kind == TOCHA_KIND_FLOAT || v->kind == TOCHA_KIND_INT;
}

static double real_of(const value *v) {
  if (v->kind == TOCHA_KIND_FLOAT) return v->arg.value.real;
  return v->kind == TOCHA_KIND_INT ? (double)v->arg.value.integer
                                   : tocha_scalar_real(v->arg.value.scalar);
}

static value combine(reader *r, char sign, value a, value b) {
  if (is_number(&a) && is_number(&b)) {
    double x = real_of(&a), y = real_of(&b);
    return number(sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y);
  }
  if (is_number(&a)) { /* operators begin with a tensor */
    if (sign == '-' || sign == '/')
      return combine(r, sign == '-' ? '+' : '*',
                     call_operator(r, sign == '-' ? "neg" : "reciprocal", 1, &b), a);
    return combine(r, sign, b, a);
  }
  value both[] = {a, b};
  const char *name = sign == '+' ? "add" : sign == '-' ? "sub" : sign == '*' ? "mul" : "div";
  return call_operator(r, name, 2, both);
}

/* --- reading ------------------------------------------------------------------------------------------ */

/* Returns the tensor of a name such as grad, grad1, result0; *found: it is one of them. */
static value named_tensor(reader *r, const char *name, const char *prefix, bool *found) {
  size_t length = strlen(prefix);
  const char *digits = name + length;
  *found = strncmp(name, prefix, length) == 0 && strspn(digits, "0123456789") == strlen(digits);
  if (!*found) return number(0);
  int i = *digits ? atoi(digits) : 0;
  if (i >= r->op->result_count) return wrong(r, "no such result");
  if (!r->call) return tensor_value(NULL);
  tocha_tensor *result = r->call->results[i], *grad = r->call->grads[i];
  if (*prefix == 'r') return tensor_value(result);
  if (grad) return tensor_value(grad);
  value like = tensor_value(result); /* this result was not used */
  return call_operator(r, "zeros_like", 1, &like);
}

static value read_variable(reader *r, const char *name) {
  bool found;
  if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
    value v = {TOCHA_KIND_SCALAR, {.given = true}};
    v.arg.value.scalar = tocha_boolean(*name == 't');
    return v;
  }
  for (int i = 0; i < r->op->parameter_count; i++) {
    if (strcmp(r->op->parameters[i].name, name) != 0) continue;
    value v = {r->op->parameters[i].kind, {.given = true}};
    if (r->call) v.arg = r->call->args[i];
    if (v.kind == TOCHA_KIND_OPERAND)
      v.kind = v.arg.tensor || !r->call ? TOCHA_KIND_TENSOR : TOCHA_KIND_SCALAR;
    return v;
  }
  value v = named_tensor(r, name, "grad", &found);
  if (!found) v = named_tensor(r, name, "result", &found);
  return found ? v : wrong(r, "an unknown name");
}

static value read_call(reader *r, const char *name) {
  value values[TOCHA_MAX_PARAMETERS];
  int count = 0;
  while (!take(r, ')')) {
    if (tocha_failed(r->cx)) return number(0);
    if (count == TOCHA_MAX_PARAMETERS || (count && !take(r, ',')))
      return wrong(r, "',' or ')' expected");
    values[count++] = read_sum(r);
  }
  return call_operator(r, name, count, values);
}

/* Reads "0, -1]". */
static value read_list(reader *r) {
  value v = {TOCHA_KIND_INTS, {.given = true}};
  int64_t *numbers = r->numbers + r->used;
  int count = 0;
  while (!take(r, ']')) {
    char *end;
    if (r->used == MAX_NUMBERS || (count && !take(r, ','))) return wrong(r, "',' or ']' expected");
    numbers[count++] = strtoll(r->at, &end, 10);
    r->used++;
    if (end == r->at) return wrong(r, "an integer expected");
    r->at = end;
  }
  v.arg.value.ints = numbers;
  v.arg.count = count;
  return v;
}

static value read_name(reader *r) {
  char name[64];
  size_t length = 0;
  while (is_name_character(r->at[length])) length++;
  if (length == 0 || length >= sizeof name) return wrong(r, "a value expected");
  memcpy(name, r->at, length);
  name[length] = '\0';
  r->at += length;
  return take(r, '(') ? read_call(r, name) : read_variable(r, name);
}

static value read_primary(reader *r) {
  skip_blanks(r);
  if (isdigit((unsigned char)*r->at)) {
    char *end;
    value v = number(strtod(r->at, &end));
    r->at = end;
    return v;
  }
  if (take(r, '-')) return combine(r, '*', number(-1), read_primary(r));
  if (take(r, '[')) return read_list(r);
  if (!take(r, '(')) return read_name(r);
  value v = read_sum(r);
  return take(r, ')') ? v : wrong(r, "')' expected");
}

static value read_product(reader *r) {
  value v = read_primary(r);
  for (skip_blanks(r); *r->at == '*' || *r->at == '/'; skip_blanks(r)) {
    char sign = *r->at++;
    v = combine(r, sign, v, read_primary(r));
  }
  return v;
}

static value read_sum(reader *r) {
  if (++r->depth > MAX_DEPTH) return wrong(r, "too deep");
  value v = read_product(r);
  for (skip_blanks(r); *r->at == '+' || *r->at == '-'; skip_blanks(r)) {
    char sign = *r->at++;
    v = combine(r, sign, v, read_product(r));
  }
  r->depth--;
  return v;
}

tocha_tensor *tocha_evaluate(tocha_context *cx, const tocha_op *op, const char *text,
                             const tocha_gradient_call *call) {
  reader r = {.cx = cx, .op = op, .call = call, .at = text};
  value v = read_sum(&r);
  skip_blanks(&r);
  if (!tocha_failed(cx) && *r.at && *r.at != ';') wrong(&r, "an operator or ';' expected");
  if (!tocha_failed(cx) && v.kind != TOCHA_KIND_TENSOR) wrong(&r, "a gradient is a tensor");
  return tocha_failed(cx) ? NULL : v.arg.tensor;
}

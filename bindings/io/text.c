/* text.c: tables of text for np.loadtxt and np.genfromtxt: torch._io.text_open and the like.
 * Columns count from 0. */
#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

#include "lua/callback.h"
#include "io/io.h"

static const char TEXT[] = "tocha.text";

typedef struct text_box {
  tocha_text *text;
} text_box;

static tocha_text *check_text(lua_State *L) {
  const text_box *b = luaL_checkudata(L, 1, TEXT);
  return b->text;
}

/* (file, delimiter or nil, comments or nil, quote or nil, trim, encoding or nil) Returns a text. */
static int text_open(lua_State *L) {
  FILE *file = check_file(L, 1);
  const char *quote = luaL_optstring(L, 4, "");
  tocha_text_rules rules = {luaL_optstring(L, 2, NULL), luaL_optstring(L, 3, NULL), quote[0],
                            lua_toboolean(L, 5), luaL_optstring(L, 6, NULL)};
  text_box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->text = NULL;
  luaL_setmetatable(L, TEXT);
  b->text = tocha_text_open(CX(L), file, &rules);
  return b->text ? 1 : raise_error(L);
}

static int text_gc(lua_State *L) {
  text_box *b = luaL_checkudata(L, 1, TEXT);
  tocha_text_close(b->text);
  b->text = NULL;
  return 0;
}

/* (text, lines) Skips lines. */
static int text_skip(lua_State *L) {
  tocha_text_skip(check_text(L), luaL_checkinteger(L, 2));
  return 0;
}

/* (text) Returns the place where the next row begins: position, line. */
static int text_mark(lua_State *L) {
  const tocha_text *text = check_text(L);
  lua_pushinteger(L, (lua_Integer)tocha_text_position(text));
  lua_pushinteger(L, tocha_text_next_line(text));
  return 2;
}

/* (text, position, line) Continues at a place that text_mark returned. */
static int text_go(lua_State *L) {
  tocha_text_go(check_text(L), (size_t)luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
  return 0;
}

static void push_field(lua_State *L, const tocha_text *text, int64_t i) {
  size_t length;
  const char *field = tocha_text_field(text, i, &length);
  lua_pushlstring(L, field ? field : "", length);
}

/* (text, keep_comments) Returns the fields of the next row as a table, or nothing at the end. */
static int text_row(lua_State *L) {
  tocha_text *text = check_text(L);
  tocha_text_keep_comments(text, lua_toboolean(L, 2));
  bool found = tocha_text_next(CX(L), text);
  tocha_text_keep_comments(text, false);
  if (tocha_failed(CX(L))) return raise_error(L);
  if (!found) return 0;
  lua_newtable(L);
  for (int64_t i = 0; i < tocha_text_field_count(text); i++) {
    push_field(L, text, i);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* --- rows ------------------------------------------------------------------------------------------ */

/* The stack indices of the arguments of the functions below. */
enum {
  AT_TEXT = 1,
  AT_COLUMNS,  /* a table of the used columns, or nil: all */
  AT_MAX_ROWS, /* the maximum number of rows; -1: no limit */
  /* Numbers that replace missing ones, by position among the used columns; nil: none may be
   * missing. */
  AT_FILLS,
  /* For each used column a table whose keys are the texts of missing values, or nil. */
  AT_MISSING,
  /* Functions from a text to a number, by position among the used columns; or one function for
   * all; or nil. */
  AT_CONVERTERS,
  /* A table that receives the lines and widths of rows with a wrong number of columns; nil: such
   * a row is an error. */
  AT_WRONG,
  ARGUMENTS = AT_WRONG
};

typedef struct rows {
  tocha_text *text;
  int64_t *columns, count; /* the used columns; their number, or -1 before the first row */
  int64_t width;           /* the width of every row: that of the first, if none is given */
  int64_t max_rows, row;   /* the maximum number of rows, or -1; rows so far */
  bool all, exact, strict, missing, converters; /* exact: every row must have that width */
  int wrong;
} rows;

/* Raises if the value is neither nil nor a table. */
static void check_table(lua_State *L, int index) {
  if (!lua_isnil(L, index)) luaL_checktype(L, index, LUA_TTABLE);
}

/* Returns the number of columns that every row must have, by the field `width` of the used
 * columns, or -1 if the first row decides. */
static int64_t given_width(lua_State *L) {
  if (!lua_istable(L, AT_COLUMNS)) return -1;
  lua_getfield(L, AT_COLUMNS, "width");
  int64_t width = luaL_optinteger(L, -1, -1);
  lua_pop(L, 1);
  return width;
}

static rows *begin_rows(lua_State *L) {
  lua_settop(L, ARGUMENTS + 1); /* one more is the function's own */
  for (int i = AT_FILLS; i <= ARGUMENTS; i++)
    if (i != AT_CONVERTERS || lua_type(L, i) != LUA_TFUNCTION) check_table(L, i);
  check_table(L, AT_COLUMNS);
  int64_t width = given_width(L);
  rows r = {check_text(L),
            NULL,
            -1,
            width,
            luaL_optinteger(L, AT_MAX_ROWS, -1),
            0,
            lua_isnil(L, AT_COLUMNS),
            lua_isnil(L, AT_COLUMNS) || width >= 0,
            lua_isnil(L, AT_FILLS),
            !lua_isnil(L, AT_MISSING),
            !lua_isnil(L, AT_CONVERTERS),
            0};
  r.count = r.all ? -1 : table_length(L, AT_COLUMNS);
  rows *kept = lua_newuserdatauv(L, sizeof r, 1);
  *kept = r;
  if (r.all) return kept;
  kept->columns = lua_newuserdatauv(L, ((size_t)r.count + 1) * sizeof *r.columns, 0);
  for (int64_t i = 0; i < r.count; i++) {
    lua_rawgeti(L, AT_COLUMNS, i + 1);
    kept->columns[i] = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  lua_setiuservalue(L, -2, 1);
  return kept;
}

/* Returns the number of used column i in the current row, or -1 if the row has no such column. */
static int64_t place(const rows *r, int64_t i) {
  int64_t width = tocha_text_field_count(r->text);
  int64_t column = r->all ? i : r->columns[i];
  if (column < 0) column += width;
  return column >= 0 && column < width ? column : -1;
}

static int raise_width(lua_State *L, const rows *r, int64_t i) {
  long long width = tocha_text_field_count(r->text), row = r->row + 1;
  if (r->all)
    return raise_message(
        L, TOCHA_VALUE_ERROR,
        "the number of columns changed from %lld to %lld at row %lld; use `usecols` "
        "to select a subset and avoid this error",
        (long long)r->width, width, row);
  return raise_message(L, TOCHA_VALUE_ERROR,
                       "invalid column index %lld at row %lld with %lld columns",
                       (long long)r->columns[i], row, width);
}

/* Records a row with a wrong number of columns in the table at AT_WRONG. [-0, +0, m] */
static void add_wrong(lua_State *L, rows *r) {
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, tocha_text_line(r->text));
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, tocha_text_field_count(r->text));
  lua_rawseti(L, -2, 2);
  lua_rawseti(L, AT_WRONG, ++r->wrong);
}

/* Moves to the next row that has all used columns. Returns false at the end. */
static bool next_row(lua_State *L, rows *r) {
  tocha_context *cx = CX(L);
  while (r->max_rows < 0 || r->row < r->max_rows) {
    if (!tocha_text_next(cx, r->text)) break;
    if (r->width < 0) r->width = tocha_text_field_count(r->text);
    if (r->count < 0) r->count = r->width;
    int64_t bad = -1;
    if (r->exact && tocha_text_field_count(r->text) != r->width) bad = 0;
    for (int64_t i = 0; i < r->count && bad < 0 && !r->all; i++)
      if (place(r, i) < 0) bad = i;
    if (bad < 0) return true;
    if (lua_isnil(L, AT_WRONG)) raise_width(L, r, bad);
    add_wrong(L, r);
  }
  if (tocha_failed(cx)) raise_error(L);
  return false;
}

static bool is_missing(lua_State *L, const rows *r, int64_t i, const char *field, size_t length) {
  while (length && isspace((unsigned char)*field)) field++, length--;
  while (length && isspace((unsigned char)field[length - 1])) length--;
  if (!length) return true;
  if (!r->missing) return false;
  bool found = false;
  if (lua_rawgeti(L, AT_MISSING, i + 1) == LUA_TTABLE) {
    lua_pushlstring(L, field, length);
    found = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return found;
}

/* Reads "True", "FALSE" and the like: NumPy's booleans in a text whose types it infers. Returns
 * false for another text. */
static bool parse_boolean(const char *field, size_t length, uint8_t *value) {
  static const char *const words[] = {"false", "true"};
  while (length && isspace((unsigned char)*field)) field++, length--;
  while (length && isspace((unsigned char)field[length - 1])) length--;
  for (uint8_t k = 0; k < 2; k++) {
    bool same = length == strlen(words[k]);
    for (size_t i = 0; i < length && same; i++)
      same = tolower((unsigned char)field[i]) == words[k][i];
    if (same) *value = k;
    if (same) return true;
  }
  return false;
}

/* --- numbers --------------------------------------------------------------------------------------- */

static int raise_field(lua_State *L, const rows *r, int64_t i, tocha_dtype dtype) {
  size_t length;
  const char *field = tocha_text_field(r->text, place(r, i), &length);
  return raise_message(L, TOCHA_VALUE_ERROR,
                       "could not convert string '%.*s' to %s at row %lld, column %lld.",
                       (int)(length < 200 ? length : 200), field ? field : "",
                       tocha_dtype_name(dtype), (long long)r->row, (long long)place(r, i) + 1);
}

/* Returns true if the column has a converter, whose result is then stored. [-0, +0, e] */
static bool convert(lua_State *L, const rows *r, int64_t i, tocha_dtype dtype, char *at) {
  if (!r->converters) return false;
  if (lua_type(L, AT_CONVERTERS) == LUA_TFUNCTION)
    lua_pushvalue(L, AT_CONVERTERS);
  else
    lua_rawgeti(L, AT_CONVERTERS, i + 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  push_field(L, r->text, place(r, i));
  call_to_end(L, 1, 1);
  tocha_scalar value = tocha_int(0);
  const tocha_tensor *t = to_tensor(L, -1);
  if (t && !tocha_item(CX(L), t, &value)) raise_error(L);
  if (!t && !to_scalar(L, -1, &value))
    raise_message(L, TOCHA_TYPE_ERROR, "a converter must give a number, not %s",
                  python_type(L, -1));
  if (!tocha_check_fits(CX(L), value, dtype)) raise_error(L);
  tocha_store_scalar(at, dtype, value);
  lua_pop(L, 1);
  return true;
}

static void store_field(lua_State *L, const rows *r, int64_t i, tocha_dtype dtype, char *at) {
  size_t length;
  if (convert(L, r, i, dtype, at)) return;
  const char *field = tocha_text_field(r->text, place(r, i), &length);
  if (r->strict) {
    if (!tocha_parse_number(field, length, dtype, at)) raise_field(L, r, i, dtype);
    return;
  }
  if (!is_missing(L, r, i, field, length)) {
    if (dtype == TOCHA_BOOL && parse_boolean(field, length, (uint8_t *)at)) return;
    if (tocha_parse_number(field, length, dtype, at)) return;
  }
  tocha_scalar fill = tocha_int(0);
  lua_rawgeti(L, AT_FILLS, i + 1);
  to_scalar(L, -1, &fill);
  lua_pop(L, 1);
  tocha_store_scalar(at, dtype, fill);
}

/* Returns the memory for one more row, in the userdata at index `buffer`, which doubles if it is
 * full. [-0, +0, m] */
static char *next_row_memory(lua_State *L, int buffer, size_t used, size_t more) {
  size_t size = lua_rawlen(L, buffer);
  if (size - used >= more) return (char *)lua_touserdata(L, buffer) + used;
  size = 2 * size > used + more ? 2 * size : used + more;
  char *block = lua_newuserdatauv(L, size, 0);
  if (used) memcpy(block, lua_touserdata(L, buffer), used);
  lua_replace(L, buffer);
  return block + used;
}

/* (the arguments above, dtype) Returns a tensor of rows and columns, or nothing if there are no
 * rows. */
static int text_numbers(lua_State *L) {
  tocha_dtype dtype;
  if (!tocha_lua_to_dtype(L, ARGUMENTS + 1, &dtype))
    return luaL_typeerror(L, ARGUMENTS + 1, "dtype");
  rows *r = begin_rows(L);
  lua_newuserdatauv(L, 4096, 0);
  int buffer = lua_gettop(L);
  size_t used = 0, item = tocha_dtype_size(dtype);
  for (; next_row(L, r); r->row++) {
    char *at = next_row_memory(L, buffer, used, (size_t)r->count * item);
    for (int64_t i = 0; i < r->count; i++) store_field(L, r, i, dtype, at + (size_t)i * item);
    used += (size_t)r->count * item;
  }
  if (r->count < 0) return 0;
  int64_t sizes[2] = {r->row, r->count};
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_from_values(CX(L), lua_touserdata(L, buffer), 2, sizes, dtype),
                         s);
}

/* --- types ----------------------------------------------------------------------------------------- */

/* The kinds of columns. Each kind can hold the values of those before it. */
enum kind { BOOLEAN, INTEGER, REAL, WORDS };

static enum kind kind_of(const char *field, size_t length, enum kind minimum) {
  uint64_t value;
  if (minimum == BOOLEAN && parse_boolean(field, length, (uint8_t *)&value)) return BOOLEAN;
  if (minimum <= INTEGER && tocha_parse_number(field, length, TOCHA_INT64, &value)) return INTEGER;
  if (minimum <= REAL && tocha_parse_number(field, length, TOCHA_FLOAT64, &value)) return REAL;
  return WORDS;
}

/* (the arguments above, read_fields) Returns a table with "bool", "int", "float" or "str" for
 * each used column, and the number of rows. */
static int text_kinds(lua_State *L) {
  static const char *const names[] = {"bool", "int", "float", "str"};
  rows *r = begin_rows(L);
  enum kind *kinds = NULL;
  bool look = lua_toboolean(L, ARGUMENTS + 1);
  for (; next_row(L, r); r->row++) {
    size_t bytes = (size_t)r->count * sizeof *kinds, length;
    if (!kinds) kinds = memset(lua_newuserdatauv(L, bytes + 1, 0), 0, bytes + 1);
    for (int64_t i = 0; i < r->count && look; i++) {
      const char *field = tocha_text_field(r->text, place(r, i), &length);
      if (kinds[i] != WORDS && !is_missing(L, r, i, field, length))
        kinds[i] = kind_of(field, length, kinds[i]);
    }
  }
  lua_newtable(L);
  for (int64_t i = 0; i < r->count; i++) {
    lua_pushstring(L, names[kinds ? kinds[i] : BOOLEAN]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushinteger(L, r->row);
  return 2;
}

/* (the arguments above, the position of a column among the used ones, from 1) Returns the
 * column's texts. */
static int text_words(lua_State *L) {
  int64_t i = luaL_checkinteger(L, ARGUMENTS + 1) - 1;
  rows *r = begin_rows(L);
  lua_newtable(L);
  int words = lua_gettop(L);
  for (; next_row(L, r); r->row++) {
    luaL_argcheck(L, i >= 0 && i < r->count, ARGUMENTS + 1, "no such column");
    push_field(L, r->text, place(r, i));
    lua_rawseti(L, words, r->row + 1);
  }
  return 1;
}

/* (text) Returns the number that a field with this text is read as, or nothing. */
static int parse(lua_State *L) {
  size_t length;
  double value;
  const char *text = luaL_checklstring(L, 1, &length);
  if (!tocha_parse_number(text, length, TOCHA_FLOAT64, &value)) return 0;
  push_real(L, value);
  return 1;
}

void open_text(lua_State *L) {
  static const luaL_Reg functions[] = {{"text_open", text_open},   {"text_skip", text_skip},
                                       {"text_mark", text_mark},   {"text_go", text_go},
                                       {"text_row", text_row},     {"text_numbers", text_numbers},
                                       {"parse", parse},           {"text_kinds", text_kinds},
                                       {"text_words", text_words}, {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", text_gc}, {NULL, NULL}};
  new_metatable(L, TEXT, events);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}

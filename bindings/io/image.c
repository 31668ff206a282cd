/* image.c: images in files, for lua/torch/vision/io.lua: torch._io.decode_png and the like. */
#include <lauxlib.h>

#include "io/io.h"
#include "tocha/image.h"

typedef tocha_tensor *decoder(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif);
typedef tocha_tensor *encoder(tocha_context *cx, tocha_tensor *image, int64_t number);

/* (bytes, mode, exif) Returns the image. */
static int decode(lua_State *L, decoder *f, const char *name) {
  tocha_tensor *bytes = check_tensor(L, 1, name, "input", 1);
  int64_t mode = luaL_checkinteger(L, 2);
  bool exif = lua_toboolean(L, 3);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, f(CX(L), bytes, mode, exif), s);
}
static int decode_png(lua_State *L) { return decode(L, tocha_decode_png, "decode_png"); }
static int decode_jpeg(lua_State *L) { return decode(L, tocha_decode_jpeg, "decode_jpeg"); }
static int decode_webp(lua_State *L) {
  tocha_tensor *bytes = check_tensor(L, 1, "decode_webp", "input", 1);
  int64_t mode = luaL_checkinteger(L, 2);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_decode_webp(CX(L), bytes, mode), s);
}
static int decode_image(lua_State *L) { return decode(L, tocha_decode_image, "decode_image"); }

/* (image, compression or quality) Returns the bytes of the file. */
static int encode(lua_State *L, encoder *f, const char *name) {
  tocha_tensor *image = check_tensor(L, 1, name, "input", 1);
  int64_t number = luaL_checkinteger(L, 2);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, f(CX(L), image, number), s);
}
static int encode_png(lua_State *L) { return encode(L, tocha_encode_png, "encode_png"); }
static int encode_jpeg(lua_State *L) { return encode(L, tocha_encode_jpeg, "encode_jpeg"); }

/* (pixels, compression, pixels per metre) Returns the bytes of a PNG file. */
static int encode_pixels(lua_State *L) {
  tocha_tensor *pixels = check_tensor(L, 1, "encode_png", "pixels", 1);
  int64_t compression = luaL_checkinteger(L, 2), per_metre = luaL_checkinteger(L, 3);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_encode_pixels(CX(L), pixels, compression, per_metre), s);
}

static int jpeg_version(lua_State *L) {
  lua_pushstring(L, tocha_jpeg_version());
  return 1;
}

void open_image(lua_State *L) {
  static const luaL_Reg functions[] = {{"decode_png", decode_png},
                                       {"decode_jpeg", decode_jpeg},
                                       {"decode_image", decode_image},
                                       {"decode_webp", decode_webp},
                                       {"encode_png", encode_png},
                                       {"encode_jpeg", encode_jpeg},
                                       {"encode_pixels", encode_pixels},
                                       {"jpeg_version", jpeg_version},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

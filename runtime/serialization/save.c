/* save.c: writes values to a file, in each format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serialization/pickle.h"
#include "serialization/safetensors.h"
#include "tocha/ops/to.h"

/* Returns the whole storage of t, on the CPU, with one dimension; in the scope. */
static tocha_tensor *storage_on_host(tocha_context *cx, const tocha_tensor *t) {
  int64_t n = (int64_t)t->storage->bytes / tocha_item_size((tocha_dtype)t->dtype), one = 1;
  tocha_tensor *all = tocha_alias(cx, t, 1, &n, &one, 0);
  if (!all || t->device.type == TOCHA_CPU) return all;
  return tocha_to(cx, all, tocha_cpu(), TOCHA_NO_DTYPE, false, false);
}

static const void *bytes_of(const tocha_tensor *t, size_t *length) {
  *length = (size_t)(t->numel * tocha_item_size((tocha_dtype)t->dtype));
  return *length ? tocha_bytes(t) : "";
}

static const char *byte_order(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first ? "little" : "big";
}

static bool add_text(tocha_context *cx, tocha_zip_writer *z, const char *name, const char *text) {
  return tocha_zip_add(cx, z, name, text, strlen(text));
}

static bool save_zip(tocha_context *cx, const tocha_value *root, tocha_sink *sink) {
  tocha_saver s = {.cx = cx};
  tocha_zip_writer z = {.sink = sink, .folder = "archive/", .start = sink->at};
  char name[40], identity[48];
  bool done = tocha_pickle(&s, root) && tocha_zip_add(cx, &z, "data.pkl", s.out.data, s.out.size) &&
              add_text(cx, &z, ".format_version", "1") &&
              add_text(cx, &z, ".storage_alignment", "64") &&
              add_text(cx, &z, "byteorder", byte_order());
  for (size_t i = 0; done && i < s.storages.count; i++) {
    size_t length;
    tocha_scope scope = tocha_scope_begin(cx);
    const tocha_tensor *t = storage_on_host(cx, s.storages.all[i]);
    snprintf(name, sizeof name, "data/%zu", i);
    const void *bytes = t ? bytes_of(t, &length) : NULL;
    done = t && tocha_zip_add(cx, &z, name, bytes, length);
    tocha_scope_end(cx, scope, NULL);
  }
  unsigned long long sums = z.sums;
  snprintf(identity, sizeof identity, "%020llu%020llu", sums, sums * 0x9E3779B97F4A7C15u);
  done = done && add_text(cx, &z, "version", "3\n") &&
         add_text(cx, &z, ".data/serialization_id", identity);
  done = tocha_zip_finish(cx, &z, done);
  tocha_saver_free(&s);
  return done;
}

/* The bytes before the object: the magic number, the protocol and the system, as pickles. */
static const char SYSTEM[] =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."
    "\x80\x02}q\x00(X\x10\x00\x00\x00protocol_versionq\x01M\xe9\x03X\x0d\x00\x00\x00little_"
    "endianq\x02\x88X\x0a\x00\x00\x00type_sizesq\x03}q\x04(X\x05\x00\x00\x00shortq\x05K\x02X\x03"
    "\x00\x00\x00intq\x06K\x04X\x04\x00\x00\x00longq\x07K\x04uu.";

/* Writes the keys of the storages, as a pickle of a list. */
static bool save_keys(tocha_context *cx, size_t count, tocha_sink *sink) {
  char key[24], head[5] = "X";
  bool done = tocha_sink_write(cx, sink, "\x80\x02](", 4);
  for (size_t i = 0; done && i < count; i++) {
    int length = snprintf(key, sizeof key, "%zu", i);
    head[1] = (char)length;
    head[2] = head[3] = head[4] = '\0';
    done = tocha_sink_write(cx, sink, head, 5) && tocha_sink_write(cx, sink, key, (size_t)length);
  }
  return done && tocha_sink_write(cx, sink, "e.", 2);
}

static bool save_legacy(tocha_context *cx, const tocha_value *root, tocha_sink *sink) {
  tocha_saver s = {.cx = cx, .legacy = true};
  bool done = tocha_pickle(&s, root) && tocha_sink_write(cx, sink, SYSTEM, sizeof SYSTEM - 1) &&
              tocha_sink_write(cx, sink, s.out.data, s.out.size) &&
              save_keys(cx, s.storages.count, sink);
  if (done && strcmp(byte_order(), "little") != 0)
    done = tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "the old format is written on little-endian machines only");
  for (size_t i = 0; done && i < s.storages.count; i++) {
    size_t length;
    tocha_scope scope = tocha_scope_begin(cx);
    const tocha_tensor *t = storage_on_host(cx, s.storages.all[i]);
    const void *bytes = t ? bytes_of(t, &length) : NULL;
    done = t && tocha_sink_write(cx, sink, &t->numel, sizeof t->numel) &&
           tocha_sink_write(cx, sink, bytes, length);
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_saver_free(&s);
  return done;
}

static bool save(tocha_context *cx, const tocha_checkpoint *c, tocha_sink *sink,
                 tocha_checkpoint_format format) {
  for (tocha_collection *l = c->collections; l; l = l->next) l->number = -1;
  if (format == TOCHA_FORMAT_LEGACY) return save_legacy(cx, c->root, sink);
  if (format == TOCHA_FORMAT_SAFETENSORS) return tocha_save_safetensors(cx, c->root, sink);
  return save_zip(cx, c->root, sink);
}

static bool usable(tocha_context *cx, const tocha_checkpoint *c) {
  if (tocha_failed(cx)) return false;
  return (c && c->root) || tocha_refuse_none(cx, "save", "obj", "checkpoint with a root");
}

bool tocha_save_to(tocha_context *cx, const tocha_checkpoint *c, const tocha_writer *writer,
                   tocha_checkpoint_format format) {
  if (!usable(cx, c) || !tocha_check_writer(cx, "save", writer)) return false;
  tocha_sink sink = {.writer = *writer};
  return save(cx, c, &sink, format);
}

bool tocha_save_file(tocha_context *cx, const tocha_checkpoint *c, FILE *file,
                     tocha_checkpoint_format format) {
  if (!tocha_check_file(cx, "save", file)) return false;
  tocha_writer writer = tocha_writer_of_file(file);
  return tocha_save_to(cx, c, &writer, format);
}

char *tocha_save_bytes(tocha_context *cx, const tocha_checkpoint *c, tocha_checkpoint_format format,
                       size_t *length) {
  if (!usable(cx, c)) return NULL;
  if (!length) return tocha_refuse_none(cx, "save", "length", "size_t *");
  tocha_sink sink = {.at = 0};
  char *bytes = NULL;
  if (save(cx, c, &sink, format)) {
    bytes = malloc(sink.block.size + 1);
    if (bytes)
      memcpy(bytes, sink.block.data, sink.block.size);
    else
      tocha_fail(cx, TOCHA_MEMORY_ERROR, "there is no memory for %zu bytes", sink.block.size);
    *length = sink.block.size;
  }
  tocha_bytes_free(cx, &sink.block);
  return bytes;
}

bool tocha_save(tocha_context *cx, const tocha_checkpoint *c, const char *path,
                tocha_checkpoint_format format) {
  tocha_new_file f;
  if (!usable(cx, c)) return false;
  if (!path) return tocha_refuse_none(cx, "save", "f", "str");
  if (!tocha_new_file_begin(cx, &f, path)) return false;
  tocha_sink sink = {.writer = tocha_writer_of_file(f.file)};
  return tocha_new_file_end(cx, &f, save(cx, c, &sink, format));
}

/* Returns a checkpoint of the module's state dict, or NULL with an error. */
static tocha_checkpoint *checkpoint_of_module(tocha_context *cx, tocha_module *module) {
  if (tocha_failed(cx)) return NULL;
  tocha_state_dict *dict = tocha_module_state_dict(cx, module, "", false);
  tocha_checkpoint *c = dict ? tocha_checkpoint_new(cx) : NULL;
  bool done = c && tocha_checkpoint_set_root(c, tocha_new_state_dict(c, dict));
  tocha_state_dict_release(dict);
  if (done) return c;
  tocha_checkpoint_free(c);
  return NULL;
}

bool tocha_module_save(tocha_context *cx, tocha_module *module, const char *path,
                       tocha_checkpoint_format format) {
  tocha_checkpoint *c = checkpoint_of_module(cx, module);
  bool done = c && tocha_save(cx, c, path, format);
  tocha_checkpoint_free(c);
  return done;
}

bool tocha_module_save_to(tocha_context *cx, tocha_module *module, const tocha_writer *writer,
                          tocha_checkpoint_format format) {
  tocha_checkpoint *c = checkpoint_of_module(cx, module);
  bool done = c && tocha_save_to(cx, c, writer, format);
  tocha_checkpoint_free(c);
  return done;
}

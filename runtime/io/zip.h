/* zip.h: zip archives: PyTorch's checkpoints, whose entries are stored uncompressed, each at a
 * multiple of 64, and NumPy's .npz. The format: PKWARE's APPNOTE, with the records for large
 * files (zip64). Numbers are little-endian. */
#ifndef TOCHA_ZIP_H
#define TOCHA_ZIP_H

#include "io/source.h"

typedef struct tocha_zip_entry {
  size_t name;          /* its position in `names` */
  int64_t record, at;   /* position of its local record, and of its bytes (-1 until they were
                         * located) */
  int64_t packed, size; /* bytes in the archive, and unpacked */
  uint32_t crc;
  int method, flags;
  bool checked; /* the checksum was verified */
} tocha_zip_entry;

/* A problem of an archive (the first three), or of an entry. */
typedef enum tocha_zip_problem {
  ZIP_NO_DIRECTORY,
  ZIP_BAD_MAGIC, /* in the directory */
  ZIP_BAD_DIRECTORY,
  ZIP_ENCRYPTED,
  ZIP_UNKNOWN_METHOD,
  ZIP_BAD_SIZES,
  ZIP_BAD_HEADER,
  ZIP_BAD_DATA,
  ZIP_BAD_SUM
} tocha_zip_problem;

/* The kind of archive that is read, which decides the words of errors. */
typedef struct tocha_zip_kind {
  void *(*fail)(tocha_context *cx, tocha_zip_problem problem,
                const char *name); /* NULL: no entry is concerned */
  bool zero_is_no_sum;             /* a checksum of 0 means that none was computed */
} tocha_zip_kind;

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

typedef struct tocha_zip {
  const tocha_source *source;
  const tocha_zip_kind *kind;
  tocha_zip_entry *entries;
  int64_t count, capacity;
  int *slots; /* hash table of names: entry number + 1 */
  int64_t slot_count;
  tocha_byte_block names; /* each ended by a zero */
} tocha_zip;

/* Reads the list of entries. If it fails, there is no archive to close. */
bool tocha_zip_open(tocha_context *cx, tocha_zip *z, const tocha_source *source,
                    const tocha_zip_kind *kind);
void tocha_zip_close(tocha_context *cx, tocha_zip *z);
const char *tocha_zip_name(const tocha_zip *z, int64_t i);
tocha_zip_entry *tocha_zip_find(tocha_zip *z, const char *name); /* NULL if there is none */
/* Locates the entry's bytes, and checks that all of them are in the archive. */
bool tocha_zip_locate(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e);
/* Unpacks all bytes into `to`, which has e->size bytes. Verifies the checksum. */
bool tocha_zip_read(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e, void *to);
/* Verifies the checksum of a stored entry, piece by piece. */
bool tocha_zip_check(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e);

typedef struct tocha_zip_writer {
  tocha_sink *sink;
  const char *folder; /* prefix of every name */
  tocha_byte_block directory;
  int64_t count, start; /* entries; position in the sink at which the archive begins */
  uint64_t sums;        /* combined checksums of the entries, for the archive's identity */
} tocha_zip_writer;

bool tocha_zip_add(tocha_context *cx, tocha_zip_writer *w, const char *name, const void *bytes,
                   size_t length);
/* Writes the directory if `done`. Frees the writer's memory, even if it fails. */
bool tocha_zip_finish(tocha_context *cx, tocha_zip_writer *w, bool done);

enum {
  ZIP_LOCAL = 0x04034b50,
  ZIP_CENTRAL = 0x02014b50,
  ZIP_END = 0x06054b50,
  ZIP_END64 = 0x06064b50,
  ZIP_LOCATOR64 = 0x07064b50,
  ZIP_LOCAL_SIZE = 30,
  ZIP_CENTRAL_SIZE = 46,
  ZIP_END_SIZE = 22,
  ZIP_END64_SIZE = 56,
  ZIP_LOCATOR64_SIZE = 20
};

#endif

/* io.h: reads and writes tensors in files: raw elements, memory-mapped files, NumPy's .npy and
 * .npz, tables of text.
 *
 * Files are the C library's, opened by the host in binary mode, or readers and writers (reader.h);
 * reading begins at the file's current position. What is written to a file may wait in its buffer, so
 * the host checks fclose. Sizes that a file states are checked before memory is allocated, as far as
 * the file's own size is known, and a wrong one is an error. */
#ifndef TOCHA_IO_H
#define TOCHA_IO_H

#include <stdio.h>

#include "tocha/reader.h"
#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- raw elements ----------------------------------------------------------------------------- */

/* Copies `count` elements (negative: all) from `offset` bytes on, in this machine's byte order
 * (torch.frombuffer). */
TOCHA_API tocha_tensor *tocha_from_buffer(tocha_context *cx, const void *bytes, size_t length,
                                          tocha_dtype dtype, int64_t count, int64_t offset);
/* Do the same with the rest of a file. A picture for image.h is read so, as TOCHA_UINT8. */
TOCHA_API tocha_tensor *tocha_from_stream(tocha_context *cx, FILE *file, tocha_dtype dtype,
                                          int64_t count, int64_t offset);
TOCHA_API tocha_tensor *tocha_from_reader(tocha_context *cx, const tocha_reader *reader,
                                          tocha_dtype dtype, int64_t count, int64_t offset);
/* Maps `size` elements of a file, from `offset` bytes on, into memory (torch.from_file). shared:
 * writes go to the file, which is created and enlarged if necessary; otherwise they stay in this
 * process. */
TOCHA_API tocha_tensor *tocha_from_file(tocha_context *cx, const char *filename, bool shared,
                                        int64_t size, tocha_dtype dtype, int64_t offset);
/* Writes the elements to a file, row by row. */
TOCHA_API bool tocha_to_stream(tocha_context *cx, FILE *file, tocha_tensor *tensor);
TOCHA_API bool tocha_to_writer(tocha_context *cx, const tocha_writer *writer, tocha_tensor *tensor);

/* Decompresses gzip data and verifies its checksum. Both tensors are bytes: uint8, one
 * dimension. */
TOCHA_API tocha_tensor *tocha_gunzip(tocha_context *cx, tocha_tensor *bytes);
/* Compresses bytes into zlib's format, which PNG and PDF files contain. level: 0 (stored) to 9
 * (smallest). */
TOCHA_API tocha_tensor *tocha_compress(tocha_context *cx, tocha_tensor *bytes, int level);
/* Computes the MD5 sum of the rest of a file, in hexadecimal digits. */
TOCHA_API bool tocha_md5(tocha_context *cx, FILE *file, char sum[33]);
TOCHA_API bool tocha_md5_from(tocha_context *cx, const tocha_reader *reader, char sum[33]);

/* Tells a file's kind by its first `length` bytes (give at least 512 if the file has as many).
 * The first returns a name such as "a Git LFS pointer", the second how to read the file or to
 * get the right one. Both return NULL if the kind is not known. */
TOCHA_API const char *tocha_file_kind_name(const char *head, size_t length);
TOCHA_API const char *tocha_file_kind_cure(const char *head, size_t length);

/* --- replacing a file ------------------------------------------------------------------------- */

/* Writes a new file beside `path`, which replaces the old one when it is complete and on the
 * disk: if the process is killed, either the old file or the new one is there. A device or a
 * pipe is written directly. */
typedef struct tocha_file_writer tocha_file_writer;
TOCHA_API tocha_file_writer *tocha_file_begin(tocha_context *cx, const char *path);
TOCHA_API FILE *
tocha_file_stream(const tocha_file_writer *writer); /* owned by the writer: do not close it */
/* Frees the writer, even if it fails. */
TOCHA_API bool tocha_file_finish(tocha_context *cx, tocha_file_writer *writer);
/* Frees the writer and deletes the unfinished file. */
TOCHA_API void tocha_file_abandon(tocha_file_writer *writer);

/* --- NumPy's .npy ------------------------------------------------------------------------------- */

/* The head of an .npy file. */
typedef struct tocha_npy_head {
  tocha_dtype dtype;
  int foreign;        /* -1, or the number of the file's type if its elements are converted to dtype
                       * (uint16: int32) */
  bool swapped;       /* stored in the other byte order */
  bool fortran_order; /* column after column */
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  int64_t bytes; /* length of the head */
} tocha_npy_head;

/* Reads a head, and leaves the file at the first element. */
TOCHA_API bool tocha_npy_read_head(tocha_context *cx, FILE *file, tocha_npy_head *head);
TOCHA_API bool tocha_npy_read_head_from(tocha_context *cx, const tocha_reader *reader,
                                        tocha_npy_head *head);
/* Reads an .npy file of version 1, 2 or 3, in either byte order, row-major or column-major
 * (numpy.load). Refuses object arrays, structured dtypes, and others that Tocha lacks. */
TOCHA_API tocha_tensor *tocha_npy_read(tocha_context *cx, FILE *file);
TOCHA_API tocha_tensor *tocha_npy_read_from(tocha_context *cx, const tocha_reader *reader);
/* Writes an .npy file byte for byte as NumPy does (numpy.save). Refuses bfloat16, which NumPy
 * lacks. */
TOCHA_API bool tocha_npy_write(tocha_context *cx, FILE *file, tocha_tensor *tensor);
TOCHA_API bool tocha_npy_write_to(tocha_context *cx, const tocha_writer *writer,
                                  tocha_tensor *tensor);

/* --- NumPy's .npz: a zip archive of .npy files --------------------------------------------------- */

typedef struct tocha_npz tocha_npz;
/* Reads the list of members of an archive, which stands at its end: of a file that can seek, which
 * must stay open, from its first byte on, or of a reader, from its position on. Members are read when
 * they are asked for. Returns NULL with an error if it fails. */
TOCHA_API tocha_npz *tocha_npz_open(tocha_context *cx, FILE *file);
TOCHA_API tocha_npz *tocha_npz_open_from(tocha_context *cx, const tocha_reader *reader);
TOCHA_API int64_t tocha_npz_count(const tocha_npz *npz);
TOCHA_API const char *tocha_npz_name(const tocha_npz *npz, int64_t member); /* "x.npy" */
/* Reads a member into a tensor. If it is not an .npy file, or contains texts or objects (see tocha_load_pickle), returns its bytes
 * and sets *is_array to false. Checksums are verified. */
TOCHA_API tocha_tensor *tocha_npz_read(tocha_context *cx, tocha_npz *npz, int64_t member,
                                       bool *is_array);
TOCHA_API void tocha_npz_close(tocha_npz *npz);

typedef struct tocha_npz_writer tocha_npz_writer;
/* Begins an archive. compressed: members are deflated, else stored. */
TOCHA_API tocha_npz_writer *tocha_npz_begin(tocha_context *cx, FILE *file, bool compressed);
TOCHA_API tocha_npz_writer *tocha_npz_begin_to(tocha_context *cx, const tocha_writer *writer,
                                               bool compressed);
/* Adds a member. `name` ends with ".npy". */
TOCHA_API bool tocha_npz_add(tocha_context *cx, tocha_npz_writer *writer, const char *name,
                             tocha_tensor *tensor);
/* Writes the list of members, and frees the writer. */
TOCHA_API bool tocha_npz_finish(tocha_context *cx, tocha_npz_writer *writer);
/* Frees the writer, and leaves the file unfinished. */
TOCHA_API void tocha_npz_abandon(tocha_npz_writer *writer);

/* --- tables of text ------------------------------------------------------------------------------ */

/* Rules that split lines into fields. */
typedef struct tocha_text_rules {
  const char *delimiter; /* between fields; NULL: any blanks */
  const char *comments;  /* starts a comment, which ends with the line; NULL: no comments */
  char quote;            /* around fields that contain delimiters or line ends; 0: none */
  bool trim;             /* ignore blanks at both ends of a line */
  const char
      *encoding; /* the file's, by its name in Python: "latin1"; NULL: bytes stay as they are */
} tocha_text_rules;

typedef struct tocha_text tocha_text;
/* Reads the rest of the file, which gzip, bzip2 or xz may have compressed. Copies the rules.
 * Returns NULL with an error if it fails. */
TOCHA_API tocha_text *tocha_text_open(tocha_context *cx, FILE *file, const tocha_text_rules *rules);
TOCHA_API tocha_text *tocha_text_open_from(tocha_context *cx, const tocha_reader *reader,
                                           const tocha_text_rules *rules);
TOCHA_API void tocha_text_close(tocha_text *text);
/* Skips lines without interpreting them. */
TOCHA_API void tocha_text_skip(tocha_text *text, int64_t lines);
/* Chooses if comments are kept as data from now on, or cut off. */
TOCHA_API void tocha_text_keep_comments(tocha_text *text, bool keep);
/* Reads the next row that is not empty. Returns false at the end of the file, or with an error. */
TOCHA_API bool tocha_text_next(tocha_context *cx, tocha_text *text);
TOCHA_API int64_t tocha_text_field_count(const tocha_text *text); /* this row's */
/* Returns a field of this row, valid until the next row is read. It does not end with a zero
 * byte. */
TOCHA_API const char *tocha_text_field(const tocha_text *text, int64_t field, size_t *length);
TOCHA_API int64_t tocha_text_line(const tocha_text *text); /* this row's, from 1 */
TOCHA_API int64_t tocha_text_next_line(const tocha_text *text);
/* Returns the position of the next row; tocha_text_go moves back there. */
TOCHA_API size_t tocha_text_position(const tocha_text *text);
TOCHA_API void tocha_text_go(tocha_text *text, size_t position, int64_t line);

/* Parses a number, with blanks around it ignored, as an element of dtype. Whole numbers are
 * exact, others are rounded to the nearest; nan, inf and infinity may be in any case. Returns
 * false if the text is not a number, or one that dtype cannot represent. Ignores the locale. */
TOCHA_API bool tocha_parse_number(const char *text, size_t length, tocha_dtype dtype,
                                  void *element);

#ifdef __cplusplus
}
#endif
#endif

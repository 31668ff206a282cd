/* io.h: files and bytes as tensors: raw elements, memory-mapped files, NumPy's .npy and .npz, tables of text.
 *
 * Files are the C library's, opened by the host in binary mode; reading begins where a file stands. What a file says
 * of itself is checked before memory is asked for: a file that lies is an error. */
#ifndef TOCHA_IO_H
#define TOCHA_IO_H

#include <stdio.h>

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- elements as they lie in memory ------------------------------------------------------------ */

/* torch.frombuffer: `count` elements (negative: all) from `offset` bytes on, copied; in this machine's byte order. */
TOCHA_API tocha_tensor *tocha_from_buffer(tocha_context *cx, const void *bytes, size_t length,
                                          tocha_dtype dtype, int64_t count, int64_t offset);
/* The same of what is left in a file. */
TOCHA_API tocha_tensor *tocha_from_stream(tocha_context *cx, FILE *file, tocha_dtype dtype,
                                          int64_t count, int64_t offset);
/* torch.from_file: `size` elements of a file, mapped into memory, from `offset` bytes on. shared: writes go to the file,
 * which is created and grown where that is needed; otherwise they stay in this process. */
TOCHA_API tocha_tensor *tocha_from_file(tocha_context *cx, const char *filename, bool shared,
                                        int64_t size, tocha_dtype dtype, int64_t offset);
/* Writes the elements, row after row, to a file. */
TOCHA_API bool tocha_to_stream(tocha_context *cx, FILE *file, tocha_tensor *tensor);

/* What a file holds that gzip compressed; both are bytes: uint8 of one dimension. Its sum is checked. */
TOCHA_API tocha_tensor *tocha_gunzip(tocha_context *cx, tocha_tensor *bytes);
/* The MD5 sum of what is left in a file, in hexadecimal digits. */
TOCHA_API bool tocha_md5(tocha_context *cx, FILE *file, char sum[33]);

/* Tell a file's kind by its first `length` bytes (give at least 512 if the file has as many). The first returns a name such as
 * "a Git LFS pointer", the second how to read the file or to get the right one. Both return NULL if the kind is not known. */
TOCHA_API const char *tocha_file_kind_name(const char *head, size_t length);
TOCHA_API const char *tocha_file_kind_cure(const char *head, size_t length);

/* --- a file that takes another's place ---------------------------------------------------------- */

/* It is written beside `path`, and takes its place once it is whole and on the disk: whenever the process is killed, the old
 * file or the new one is there. A device or a pipe is written as it is. */
typedef struct tocha_file_writer tocha_file_writer;
TOCHA_API tocha_file_writer *tocha_file_begin(tocha_context *cx, const char *path);
TOCHA_API FILE *
tocha_file_stream(const tocha_file_writer *writer); /* the writer's: not to be closed */
/* The writer is gone then, also where this fails. */
TOCHA_API bool tocha_file_finish(tocha_context *cx, tocha_file_writer *writer);
/* The writer goes, and with it what was written. */
TOCHA_API void tocha_file_abandon(tocha_file_writer *writer);

/* --- NumPy's .npy ------------------------------------------------------------------------------- */

/* What the head of an .npy file says, and where its elements begin. */
typedef struct tocha_npy_head {
  tocha_dtype dtype;
  int foreign; /* -1, or the number of the file's type, whose elements are converted to dtype (uint16: int32) */
  bool swapped;       /* in the other byte order */
  bool fortran_order; /* column after column */
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  int64_t bytes; /* of the head */
} tocha_npy_head;

/* Reads a head; the file stands at the elements then. */
TOCHA_API bool tocha_npy_read_head(tocha_context *cx, FILE *file, tocha_npy_head *head);
/* numpy.load of an .npy file: version 1, 2 or 3, either byte order, rows or columns first. Object arrays, structured and
 * other dtypes that Tocha lacks are refused. */
TOCHA_API tocha_tensor *tocha_npy_read(tocha_context *cx, FILE *file);
/* numpy.save: byte for byte what NumPy writes. bfloat16, which NumPy lacks, is refused. */
TOCHA_API bool tocha_npy_write(tocha_context *cx, FILE *file, tocha_tensor *tensor);

/* --- NumPy's .npz: a zip archive of .npy files --------------------------------------------------- */

typedef struct tocha_npz tocha_npz;
/* Reads the list of members of an archive (a file that can seek), which must stay open. NULL with an error. */
TOCHA_API tocha_npz *tocha_npz_open(tocha_context *cx, FILE *file);
TOCHA_API int64_t tocha_npz_count(const tocha_npz *npz);
TOCHA_API const char *tocha_npz_name(const tocha_npz *npz, int64_t member); /* "x.npy" */
/* Reads a member into a tensor. If it is not an .npy file, or holds texts or objects (see tocha_load_pickle), returns its bytes
 * and sets *is_array to false. Checksums are verified. */
TOCHA_API tocha_tensor *tocha_npz_read(tocha_context *cx, tocha_npz *npz, int64_t member,
                                       bool *is_array);
TOCHA_API void tocha_npz_close(tocha_npz *npz);

typedef struct tocha_npz_writer tocha_npz_writer;
/* compressed: by zlib, which is opened for it; stored as they are where it is not there. */
TOCHA_API tocha_npz_writer *tocha_npz_begin(tocha_context *cx, FILE *file, bool compressed);
/* name: with ".npy". */
TOCHA_API bool tocha_npz_add(tocha_context *cx, tocha_npz_writer *writer, const char *name,
                             tocha_tensor *tensor);
/* Writes the list of members. The writer is gone then. */
TOCHA_API bool tocha_npz_finish(tocha_context *cx, tocha_npz_writer *writer);
/* The writer goes, and leaves the file as it is. */
TOCHA_API void tocha_npz_abandon(tocha_npz_writer *writer);
/* The version of zlib, which is opened by the call, or NULL. */
TOCHA_API const char *tocha_zlib_version(void);

/* --- tables of text ------------------------------------------------------------------------------ */

/* How lines are cut into fields. */
typedef struct tocha_text_rules {
  const char *delimiter; /* between fields; NULL: any blanks */
  const char *comments;  /* begins what is no data, to the end of a line; NULL: nothing does */
  char quote;            /* around fields that hold delimiters or line ends; 0: none */
  bool trim;             /* blanks around a line are no part of it */
  const char
      *encoding; /* the file's, by its name in Python: "latin1"; NULL: bytes stay as they are */
} tocha_text_rules;

typedef struct tocha_text tocha_text;
/* Reads the rest of the file, which gzip, bzip2 or xz may have compressed. Copies the rules. Returns NULL with an error set. */
TOCHA_API tocha_text *tocha_text_open(tocha_context *cx, FILE *file, const tocha_text_rules *rules);
TOCHA_API void tocha_text_close(tocha_text *text);
/* Leaves out lines as they are. */
TOCHA_API void tocha_text_skip(tocha_text *text, int64_t lines);
/* Whether comments are cut off from now on. */
TOCHA_API void tocha_text_keep_comments(tocha_text *text, bool keep);
/* The next row that is not empty; false at the end, and with an error. */
TOCHA_API bool tocha_text_next(tocha_context *cx, tocha_text *text);
TOCHA_API int64_t tocha_text_field_count(const tocha_text *text); /* of this row */
/* A field of this row, which lasts to the next one; not ended by a zero. */
TOCHA_API const char *tocha_text_field(const tocha_text *text, int64_t field, size_t *length);
TOCHA_API int64_t tocha_text_line(const tocha_text *text); /* of this row, from 1 */
TOCHA_API int64_t tocha_text_next_line(const tocha_text *text);
/* Where the next row begins, and going back there. */
TOCHA_API size_t tocha_text_position(const tocha_text *text);
TOCHA_API void tocha_text_go(tocha_text *text, size_t position, int64_t line);

/* The number that a text is, blanks around it left out, as an element of dtype: whole numbers exactly, others to the nearest;
 * nan, inf and infinity in any case. false where it is none, or has no place in dtype. Knows no locale. */
TOCHA_API bool tocha_parse_number(const char *text, size_t length, tocha_dtype dtype,
                                  void *element);

#ifdef __cplusplus
}
#endif
#endif

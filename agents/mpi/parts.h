/* Arrays kept on disk as they are in memory, one file ("part") for each rank.

   A file is a header of one page and the arrays in host byte order: each starts at a multiple of PART_PAGE, with zeroes
   between, some 64 bytes at least, because loops over lists read whole strides. A checksum covers all of it. A part may
   be mapped, so that every run shares what the kernel keeps of it, or read into huge pages, which random access over
   large arrays is faster in. Files are written under another name, renamed, and never written again. */
#ifndef PREDICT_MPI_PARTS_H
#define PREDICT_MPI_PARTS_H
#include <stddef.h>
#include <stdint.h>

enum { PART_PAGE = 4096 };

/* How a program's own header begins; all of it is at most a page. */
struct part_head {
    char magic[8];
    uint64_t file_bytes, checksum; /* the sum is over the whole file with zero in its own place */
};

struct section {
    void **data;
    size_t bytes;
};

/* The length of a part with these arrays. */
size_t part_bytes(const struct section *s, int n);

/* True when the file has a header of that kind, and the length that it says. */
int part_read_head(int fd, struct part_head *head, size_t head_bytes, const char magic[8]);

/* Maps a part whose header was found right and points the sections into it; returns the mapping (head->file_bytes
   long), or NULL where a byte of it is not as written. */
void *part_map(int fd, const struct part_head *head, size_t head_bytes, const struct section *s, int n);

/* The same by reading; the memory is free()d. */
void *part_read(int fd, const struct part_head *head, size_t head_bytes, const struct section *s, int n);

/* Fills the head's length and sum and writes; false where the file cannot be written. The folder `dir` is made. */
int part_save(const char *dir, const char *path, struct part_head *head, size_t head_bytes, const struct section *s,
              int n);

#endif

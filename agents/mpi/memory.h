/* Memory that is there or ends the run: one sentence, exit status 4. */
#ifndef PREDICT_MPI_MEMORY_H
#define PREDICT_MPI_MEMORY_H
#include <stddef.h>

enum { EXIT_USAGE = 2, EXIT_INVALID = 3, EXIT_MEMORY = 4 };

void *take(size_t bytes);      /* 64-byte aligned, contents undefined */
void *take_zero(size_t bytes); /* the same, all zero */
void *take_more(void *old, size_t old_bytes, size_t new_bytes);
/* Memory that is freed goes back to the kernel, however often large pieces come and go. Call once, first. */
void give_memory_back(void);

void out_of_memory(size_t bytes) __attribute__((noreturn));

#endif

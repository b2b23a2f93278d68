/* How long the calling thread was ready to run and had no processor. */
#ifndef PREDICT_MPI_TRACE_QUEUED_H
#define PREDICT_MPI_TRACE_QUEUED_H
#include <stdint.h>

/* Since it was last asked in this thread, ns; 0 where it was asked a moment ago (see queued.c) or the kernel does not
 * tell. */
int64_t queued_since_ns(int64_t now_ns);

#endif

/* Keeps the calls of a rank within the records that it may have: short calls in a row share one. */
#ifndef PREDICT_MPI_TRACE_MERGE_H
#define PREDICT_MPI_TRACE_MERGE_H
#include "store.h"

/* Adds the record behind the last one to that, where both are short; 0: they stay apart. */
int merge_last(struct store *calls, const struct call_record *next);
/* Makes room by calling longer calls short. 0: there is none to be made. */
int merge_calls(struct store *calls);

#endif

/* One definition stands before the MPI library's own for both names of a call: C programs call MPI_*, and the Fortran
   bindings of Open MPI call PMPI_* (those of MPICH MPI_*). What lies below a call that is recorded is not recorded. */
#ifndef PREDICT_MPI_TRACE_WRAP_H
#define PREDICT_MPI_TRACE_WRAP_H
#include <mpi.h>

#include "recorder.h"

/* The library's own; ends the process with a sentence where there is none. */
void *next_symbol(const char *name);
static inline void *next_of(void **known, const char *name)
{
    if (!*known) *known = next_symbol(name);
    return *known;
}

#define VISIBLE __attribute__((visibility("default")))

/* Head of the definition of MPI_<name>. */
#define WRAP(name, parameters)                                               \
    static void *next_##name;                                                \
    VISIBLE int PMPI_##name parameters __attribute__((alias("MPI_" #name))); \
    VISIBLE int MPI_##name parameters

/* The call itself, in a definition that WRAP began. */
#define NEXT(name) ((__typeof__(&MPI_##name))next_of(&next_##name, "PMPI_" #name))

/* A whole definition: `note`, statements about the call `c`, runs where it is recorded. */
#define PLAIN(name, parameters, arguments, note)          \
    WRAP(name, parameters)                                \
    {                                                     \
        struct call c = call_begin(CALL_##name);          \
        int result = call_stop(&c, NEXT(name) arguments); \
        if (c.on) {                                       \
            note;                                         \
        }                                                 \
        return call_finish(&c, result);                   \
    }

static inline int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    int size = 0;
    if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
    return count > 0 && size > 0 ? count * size : 0;
}

#endif

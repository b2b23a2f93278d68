/* From MPI_Init to MPI_Finalize, or to the end of the process, and the marks between them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrap.h"

void *next_symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) found = dlsym(RTLD_DEFAULT, name);
    if (found) return found;
    fprintf(stderr, "predict: the MPI library has no %s, which this program calls under trace: mpi\n", name);
    _exit(127);
}

#ifdef OPEN_MPI
static const char built_for[] = "Open MPI";
#else
static const char built_for[] = "MPICH";
#endif

/* Handles are pointers in one library and numbers in the other. */
static void refuse_others(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(version, &length);
    if ((strncmp(version, "Open MPI", 8) == 0) == (strcmp(built_for, "Open MPI") == 0)) return;
    version[strcspn(version, "\n")] = '\0';
    fprintf(stderr, "predict: the trace was built for %s, this program runs with '%.60s'\n", built_for, version);
    _exit(127);
}

static void open_trace(void)
{
    int rank, ranks, level = MPI_THREAD_SINGLE;
    if (!getenv("PREDICT_MPI_TRACE")) return;
    refuse_others();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Query_thread(&level);
    recorder_open(rank, ranks, level == MPI_THREAD_MULTIPLE);
}

PLAIN(Init, (int *argc, char ***argv), (argc, argv), open_trace())

PLAIN(Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided),
      open_trace())

WRAP(Finalize, (void))
{
    struct call c = call_begin(CALL_Finalize);
    int result = call_stop(&c, NEXT(Finalize)());
    result = call_finish(&c, result);
    recorder_close(1);
    return result;
}

/* A mark of the program (MPI 3.1, section 14.2.4); recording goes on at any level. What a program says beside the level
   is of a tool's own kind and not handed on: MPI libraries take none of it. */
WRAP(Pcontrol, (const int level, ...))
{
    struct call c = call_begin(level > 0 ? CALL_Pcontrol_on : CALL_Pcontrol_off);
    int result = call_stop(&c, NEXT(Pcontrol)(level));
    return call_finish(&c, result);
}

__attribute__((destructor)) static void at_exit(void) { recorder_close(0); }

/* /proc/PID/maps, proc(5). Names of libraries: Open MPI's libmpi.so has the numbers 1, 12, 20 and 40 (its VERSION
   file), and libopen-pal beside it; MPICH, MVAPICH and Intel MPI share libmpi.so.12 (the ABI Compatibility Initiative),
   MPICH's own name in Debian is libmpich, and Cray's libmpi_COMPILER. */
#include "mpi-library.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const open_mpi[] = {"/libopen-pal.so", "/libopen-rte.so", "/libmpi.so.40", NULL};
static const char *const mpich_like[] = {"/libmpich.so", "/libmpi.so.12", "/libmpi_cray",
                                         "/libmpi_gnu",  "/libmpi_intel", NULL};

static bool holds(const char *line, const char *const *names)
{
    for (; *names; names++)
        if (strstr(line, *names)) return true;
    return false;
}

enum mpi_library mpi_library_of(int pid)
{
    char path[32], line[4352];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    if (!maps) return NO_MPI_LIBRARY;
    enum mpi_library found = NO_MPI_LIBRARY;
    /* Older versions of Open MPI have a libmpi.so.12 too, and libopen-pal with it. */
    while (found != OPEN_MPI && fgets(line, sizeof line, maps)) {
        if (holds(line, open_mpi)) found = OPEN_MPI;
        else if (holds(line, mpich_like)) found = MPICH_LIKE;
    }
    fclose(maps);
    return found;
}

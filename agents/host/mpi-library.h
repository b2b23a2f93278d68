/* Which MPI a process uses, by the libraries that it has mapped. */
#ifndef MPI_LIBRARY_H
#define MPI_LIBRARY_H

enum mpi_library { NO_MPI_LIBRARY, OPEN_MPI, MPICH_LIKE };

/* What is known of it now: a program that loads MPI later has none before, and one that is linked with it statically
 * never. */
enum mpi_library mpi_library_of(int pid);

#endif

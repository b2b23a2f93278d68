/* plant CAUSE [STEPS]: ranks in a ring compute, exchange halos and add up, with one cause of slowness planted:
   none | imbalance | serial | latency | bandwidth | memory | halo (nothing, with messages that need the links). A slow host or link is planted from outside. Prints
   "took S s" over the steps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double ms)
{
    const double until = cpu_s() + ms / 1e3;
    volatile double x = 1;
    while (cpu_s() < until)
        for (int i = 0; i < 200; i++) x = x * 1.0000001 + 1e-9;
}

static void stream(double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] = 0.5 * a[i] + b[i];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *cause = argc > 1 ? argv[1] : "none";
    const int steps = argc > 2 ? atoi(argv[2]) : 15;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int is = strcmp(cause, "imbalance") == 0, serial = strcmp(cause, "serial") == 0;
    const int latency = strcmp(cause, "latency") == 0, bandwidth = strcmp(cause, "bandwidth") == 0;
    const int memory = strcmp(cause, "memory") == 0;
    const size_t bytes = bandwidth ? 600000 : strcmp(cause, "halo") == 0 ? 200000 : 20000, words = (size_t)4 << 20;
    const double ms = latency || bandwidth ? 0.3 : 3;
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    char *out = calloc(2, bytes), *in = calloc(2, bytes);
    double *a = calloc(words, sizeof *a), *b = calloc(words, sizeof *b);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        compute(is && rank == 0 ? 3 * ms : ms);
        if (memory) stream(a, b, words);
        MPI_Request all[4];
        MPI_Irecv(in, (int)bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &all[0]);
        MPI_Irecv(in + bytes, (int)bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(out, (int)bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &all[2]);
        MPI_Isend(out + bytes, (int)bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &all[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        if (latency) {
            char mine[8] = {0}, theirs[8];
            for (int i = 0; i < 40; i++)
                MPI_Sendrecv(mine, 8, MPI_BYTE, right, 3, theirs, 8, MPI_BYTE, left, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        }
        double sum = rank, total;
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (serial) {
            if (rank == 0) compute(3 * ms);
            MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
    }
    const double took = MPI_Wtime() - began;
    if (rank == 0) printf("took %.6f s\n", took);
    MPI_Finalize();
    free(out), free(in), free(a), free(b);
    return 0;
}

/* A count and then the records as they are, in pieces that MPI's int can count. */
#include "gather.h"

#include <mpi.h>
#include <stdlib.h>

#include "memory.h"

enum { TAG = 91, PIECE = 1 << 30 };

static int piece_of(size_t left) { return left < PIECE ? (int)left : PIECE; }

static void send_all(const char *data, uint64_t count, size_t bytes)
{
    MPI_Send(&count, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Send(data + at, piece_of(bytes - at), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static char *receive_all(int rank, uint64_t *count, size_t size)
{
    MPI_Recv(count, 1, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    size_t bytes = *count * size;
    char *data = take(bytes);
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Recv(data + at, piece_of(bytes - at), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return data;
}

void gather(const void *records, uint64_t count, size_t size, gathered take_in, void *context)
{
    int self, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (self != 0) {
        send_all(records, count, count * size);
        return;
    }
    take_in(context, 0, records, count);
    for (int rank = 1; rank < ranks; rank++) {
        uint64_t of_rank;
        char *data = receive_all(rank, &of_rank, size);
        take_in(context, rank, data, of_rank);
        free(data);
    }
}

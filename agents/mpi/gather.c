/* A count, a length, and the records in pieces that MPI's int can count. Links may be slow, and records are much like
   the ones before them: of each record only the bytes that differ from those before it are sent, behind a bit for each
   byte that says whether it differs. */
#include "gather.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { TAG = 91, PIECE = 1 << 30 };

static size_t bits_of(size_t size) { return (size + 7) / 8; }

/* Returns the length of what `to` has then, which must have room for all bytes and bits. */
static size_t pack(const uint8_t *records, uint64_t count, size_t size, uint8_t *to)
{
    uint8_t *out = to;
    for (uint64_t r = 0; r < count; r++) {
        const uint8_t *record = records + r * size;
        uint8_t *bits = out;
        out += bits_of(size);
        memset(bits, 0, bits_of(size));
        for (size_t k = 0; k < size; k++) {
            uint8_t differs = r > 0 ? record[k] ^ record[k - size] : record[k];
            if (!differs) continue;
            bits[k / 8] |= (uint8_t)(1 << k % 8);
            *out++ = differs;
        }
    }
    return (size_t)(out - to);
}

static void unpack(const uint8_t *from, uint64_t count, size_t size, uint8_t *records)
{
    for (uint64_t r = 0; r < count; r++) {
        uint8_t *record = records + r * size;
        const uint8_t *bits = from;
        from += bits_of(size);
        for (size_t k = 0; k < size; k++) {
            record[k] = r > 0 ? record[k - size] : 0;
            if (bits[k / 8] >> k % 8 & 1) record[k] ^= *from++;
        }
    }
}

static int piece_of(size_t left) { return left < PIECE ? (int)left : PIECE; }

static void send_all(const void *records, uint64_t count, size_t size)
{
    uint8_t *packed = take(count * (size + bits_of(size)));
    uint64_t head[2] = {count, pack(records, count, size, packed)};
    MPI_Send(head, 2, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    for (size_t at = 0; at < head[1]; at += PIECE)
        MPI_Send(packed + at, piece_of(head[1] - at), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    free(packed);
}

static uint8_t *receive_all(int rank, uint64_t *count, size_t size)
{
    uint64_t head[2];
    MPI_Recv(head, 2, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint8_t *packed = take(head[1]), *records = take(head[0] * size);
    for (size_t at = 0; at < head[1]; at += PIECE)
        MPI_Recv(packed + at, piece_of(head[1] - at), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unpack(packed, head[0], size, records);
    free(packed);
    *count = head[0];
    return records;
}

void gather(const void *records, uint64_t count, size_t size, gathered take_in, void *context)
{
    int self, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (self != 0) {
        send_all(records, count, size);
        return;
    }
    take_in(context, 0, records, count);
    for (int rank = 1; rank < ranks; rank++) {
        uint64_t of_rank;
        uint8_t *received = receive_all(rank, &of_rank, size);
        take_in(context, rank, received, of_rank);
        free(received);
    }
}

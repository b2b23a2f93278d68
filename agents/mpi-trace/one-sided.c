/* Windows, access to them and their synchronisation (MPI 3.1, chapter 11). */
#include "groups.h"
#include "messages.h"
#include "wrap.h"

static void note_window(struct call *c, MPI_Comm comm, MPI_Win window, int result)
{
    note_collective(c, comm, -1, 0);
    if (result == MPI_SUCCESS) window_made(window, comm);
}

static void note_access(struct call *c, MPI_Win window, int rank, int64_t bytes)
{
    c->peer = world_rank(group_of_window(window), rank);
    c->bytes = bytes;
}

static void note_fence(struct call *c, MPI_Win window)
{
    struct group *g = group_of_window(window);
    if (!g) return;
    c->group = g->id;
    c->order = ++g->collectives;
}

PLAIN(Win_create, (void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
      (base, bytes, unit, info, comm, window), note_window(&c, comm, *window, result))
PLAIN(Win_allocate, (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
      (bytes, unit, info, comm, base, window), note_window(&c, comm, *window, result))
PLAIN(Win_allocate_shared, (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
      (bytes, unit, info, comm, base, window), note_window(&c, comm, *window, result))
PLAIN(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *window), (info, comm, window),
      note_window(&c, comm, *window, result))

WRAP(Win_free, (MPI_Win * window))
{
    struct call c = call_begin(CALL_Win_free);
    MPI_Win before = *window;
    int result = call_stop(&c, NEXT(Win_free)(window));
    if (c.on) {
        note_fence(&c, before);
        window_freed(before);
    }
    return call_finish(&c, result);
}

#define ORIGIN const void *out, int out_count, MPI_Datatype out_type
#define RESULT void *in, int in_count, MPI_Datatype in_type
#define TARGET int rank, MPI_Aint place, int count, MPI_Datatype type
#define WITH_REQUEST request_add(*request, &(struct request){.kind = REQUEST_OTHER})

PLAIN(Put, (ORIGIN, TARGET, MPI_Win window), (out, out_count, out_type, rank, place, count, type, window),
      note_access(&c, window, rank, bytes_of(out_count, out_type)))
PLAIN(Rput, (ORIGIN, TARGET, MPI_Win window, MPI_Request *request),
      (out, out_count, out_type, rank, place, count, type, window, request),
      note_access(&c, window, rank, bytes_of(out_count, out_type));
      WITH_REQUEST)
PLAIN(Get, (RESULT, TARGET, MPI_Win window), (in, in_count, in_type, rank, place, count, type, window),
      note_access(&c, window, rank, 0))
PLAIN(Rget, (RESULT, TARGET, MPI_Win window, MPI_Request *request),
      (in, in_count, in_type, rank, place, count, type, window, request), note_access(&c, window, rank, 0);
      WITH_REQUEST)
PLAIN(Accumulate, (ORIGIN, TARGET, MPI_Op op, MPI_Win window),
      (out, out_count, out_type, rank, place, count, type, op, window),
      note_access(&c, window, rank, bytes_of(out_count, out_type)))
PLAIN(Raccumulate, (ORIGIN, TARGET, MPI_Op op, MPI_Win window, MPI_Request *request),
      (out, out_count, out_type, rank, place, count, type, op, window, request),
      note_access(&c, window, rank, bytes_of(out_count, out_type));
      WITH_REQUEST)
PLAIN(Get_accumulate, (ORIGIN, RESULT, TARGET, MPI_Op op, MPI_Win window),
      (out, out_count, out_type, in, in_count, in_type, rank, place, count, type, op, window),
      note_access(&c, window, rank, bytes_of(count, type)))
PLAIN(Rget_accumulate, (ORIGIN, RESULT, TARGET, MPI_Op op, MPI_Win window, MPI_Request *request),
      (out, out_count, out_type, in, in_count, in_type, rank, place, count, type, op, window, request),
      note_access(&c, window, rank, bytes_of(count, type));
      WITH_REQUEST)
PLAIN(Fetch_and_op, (const void *out, void *in, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op, MPI_Win window),
      (out, in, type, rank, place, op, window), note_access(&c, window, rank, bytes_of(1, type)))
PLAIN(Compare_and_swap,
      (const void *out, const void *compare, void *in, MPI_Datatype type, int rank, MPI_Aint place, MPI_Win window),
      (out, compare, in, type, rank, place, window), note_access(&c, window, rank, bytes_of(1, type)))

PLAIN(Win_fence, (int assert, MPI_Win window), (assert, window), note_fence(&c, window))

#define ON_WINDOW(name) PLAIN(name, (MPI_Win window), (window), )
#define ON_RANK(name) PLAIN(name, (int rank, MPI_Win window), (rank, window), note_access(&c, window, rank, 0))
ON_WINDOW(Win_complete)
ON_WINDOW(Win_wait)
ON_WINDOW(Win_unlock_all)
ON_WINDOW(Win_flush_all)
ON_WINDOW(Win_flush_local_all)
ON_WINDOW(Win_sync)
ON_RANK(Win_unlock)
ON_RANK(Win_flush)
ON_RANK(Win_flush_local)
PLAIN(Win_start, (MPI_Group group, int assert, MPI_Win window), (group, assert, window), )
PLAIN(Win_post, (MPI_Group group, int assert, MPI_Win window), (group, assert, window), )
PLAIN(Win_lock, (int type, int rank, int assert, MPI_Win window), (type, rank, assert, window),
      note_access(&c, window, rank, 0))
PLAIN(Win_lock_all, (int assert, MPI_Win window), (assert, window), )

WRAP(Win_test, (MPI_Win window, int *flag))
{
    struct call c = call_begin(CALL_Win_test);
    int result = call_stop(&c, NEXT(Win_test)(window, flag));
    return call_finish_poll(&c, result, result == MPI_SUCCESS && *flag);
}

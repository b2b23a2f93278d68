#include "messages.h"

#include <string.h>

#include "groups.h"

enum { KEPT_PROBES = 16 };

/* What this thread has found by probing and not yet received. */
static __thread struct {
    MPI_Comm comm;
    MPI_Message message;
    int used, source, tag;
    int64_t start_ns, end_ns;
} probes[KEPT_PROBES];
static __thread unsigned next_probe;

static int may_cancel;

static uint32_t send_record(struct call *c, MPI_Comm comm, int to, int tag, int64_t bytes, int64_t released_ns)
{
    const struct group *g = group_of(comm);
    int peer = world_rank(g, to);
    if (peer < 0) return 0;
    c->peer = peer;
    c->bytes += bytes;
    return message_sent(c, &(struct message_record){.time_ns = c->start_ns,
                                                    .other_ns = released_ns,
                                                    .waited_ns = released_ns == 0 ? 0 : released_ns - c->start_ns,
                                                    .bytes = bytes,
                                                    .group = g->id,
                                                    .order = next_posting(),
                                                    .peer = peer,
                                                    .tag = tag,
                                                    .kind = MESSAGE_SEND});
}

void note_send(struct call *c, MPI_Comm comm, int to, int tag, int64_t bytes)
{
    send_record(c, comm, to, tag, bytes, c->end_ns);
}

static int probed(MPI_Comm comm, const MPI_Status *status)
{
    for (int i = 0; i < KEPT_PROBES; i++) {
        if (probes[i].used && probes[i].comm == comm && probes[i].source == status->MPI_SOURCE &&
            probes[i].tag == status->MPI_TAG) {
            probes[i].used = 0;
            return i;
        }
    }
    return -1;
}

static void receive_record(struct call *c, MPI_Comm comm, const MPI_Status *status, int64_t posted_ns, uint32_t posting)
{
    const struct group *g = group_of(comm);
    int peer = world_rank(g, status->MPI_SOURCE), bytes = 0;
    if (peer < 0) return;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    struct message_record record = {.time_ns = c->end_ns,
                                    .other_ns = posted_ns,
                                    .bytes = bytes > 0 ? bytes : 0,
                                    .group = g->id,
                                    .order = posting,
                                    .peer = peer,
                                    .tag = status->MPI_TAG,
                                    .kind = MESSAGE_RECEIVE};
    int probe = probed(comm, status);
    if (probe >= 0) {
        record.time_ns = probes[probe].end_ns;
        record.other_ns = probes[probe].start_ns;
    }
    /* The clock may have been set back meanwhile. */
    if (record.time_ns < record.other_ns) record.time_ns = record.other_ns;
    c->peer = peer;
    message_received(c, &record);
}

void note_receive(struct call *c, MPI_Comm comm, const MPI_Status *status)
{
    receive_record(c, comm, status, c->start_ns, next_posting());
}

void note_send_request(struct call *c, MPI_Comm comm, int to, int tag, int64_t bytes, MPI_Request request)
{
    uint32_t message = send_record(c, comm, to, tag, bytes, 0);
    request_add(request, &(struct request){.kind = REQUEST_SEND, .message = message});
}

void note_receive_request(struct call *c, MPI_Comm comm, int from, MPI_Request request)
{
    c->peer = world_rank(group_of(comm), from);
    request_add(request, &(struct request){.kind = REQUEST_RECEIVE,
                                           .comm = comm,
                                           .posted_ns = c->start_ns,
                                           .posting = next_posting()});
}

void note_persistent(struct call *c, enum request_kind kind, MPI_Comm comm, int peer, int tag, int64_t bytes,
                     MPI_Request request)
{
    c->peer = world_rank(group_of(comm), peer);
    request_add(request, &(struct request){.kind = kind,
                                           .persistent = 1,
                                           .comm = comm,
                                           .peer = peer,
                                           .tag = tag,
                                           .bytes = bytes});
}

void note_start(struct call *c, MPI_Request request)
{
    struct request *r = request_find(request);
    if (!r || !r->persistent) return;
    r->active = 1;
    if (r->kind == REQUEST_SEND) {
        r->message = send_record(c, r->comm, r->peer, r->tag, r->bytes, 0);
    } else {
        r->posted_ns = c->start_ns;
        r->posting = next_posting();
    }
}

void note_free(MPI_Request request)
{
    struct request gone;
    request_take(request, &gone);
}

void note_cancel(void) { may_cancel = 1; }

static void finished(struct call *c, const struct request *r, const MPI_Status *status)
{
    int cancelled = 0;
    if (may_cancel) PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) return;
    if (r->kind == REQUEST_SEND) message_released(c, r->message);
    if (r->kind == REQUEST_RECEIVE) receive_record(c, r->comm, status, r->posted_ns, r->posting);
    if (r->kind == REQUEST_COLLECTIVE) {
        c->group = r->group;
        c->order = r->order;
    }
}

void note_complete(struct call *c, MPI_Request before, const MPI_Status *status)
{
    struct request *known = request_find(before), taken;
    if (!known) return;
    if (known->persistent) {
        if (known->active) finished(c, known, status);
        known->active = 0;
    } else if (request_take(before, &taken)) {
        finished(c, &taken, status);
    }
}

void note_probe(struct call *c, MPI_Comm comm, const MPI_Status *status, const MPI_Message *message)
{
    c->peer = world_rank(group_of(comm), status->MPI_SOURCE);
    unsigned i = next_probe++ % KEPT_PROBES;
    /* A message may be probed for again and again. */
    int known = message ? -1 : probed(comm, status);
    if (known >= 0) i = (unsigned)known;
    int64_t start_ns = known >= 0 ? probes[i].start_ns : c->start_ns;
    int64_t end_ns = known >= 0 ? probes[i].end_ns : c->end_ns;
    probes[i].comm = comm;
    probes[i].source = status->MPI_SOURCE;
    probes[i].tag = status->MPI_TAG;
    probes[i].start_ns = start_ns;
    probes[i].end_ns = end_ns;
    probes[i].used = 1;
    probes[i].message = message ? *message : MPI_MESSAGE_NULL;
}

MPI_Comm note_matched(MPI_Message message)
{
    for (int i = 0; i < KEPT_PROBES; i++) {
        if (probes[i].used && probes[i].message == message) {
            probes[i].message = MPI_MESSAGE_NULL;
            return probes[i].comm;
        }
    }
    return MPI_COMM_NULL;
}

void note_collective(struct call *c, MPI_Comm comm, int root, int64_t bytes)
{
    struct group *g = group_of(comm);
    c->group = g->id;
    c->order = ++g->collectives;
    c->peer = world_rank(g, root);
    c->bytes += bytes;
}

void note_collective_request(struct call *c, MPI_Comm comm, int root, int64_t bytes, MPI_Request request)
{
    note_collective(c, comm, root, bytes);
    request_add(request, &(struct request){.kind = REQUEST_COLLECTIVE, .group = c->group, .order = c->order});
}

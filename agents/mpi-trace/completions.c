/* Starting, waiting for and testing requests (MPI 3.1, sections 3.7 and 3.9). A completed request's handle is gone
   after the call, so handles are kept beforehand; statuses are asked for where the program does not. */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "wrap.h"

/* Room of this thread for what a call is told. */
static __thread MPI_Request *handles;
static __thread MPI_Status *statuses;
static __thread int room;

static void keep(int count, const MPI_Request *requests)
{
    if (count > room) {
        room = count + 64;
        handles = realloc(handles, (size_t)room * sizeof *handles);
        statuses = realloc(statuses, (size_t)room * sizeof *statuses);
        if (!handles || !statuses) abort();
    }
    if (count > 0) memcpy(handles, requests, (size_t)count * sizeof *handles);
}

/* MPI_ERR_IN_STATUS: some are complete, each tells. */
static int some_done(int result) { return result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS; }

WRAP(Wait, (MPI_Request * request, MPI_Status *status))
{
    struct call c = call_begin(CALL_Wait);
    MPI_Request before = *request;
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Wait)(request, status));
    if (c.on && result == MPI_SUCCESS) note_complete(&c, before, status);
    return call_finish(&c, result);
}

WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status))
{
    struct call c = call_begin(CALL_Test);
    MPI_Request before = *request;
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Test)(request, flag, status));
    int found = result == MPI_SUCCESS && *flag;
    if (c.on && found) note_complete(&c, before, status);
    return call_finish_poll(&c, result, found);
}

WRAP(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status))
{
    struct call c = call_begin(CALL_Waitany);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    if (c.on) keep(count, requests);
    int result = call_stop(&c, NEXT(Waitany)(count, requests, index, status));
    if (c.on && result == MPI_SUCCESS && *index != MPI_UNDEFINED) note_complete(&c, handles[*index], status);
    return call_finish(&c, result);
}

WRAP(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status))
{
    struct call c = call_begin(CALL_Testany);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    if (c.on) keep(count, requests);
    int result = call_stop(&c, NEXT(Testany)(count, requests, index, flag, status));
    int found = result == MPI_SUCCESS && *flag;
    if (c.on && found && *index != MPI_UNDEFINED) note_complete(&c, handles[*index], status);
    return call_finish_poll(&c, result, found);
}

WRAP(Waitall, (int count, MPI_Request requests[], MPI_Status given[]))
{
    struct call c = call_begin(CALL_Waitall);
    if (c.on) keep(count, requests);
    MPI_Status *all = c.on && given == MPI_STATUSES_IGNORE ? statuses : given;
    int result = call_stop(&c, NEXT(Waitall)(count, requests, all));
    for (int i = 0; c.on && result == MPI_SUCCESS && i < count; i++) note_complete(&c, handles[i], &all[i]);
    return call_finish(&c, result);
}

WRAP(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status given[]))
{
    struct call c = call_begin(CALL_Testall);
    if (c.on) keep(count, requests);
    MPI_Status *all = c.on && given == MPI_STATUSES_IGNORE ? statuses : given;
    int result = call_stop(&c, NEXT(Testall)(count, requests, flag, all));
    int found = result == MPI_SUCCESS && *flag;
    for (int i = 0; c.on && found && i < count; i++) note_complete(&c, handles[i], &all[i]);
    return call_finish_poll(&c, result, found);
}

static void note_some(struct call *c, int done, const int indices[], const MPI_Status some[])
{
    for (int i = 0; done != MPI_UNDEFINED && i < done; i++) note_complete(c, handles[indices[i]], &some[i]);
}

WRAP(Waitsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status given[]))
{
    struct call c = call_begin(CALL_Waitsome);
    if (c.on) keep(count, requests);
    MPI_Status *some = c.on && given == MPI_STATUSES_IGNORE ? statuses : given;
    int result = call_stop(&c, NEXT(Waitsome)(count, requests, done, indices, some));
    if (c.on && some_done(result)) note_some(&c, *done, indices, some);
    return call_finish(&c, result);
}

WRAP(Testsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status given[]))
{
    struct call c = call_begin(CALL_Testsome);
    if (c.on) keep(count, requests);
    MPI_Status *some = c.on && given == MPI_STATUSES_IGNORE ? statuses : given;
    int result = call_stop(&c, NEXT(Testsome)(count, requests, done, indices, some));
    int found = some_done(result) && *done != MPI_UNDEFINED && *done > 0;
    if (c.on && found) note_some(&c, *done, indices, some);
    return call_finish_poll(&c, result, found);
}

/* The request stays what it is: whoever waits for it completes it. */
WRAP(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))
{
    struct call c = call_begin(CALL_Request_get_status);
    int result = call_stop(&c, NEXT(Request_get_status)(request, flag, status));
    return call_finish_poll(&c, result, result == MPI_SUCCESS && *flag);
}

PLAIN(Start, (MPI_Request * request), (request), note_start(&c, *request))

PLAIN(Startall, (int count, MPI_Request requests[]), (count, requests),
      for (int i = 0; i < count; i++) note_start(&c, requests[i]))

PLAIN(Cancel, (MPI_Request * request), (request), note_cancel())

WRAP(Request_free, (MPI_Request * request))
{
    struct call c = call_begin(CALL_Request_free);
    MPI_Request before = *request;
    int result = call_stop(&c, NEXT(Request_free)(request));
    if (c.on && result == MPI_SUCCESS) note_free(before);
    return call_finish(&c, result);
}

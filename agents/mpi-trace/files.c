/* Files (MPI 3.1, chapter 13). What is written counts as handed over. */
#include "requests.h"
#include "wrap.h"

#define NOTHING
#define WRITTEN c.bytes = bytes_of(count, type)
#define WITH_REQUEST request_add(*request, &(struct request){.kind = REQUEST_OTHER})

PLAIN(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
      (comm, name, mode, info, file), NOTHING)
PLAIN(File_close, (MPI_File * file), (file), NOTHING)
PLAIN(File_delete, (const char *name, MPI_Info info), (name, info), NOTHING)
PLAIN(File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes), NOTHING)
PLAIN(File_preallocate, (MPI_File file, MPI_Offset bytes), (file, bytes), NOTHING)
PLAIN(File_sync, (MPI_File file), (file), NOTHING)
PLAIN(File_set_view,
      (MPI_File file, MPI_Offset place, MPI_Datatype unit, MPI_Datatype view, const char *form, MPI_Info info),
      (file, place, unit, view, form, info), NOTHING)

#define READ void *buffer, int count, MPI_Datatype type
#define WRITE const void *buffer, int count, MPI_Datatype type
#define OF_FILE MPI_File file
#define AT MPI_File file, MPI_Offset place

#define WHOLE(name, what, note) \
    PLAIN(name, (OF_FILE, what, MPI_Status * status), (file, buffer, count, type, status), note)
#define WHOLE_AT(name, what, note) \
    PLAIN(name, (AT, what, MPI_Status * status), (file, place, buffer, count, type, status), note)
WHOLE(File_read, READ, NOTHING)
WHOLE(File_read_all, READ, NOTHING)
WHOLE(File_read_shared, READ, NOTHING)
WHOLE(File_read_ordered, READ, NOTHING)
WHOLE_AT(File_read_at, READ, NOTHING)
WHOLE_AT(File_read_at_all, READ, NOTHING)
WHOLE(File_write, WRITE, WRITTEN)
WHOLE(File_write_all, WRITE, WRITTEN)
WHOLE(File_write_shared, WRITE, WRITTEN)
WHOLE(File_write_ordered, WRITE, WRITTEN)
WHOLE_AT(File_write_at, WRITE, WRITTEN)
WHOLE_AT(File_write_at_all, WRITE, WRITTEN)

#define BEGUN(name, what, note) \
    PLAIN(name, (OF_FILE, what, MPI_Request * request), (file, buffer, count, type, request), note; WITH_REQUEST)
#define BEGUN_AT(name, what, note) \
    PLAIN(name, (AT, what, MPI_Request * request), (file, place, buffer, count, type, request), note; WITH_REQUEST)
BEGUN(File_iread, READ, NOTHING)
BEGUN(File_iread_all, READ, NOTHING)
BEGUN(File_iread_shared, READ, NOTHING)
BEGUN_AT(File_iread_at, READ, NOTHING)
BEGUN_AT(File_iread_at_all, READ, NOTHING)
BEGUN(File_iwrite, WRITE, WRITTEN)
BEGUN(File_iwrite_all, WRITE, WRITTEN)
BEGUN(File_iwrite_shared, WRITE, WRITTEN)
BEGUN_AT(File_iwrite_at, WRITE, WRITTEN)
BEGUN_AT(File_iwrite_at_all, WRITE, WRITTEN)

#define HALVES(name, what, end_buffer, note)                                \
    PLAIN(name##_begin, (OF_FILE, what), (file, buffer, count, type), note) \
    PLAIN(name##_end, (OF_FILE, end_buffer, MPI_Status * status), (file, buffer, status), NOTHING)
#define HALVES_AT(name, what, end_buffer, note)                               \
    PLAIN(name##_begin, (AT, what), (file, place, buffer, count, type), note) \
    PLAIN(name##_end, (OF_FILE, end_buffer, MPI_Status * status), (file, buffer, status), NOTHING)
HALVES(File_read_all, READ, void *buffer, NOTHING)
HALVES(File_read_ordered, READ, void *buffer, NOTHING)
HALVES_AT(File_read_at_all, READ, void *buffer, NOTHING)
HALVES(File_write_all, WRITE, const void *buffer, WRITTEN)
HALVES(File_write_ordered, WRITE, const void *buffer, WRITTEN)
HALVES_AT(File_write_at_all, WRITE, const void *buffer, WRITTEN)

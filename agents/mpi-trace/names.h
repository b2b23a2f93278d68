/* Every call that is recorded, by the part of its name after MPI_. */
#ifndef PREDICT_MPI_TRACE_NAMES_H
#define PREDICT_MPI_TRACE_NAMES_H

/* clang-format off */
#define POINT_TO_POINT(X)                                                                                              \
    X(Send) X(Bsend) X(Ssend) X(Rsend) X(Recv) X(Sendrecv) X(Sendrecv_replace) X(Isend) X(Ibsend) X(Issend)            \
    X(Irsend) X(Irecv) X(Send_init) X(Bsend_init) X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall)        \
    X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Mrecv) X(Imrecv) X(Wait) X(Waitany) X(Waitall) X(Waitsome) X(Test)       \
    X(Testany) X(Testall) X(Testsome) X(Request_get_status) X(Request_free) X(Cancel) X(Buffer_detach)

#define COLLECTIVES(X)                                                                                                 \
    X(Barrier) X(Bcast) X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall)             \
    X(Alltoallv) X(Alltoallw) X(Reduce) X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan)       \
    X(Neighbor_allgather) X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Neighbor_alltoallw)      \
    X(Ibarrier) X(Ibcast) X(Igather) X(Igatherv) X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv)                 \
    X(Ialltoall) X(Ialltoallv) X(Ialltoallw) X(Ireduce) X(Iallreduce) X(Ireduce_scatter) X(Ireduce_scatter_block)      \
    X(Iscan) X(Iexscan) X(Ineighbor_allgather) X(Ineighbor_allgatherv) X(Ineighbor_alltoall)                           \
    X(Ineighbor_alltoallv) X(Ineighbor_alltoallw)

#define COMMUNICATORS(X)                                                                                               \
    X(Comm_dup) X(Comm_dup_with_info) X(Comm_split) X(Comm_split_type) X(Comm_create) X(Comm_create_group)             \
    X(Comm_free) X(Comm_disconnect) X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create)                    \
    X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) X(Comm_spawn) X(Comm_spawn_multiple)

#define ONE_SIDED(X)                                                                                                   \
    X(Win_create) X(Win_allocate) X(Win_allocate_shared) X(Win_create_dynamic) X(Win_free) X(Put) X(Get)               \
    X(Accumulate) X(Get_accumulate) X(Fetch_and_op) X(Compare_and_swap) X(Rput) X(Rget) X(Raccumulate)                 \
    X(Rget_accumulate) X(Win_fence) X(Win_start) X(Win_complete) X(Win_post) X(Win_wait) X(Win_test) X(Win_lock)       \
    X(Win_lock_all) X(Win_unlock) X(Win_unlock_all) X(Win_flush) X(Win_flush_all) X(Win_flush_local)                   \
    X(Win_flush_local_all) X(Win_sync)

#define FILES(X)                                                                                                       \
    X(File_open) X(File_close) X(File_delete) X(File_set_size) X(File_preallocate) X(File_set_view) X(File_sync)       \
    X(File_read) X(File_read_all) X(File_read_at) X(File_read_at_all) X(File_read_shared) X(File_read_ordered)         \
    X(File_write) X(File_write_all) X(File_write_at) X(File_write_at_all) X(File_write_shared)                         \
    X(File_write_ordered) X(File_iread) X(File_iread_at) X(File_iread_shared) X(File_iread_all)                        \
    X(File_iread_at_all) X(File_iwrite) X(File_iwrite_at) X(File_iwrite_shared) X(File_iwrite_all)                     \
    X(File_iwrite_at_all) X(File_read_all_begin) X(File_read_all_end) X(File_read_at_all_begin)                        \
    X(File_read_at_all_end) X(File_write_all_begin) X(File_write_all_end) X(File_write_at_all_begin)                   \
    X(File_write_at_all_end) X(File_read_ordered_begin) X(File_read_ordered_end) X(File_write_ordered_begin)           \
    X(File_write_ordered_end)

#define LIFETIME(X) X(Init) X(Init_thread) X(Finalize)

/* MPI_Pcontrol by its level: above 0, or not. */
#define MARKS(X) X(Pcontrol_on) X(Pcontrol_off)
/* clang-format on */

#define ALL_CALLS(X) LIFETIME(X) MARKS(X) POINT_TO_POINT(X) COLLECTIVES(X) COMMUNICATORS(X) ONE_SIDED(X) FILES(X)

#define CALL_NUMBER(name) CALL_##name,
enum call_name { ALL_CALLS(CALL_NUMBER) CALL_NAMES };

#endif

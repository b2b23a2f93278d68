"""plant.py [mpich] CAUSE [STEPS]: as plant.c, through mpi4py, or through MPICH's library itself."""
import sys
import time

words = sys.argv[1:]
if words[:1] == ["mpich"]:
    words = words[1:]
    from mpich_by_ctypes import MPI, finalize
else:
    from mpi4py import MPI

    finalize = MPI.Finalize

cause = words[0] if words else "none"
steps = int(words[1]) if len(words) > 1 else 15
world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
size = {"bandwidth": 600000, "halo": 200000}.get(cause, 20000)
ms = 0.3 if cause in ("latency", "bandwidth") else 3
left, right = (rank - 1) % ranks, (rank + 1) % ranks
to_right, to_left, from_left, from_right = (bytearray(size) for _ in range(4))
mine, theirs = bytearray(8), bytearray(8)
large = bytearray(32 << 20)


def compute(length):
    until = time.thread_time() + length / 1e3
    x = 1.0
    while time.thread_time() < until:
        for _ in range(50):
            x = x * 1.0000001 + 1e-9


world.Barrier()
began = MPI.Wtime()
for step in range(steps):
    compute(3 * ms if cause == "imbalance" and rank == 0 else ms)
    if cause == "memory":
        large = bytearray(large)
    MPI.Request.Waitall(
        [
            world.Irecv([from_left, MPI.BYTE], left, 1),
            world.Irecv([from_right, MPI.BYTE], right, 2),
            world.Isend([to_right, MPI.BYTE], right, 1),
            world.Isend([to_left, MPI.BYTE], left, 2),
        ]
    )
    if cause == "latency":
        for _ in range(40):
            world.Sendrecv([mine, MPI.BYTE], right, 3, recvbuf=[theirs, MPI.BYTE], source=left, recvtag=3)
    total = world.allreduce(float(rank))
    if cause == "serial":
        if rank == 0:
            compute(3 * ms)
        total = world.bcast(total)
took = MPI.Wtime() - began
if rank == 0:
    print(f"took {took:.6f} s")
finalize()

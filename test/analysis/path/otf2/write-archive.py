"""Writes an OTF2 archive with OTF2's own Python binding (Debian: python3-otf2) from a list of events in JSON on stdin.

write-archive.py FOLDER: {"ranks": n, "offset": ticks, "resolution": ticks per second, "events": [[rank, ns, what, ...], ...]}
what: enter REGION | leave REGION | send TO TAG BYTES | recv FROM TAG BYTES | post REQUEST | irecv FROM TAG BYTES REQUEST
      | begin | end OPERATION ROOT BYTES | flush UNTIL
"""
import json
import sys

import otf2
from otf2.enums import CollectiveOp, GroupType, Paradigm, RegionRole

work = json.load(sys.stdin)
with otf2.writer.open(sys.argv[1], timer_resolution=work["resolution"]) as trace:
    define = trace.definitions
    node = define.system_tree_node("host", class_name="node")
    groups = [define.location_group(f"MPI Rank {rank}", system_tree_parent=node) for rank in range(work["ranks"])]
    locations = [define.location('Master "thread"\n', group=group) for group in groups]
    define.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=locations)
    members = define.group("world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=locations)
    world = define.comm('MPI_COMM_WORLD, "all" <9>', group=members)
    regions = {}
    writers = [trace.event_writer_from_location(location) for location in locations]

    def region(name):
        if name not in regions:
            paradigm = Paradigm.MPI if name.startswith("MPI_") else Paradigm.NONE
            role = RegionRole.FILE_IO if name.startswith("MPI_File") else RegionRole.FUNCTION
            regions[name] = define.region(name, paradigm=paradigm, region_role=role)
        return regions[name]

    for rank, ns, what, *rest in work["events"]:
        at = work["offset"] + ns * work["resolution"] // 1_000_000_000
        writer = writers[rank]
        if what == "enter":
            writer.enter(at, region(rest[0]))
        elif what == "leave":
            writer.leave(at, region(rest[0]))
        elif what == "send":
            writer.mpi_send(at, rest[0], world, rest[1], rest[2])
        elif what == "recv":
            writer.mpi_recv(at, rest[0], world, rest[1], rest[2])
        elif what == "post":
            writer.mpi_irecv_request(at, rest[0])
        elif what == "irecv":
            writer.mpi_irecv(at, rest[0], world, rest[1], rest[2], rest[3])
        elif what == "begin":
            writer.mpi_collective_begin(at)
        elif what == "end":
            root = 0xFFFFFFFF if rest[1] is None else rest[1]
            writer.mpi_collective_end(at, getattr(CollectiveOp, rest[0]), world, root, rest[2], rest[2])
        elif what == "flush":
            writer.buffer_flush(at, work["offset"] + rest[0])
        else:
            raise ValueError(f"unknown event {what}")

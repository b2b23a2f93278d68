"""The calls of mpi4py that plant.py makes, on MPICH's library by ctypes: Debian has mpi4py for Open MPI alone. Handles are those of
MPICH's ABI (mpi.h of MPICH 3 and 4)."""
import ctypes

ctypes.CDLL("libmpich.so.12", mode=ctypes.RTLD_GLOBAL)
# Symbols of the process, so that a preloaded library comes first, as it does for a program that is linked.
_mpi = ctypes.CDLL(None)
_WORLD, _BYTE, _DOUBLE, _SUM = 0x44000000, 0x4C00010D, 0x4C00080B, 0x58000003
_IGNORED = ctypes.c_void_p(1)
_mpi.MPI_Wtime.restype = ctypes.c_double


def _called(name, *given):
    if getattr(_mpi, name)(*given) != 0:
        raise RuntimeError(f"{name} failed")


def _bytes_of(array):
    return (ctypes.c_char * len(array)).from_buffer(array), len(array), _BYTE


class _World:
    def Get_rank(self):
        return self._number("MPI_Comm_rank")

    def Get_size(self):
        return self._number("MPI_Comm_size")

    def _number(self, name):
        value = ctypes.c_int()
        _called(name, _WORLD, ctypes.byref(value))
        return value.value

    def Barrier(self):
        _called("MPI_Barrier", _WORLD)

    def Irecv(self, buffer, source, tag):
        return self._posted("MPI_Irecv", buffer, source, tag)

    def Isend(self, buffer, dest, tag):
        return self._posted("MPI_Isend", buffer, dest, tag)

    def _posted(self, name, buffer, other, tag):
        request = ctypes.c_int()
        _called(name, *_bytes_of(buffer[0]), other, tag, _WORLD, ctypes.byref(request))
        return request

    def Sendrecv(self, buffer, dest, sendtag, recvbuf, source, recvtag):
        sent, received = _bytes_of(buffer[0]), _bytes_of(recvbuf[0])
        _called("MPI_Sendrecv", *sent, dest, sendtag, *received, source, recvtag, _WORLD, _IGNORED)

    def allreduce(self, value):
        sent, total = ctypes.c_double(value), ctypes.c_double()
        _called("MPI_Allreduce", ctypes.byref(sent), ctypes.byref(total), 1, _DOUBLE, _SUM, _WORLD)
        return total.value

    def bcast(self, value):
        held = ctypes.c_double(value)
        _called("MPI_Bcast", ctypes.byref(held), 1, _DOUBLE, 0, _WORLD)
        return held.value


class _Request:
    @staticmethod
    def Waitall(requests):
        numbers = (ctypes.c_int * len(requests))(*(one.value for one in requests))
        _called("MPI_Waitall", len(requests), numbers, _IGNORED)


class MPI:
    COMM_WORLD, BYTE, Request = _World(), None, _Request
    Wtime = staticmethod(_mpi.MPI_Wtime)


_called("MPI_Init", None, None)


def finalize():
    _called("MPI_Finalize")

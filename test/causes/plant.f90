! plant CAUSE [STEPS]: as plant.c, in Fortran.
program plant
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: rank, ranks, steps, step, left, right, i, n, ierr, all(4)
  real(dp) :: ms, began, took, addend, total
  character(len=32) :: cause, text
  character, allocatable :: to_right(:), to_left(:), from_left(:), from_right(:)
  character :: mine(8), theirs(8)
  real(dp), allocatable :: a(:), b(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  cause = 'none'
  steps = 15
  if (command_argument_count() > 0) call get_command_argument(1, cause)
  if (command_argument_count() > 1) then
    call get_command_argument(2, text)
    read (text, *) steps
  end if
  n = merge(600000, 20000, cause == 'bandwidth')
  if (cause == 'halo') n = 200000
  ms = merge(0.3_dp, 3.0_dp, cause == 'latency' .or. cause == 'bandwidth')
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  allocate (to_right(n), to_left(n), from_left(n), from_right(n), a(4194304), b(4194304))
  to_right = 'x'
  to_left = 'y'
  mine = 'z'
  a = 0
  b = 1
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  began = MPI_Wtime()
  do step = 1, steps
    call compute(merge(3 * ms, ms, cause == 'imbalance' .and. rank == 0))
    if (cause == 'memory') a = 0.5_dp * a + b
    call MPI_Irecv(from_left, n, MPI_CHARACTER, left, 1, MPI_COMM_WORLD, all(1), ierr)
    call MPI_Irecv(from_right, n, MPI_CHARACTER, right, 2, MPI_COMM_WORLD, all(2), ierr)
    call MPI_Isend(to_right, n, MPI_CHARACTER, right, 1, MPI_COMM_WORLD, all(3), ierr)
    call MPI_Isend(to_left, n, MPI_CHARACTER, left, 2, MPI_COMM_WORLD, all(4), ierr)
    call MPI_Waitall(4, all, MPI_STATUSES_IGNORE, ierr)
    if (cause == 'latency') then
      do i = 1, 40
        call MPI_Sendrecv(mine, 8, MPI_CHARACTER, right, 3, theirs, 8, MPI_CHARACTER, left, 3, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, ierr)
      end do
    end if
    addend = rank
    call MPI_Allreduce(addend, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (cause == 'serial') then
      if (rank == 0) call compute(3 * ms)
      call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end if
  end do
  took = MPI_Wtime() - began
  if (rank == 0) write (*, '(a, f0.6, a)') 'took ', took, ' s'
  call MPI_Finalize(ierr)
contains
  subroutine compute(length)
    real(dp), intent(in) :: length
    real(dp) :: until, now
    real(dp), volatile :: x
    integer :: k
    x = 1
    call cpu_time(now)
    until = now + length / 1e3_dp
    do while (now < until)
      do k = 1, 200
        x = x * 1.0000001_dp + 1e-9_dp
      end do
      call cpu_time(now)
    end do
  end subroutine compute
end program plant

! Diffusion on a square grid, block by block. What it does stands in input.nml.
program ocean
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer :: n = 512, steps = 20, iblock = 8, jblock = 8
  logical :: columns = .false.
  namelist /grid/ n, steps
  namelist /loops/ iblock, jblock, columns
  real(real64), allocatable :: u(:, :), v(:, :)
  integer :: input, step
  integer(int64) :: start, finish, rate

  open (newunit=input, file='input.nml', status='old', action='read')
  read (input, nml=grid)
  read (input, nml=loops)
  close (input)
  allocate (u(n, n), v(n, n))
  u = 0
  u(n / 2, n / 2) = 1
  v = u
  call system_clock(start, rate)
  do step = 1, steps, 2
    call diffuse(u, v)
    call diffuse(v, u)
  end do
  call system_clock(finish)
  print '(a, es12.5, a)', 'time: ', real(finish - start, real64) / rate, ' s'
  print '(a, f10.6)', 'sum: ', sum(u)

contains

  subroutine diffuse(from, to)
    real(real64), intent(in) :: from(:, :)
    real(real64), intent(inout) :: to(:, :)
    integer :: ib, jb, i, j
    do jb = 2, n - 1, jblock
      do ib = 2, n - 1, iblock
        if (columns) then
          do j = jb, min(jb + jblock, n) - 1
            do i = ib, min(ib + iblock, n) - 1
              to(i, j) = next(from, i, j)
            end do
          end do
        else
          do i = ib, min(ib + iblock, n) - 1
            do j = jb, min(jb + jblock, n) - 1
              to(i, j) = next(from, i, j)
            end do
          end do
        end if
      end do
    end do
  end subroutine diffuse

  pure real(real64) function next(u, i, j)
    real(real64), intent(in) :: u(:, :)
    integer, intent(in) :: i, j
    next = 0.6_real64 * u(i, j) + 0.1_real64 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
  end function next

end program ocean

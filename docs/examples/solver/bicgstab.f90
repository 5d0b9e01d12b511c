! BiCGStab in Fortran with the exported product: p and s are multiplied in turn, no vector is copied.
! Solves A x = 1 for an upwind 5-point operator; exit code 1 where the true residual is too large.
program bicgstab
  use, intrinsic :: iso_c_binding
  use tuned_spmv
  implicit none
  integer(c_int64_t), parameter :: side = 120, rows = side * side
  ! The library counts rows and columns from 0.
  integer(c_int32_t) :: pointer(rows + 1), column(5 * rows)
  real(c_double) :: value(5 * rows)
  real(c_double), allocatable :: x(:), b(:), r(:), shadow(:), p(:), v(:), t(:)
  real(c_double) :: alpha, beta, omega, rho, next
  integer(c_int64_t) :: i, j, entries
  integer :: step
  type(c_ptr) :: problem

  entries = 0
  pointer(1) = 0
  do i = 0, side - 1
    do j = 0, side - 1
      if (i > 0) call put(-side, -1.4_c_double)
      if (j > 0) call put(-1_c_int64_t, -1.4_c_double)
      call put(0_c_int64_t, 4.8_c_double)
      if (j < side - 1) call put(1_c_int64_t, -1.0_c_double)
      if (i < side - 1) call put(side, -1.0_c_double)
      pointer(i * side + j + 2) = int(entries, c_int32_t)
    end do
  end do

  allocate(x(rows), b(rows), p(rows), v(rows), t(rows))
  x = 0
  b = 1
  r = b
  shadow = b
  p = 0
  v = 0
  rho = 1
  alpha = 1
  omega = 1
  ! The variants race with p; v stays as it is.
  problem = tuned_spmv_prepare(0, rows, rows, entries, pointer, column, value, p, v)
  if (.not. c_associated(problem)) error stop 'nothing is prepared'
  do step = 1, 1000
    next = dot_product(shadow, r)
    beta = next / rho * alpha / omega
    rho = next
    p = r + beta * (p - omega * v)
    call multiply(1.0_c_double, p, 0.0_c_double, v)
    alpha = rho / dot_product(shadow, v)
    r = r - alpha * v
    call multiply(1.0_c_double, r, 0.0_c_double, t)
    omega = dot_product(t, r) / dot_product(t, t)
    x = x + alpha * p + omega * r
    r = r - omega * t
    if (norm2(r) <= 1e-8_c_double * norm2(b)) exit
  end do
  call multiply(-1.0_c_double, x, 1.0_c_double, b)
  print '(a, a, a, i0, a, es8.1)', 'BiCGStab with ', tuned_spmv_text(tuned_spmv_variant(problem)), &
    ': ', step, ' steps, residual ', norm2(b) / side
  call tuned_spmv_free(problem)
  if (norm2(b) / side > 3e-8_c_double) stop 1

contains

  subroutine put(offset, number)
    integer(c_int64_t), intent(in) :: offset
    real(c_double), intent(in) :: number
    entries = entries + 1
    column(entries) = int(i * side + j + offset, c_int32_t)
    value(entries) = number
  end subroutine put

  subroutine multiply(factor, from, keep, to)
    real(c_double), intent(in) :: factor, from(:), keep
    real(c_double), intent(inout) :: to(:)
    if (tuned_spmv_multiply(problem, factor, from, keep, to) /= 0) &
      error stop 'the product failed'
  end subroutine multiply
end program bicgstab

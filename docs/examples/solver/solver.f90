! Conjugate gradients, BiCGStab, GMRES(30) and a geometric multigrid in Fortran with the exported
! product: any vectors at every call, and none is copied for it. Solves A x = 1 for 5-point operators;
! exit code 1 where a true residual is too large.
module products
  use, intrinsic :: iso_c_binding
  use tuned_spmv
  implicit none
  integer, parameter :: real_kind = c_double, index_kind = c_int64_t

  !> A sparse matrix by rows and its problem in the library, which counts rows and columns from 0.
  type :: matrix
    integer(index_kind) :: rows = 0, entries = 0
    integer(c_int32_t), allocatable :: pointer(:), column(:)
    real(real_kind), allocatable :: value(:)
    type(c_ptr) :: problem = c_null_ptr
  end type matrix

contains

  !> -div grad + wind grad, upwind, on side x side points; symmetric without wind.
  subroutine make_plane(side, wind, a)
    integer(index_kind), intent(in) :: side
    real(real_kind), intent(in) :: wind
    ! No copy: a variant may use the arrays as long as the problem lives.
    type(matrix), intent(out), target :: a
    integer(index_kind) :: i, j
    real(real_kind) :: none(1)
    a%rows = side * side
    allocate(a%pointer(a%rows + 1), a%column(5 * a%rows), a%value(5 * a%rows))
    a%pointer(1) = 0
    do i = 0, side - 1
      do j = 0, side - 1
        if (i > 0) call put(-side, -1 - wind)
        if (j > 0) call put(-1_index_kind, -1 - wind)
        call put(0_index_kind, 4 + 2 * wind)
        if (j < side - 1) call put(1_index_kind, -1.0_real_kind)
        if (i < side - 1) call put(side, -1.0_real_kind)
        a%pointer(i * side + j + 2) = int(a%entries, c_int32_t)
      end do
    end do
    ! The variants race on vectors of their own: x and y may be any, and are not touched here.
    a%problem = tuned_spmv_prepare(0, a%rows, a%rows, a%entries, a%pointer, a%column, a%value, &
                                   [(0.0_real_kind, i = 1, a%rows)], none)
    if (.not. c_associated(a%problem)) error stop 'nothing is prepared'

  contains

    subroutine put(offset, number)
      integer(index_kind), intent(in) :: offset
      real(real_kind), intent(in) :: number
      a%entries = a%entries + 1
      a%column(a%entries) = int(i * side + j + offset, c_int32_t)
      a%value(a%entries) = number
    end subroutine put
  end subroutine make_plane

  !> y = alpha A x + beta y.
  subroutine multiply(a, alpha, x, beta, y)
    type(matrix), intent(in) :: a
    real(real_kind), intent(in) :: alpha, x(:), beta
    real(real_kind), intent(inout) :: y(:)
    if (tuned_spmv_multiply(a%problem, alpha, x, beta, y) /= 0) &
      error stop 'the product failed'
  end subroutine multiply
end module products

module solvers
  use products
  implicit none
  real(real_kind), parameter :: tolerance = 1e-8_real_kind
  integer, parameter :: most = 2000

  !> A grid of n x n points, n = 2^k - 1; the next coarser one has every second point.
  type :: grid
    type(matrix) :: a
    real(real_kind), allocatable :: x(:), b(:), r(:)
  end type grid

contains

  !> Steps until the residual is `tolerance` times b, from x = 0; so for the others.
  integer function cg(a, b, x) result(step)
    type(matrix), intent(in) :: a
    real(real_kind), intent(in) :: b(:)
    real(real_kind), intent(out) :: x(:)
    real(real_kind), allocatable :: r(:), p(:), q(:)
    real(real_kind) :: alpha, rr, next
    x = 0
    r = b
    p = b
    allocate(q(size(b)))
    rr = dot_product(r, r)
    do step = 1, most
      call multiply(a, 1.0_real_kind, p, 0.0_real_kind, q)
      alpha = rr / dot_product(p, q)
      x = x + alpha * p
      r = r - alpha * q
      next = dot_product(r, r)
      if (sqrt(next) <= tolerance * norm2(b)) return
      p = r + next / rr * p
      rr = next
    end do
  end function cg

  integer function bicgstab(a, b, x) result(step)
    type(matrix), intent(in) :: a
    real(real_kind), intent(in) :: b(:)
    real(real_kind), intent(out) :: x(:)
    real(real_kind), allocatable :: r(:), shadow(:), p(:), v(:), t(:)
    real(real_kind) :: alpha, omega, rho, next
    x = 0
    r = b
    shadow = b
    allocate(p(size(b)), v(size(b)), t(size(b)), source=0.0_real_kind)
    rho = 1
    alpha = 1
    omega = 1
    do step = 1, most
      next = dot_product(shadow, r)
      p = r + next / rho * alpha / omega * (p - omega * v)
      rho = next
      call multiply(a, 1.0_real_kind, p, 0.0_real_kind, v)
      alpha = rho / dot_product(shadow, v)
      r = r - alpha * v
      call multiply(a, 1.0_real_kind, r, 0.0_real_kind, t)
      omega = dot_product(t, r) / dot_product(t, t)
      x = x + alpha * p + omega * r
      r = r - omega * t
      if (norm2(r) <= tolerance * norm2(b)) return
    end do
  end function bicgstab

  !> Restarted after 30 steps.
  integer function gmres(a, b, x) result(step)
    type(matrix), intent(in) :: a
    real(real_kind), intent(in) :: b(:)
    real(real_kind), intent(out) :: x(:)
    integer, parameter :: m = 30
    real(real_kind), allocatable :: basis(:, :)
    real(real_kind) :: h(m + 1, m), cosine(m), sine(m), g(m + 1), y(m), low, length
    integer :: i, k
    allocate(basis(size(b), m + 1))
    x = 0
    step = 0
    do while (step < most)
      basis(:, 1) = b
      call multiply(a, -1.0_real_kind, x, 1.0_real_kind, basis(:, 1))
      g = 0
      g(1) = norm2(basis(:, 1))
      if (g(1) <= tolerance * norm2(b)) return
      basis(:, 1) = basis(:, 1) / g(1)
      do k = 1, m
        step = step + 1
        call multiply(a, 1.0_real_kind, basis(:, k), 0.0_real_kind, basis(:, k + 1))
        do i = 1, k
          h(i, k) = dot_product(basis(:, k + 1), basis(:, i))
          basis(:, k + 1) = basis(:, k + 1) - h(i, k) * basis(:, i)
        end do
        h(k + 1, k) = norm2(basis(:, k + 1))
        basis(:, k + 1) = basis(:, k + 1) / h(k + 1, k)
        do i = 1, k - 1
          low = h(i, k)
          h(i, k) = cosine(i) * low + sine(i) * h(i + 1, k)
          h(i + 1, k) = cosine(i) * h(i + 1, k) - sine(i) * low
        end do
        length = hypot(h(k, k), h(k + 1, k))
        cosine(k) = h(k, k) / length
        sine(k) = h(k + 1, k) / length
        h(k, k) = length
        g(k + 1) = -sine(k) * g(k)
        g(k) = cosine(k) * g(k)
        if (abs(g(k + 1)) <= tolerance * norm2(b)) exit
      end do
      k = min(k, m)
      do i = k, 1, -1
        y(i) = (g(i) - dot_product(h(i, i + 1:k), y(i + 1:k))) / h(i, i)
        x = x + y(i) * basis(:, i)
      end do
    end do
  end function gmres

  !> V cycles over grids, the finest first, whose operators are the 5-point Laplacian.
  integer function multigrid(grids, b, x) result(cycle_count)
    type(grid), intent(inout) :: grids(:)
    real(real_kind), intent(in) :: b(:)
    real(real_kind), intent(out) :: x(:)
    grids(1)%b = b
    grids(1)%x = 0 * b
    do cycle_count = 1, 50
      call v_cycle(grids, 1)
      call find_residual(grids(1))
      x = grids(1)%x
      if (norm2(grids(1)%r) <= tolerance * norm2(b)) return
    end do
  end function multigrid

  subroutine find_residual(one)
    type(grid), intent(inout) :: one
    one%r = one%b
    call multiply(one%a, -1.0_real_kind, one%x, 1.0_real_kind, one%r)
  end subroutine find_residual

  !> Sweeps of damped Jacobi.
  subroutine smooth(one, sweeps)
    type(grid), intent(inout) :: one
    integer, intent(in) :: sweeps
    integer :: sweep
    do sweep = 1, sweeps
      call find_residual(one)
      one%x = one%x + 0.2_real_kind * one%r
    end do
  end subroutine smooth

  recursive subroutine v_cycle(grids, level)
    type(grid), intent(inout) :: grids(:)
    integer, intent(in) :: level
    if (level == size(grids)) then
      call smooth(grids(level), 20)
      return
    end if
    call smooth(grids(level), 2)
    call find_residual(grids(level))
    call restrict_to(grids(level), grids(level + 1))
    call v_cycle(grids, level + 1)
    call prolong_from(grids(level + 1), grids(level))
    call smooth(grids(level), 2)
  end subroutine v_cycle

  !> The weighted residual to the right-hand side of the coarser grid, of spacing 2 h.
  subroutine restrict_to(fine, coarse)
    type(grid), intent(in), target :: fine
    type(grid), intent(inout), target :: coarse
    real(real_kind), pointer :: r(:, :), b(:, :)
    integer :: n, m
    n = side_of(fine)
    m = side_of(coarse)
    r(1:n, 1:n) => fine%r
    b(1:m, 1:m) => coarse%b
    b = r(2::2, 2::2) + (r(1:n - 2:2, 2::2) + r(3::2, 2::2) + r(2::2, 1:n - 2:2) + r(2::2, 3::2)) / 2 &
        + (r(1:n - 2:2, 1:n - 2:2) + r(1:n - 2:2, 3::2) + r(3::2, 1:n - 2:2) + r(3::2, 3::2)) / 4
    coarse%x = 0
  end subroutine restrict_to

  !> Adds the coarser grid's solution, bilinear between its points.
  subroutine prolong_from(coarse, fine)
    type(grid), intent(in) :: coarse
    type(grid), intent(inout), target :: fine
    real(real_kind), pointer :: x(:, :)
    real(real_kind), allocatable :: c(:, :)
    integer :: i, j, n, m
    n = side_of(fine)
    m = side_of(coarse)
    x(1:n, 1:n) => fine%x
    allocate(c(0:m + 1, 0:m + 1), source=0.0_real_kind)
    c(1:m, 1:m) = reshape(coarse%x, [m, m])
    do j = 1, n
      do i = 1, n
        x(i, j) = x(i, j) + (c(i / 2, j / 2) + c((i + 1) / 2, j / 2) + c(i / 2, (j + 1) / 2) &
                             + c((i + 1) / 2, (j + 1) / 2)) / 4
      end do
    end do
  end subroutine prolong_from

  integer function side_of(one)
    type(grid), intent(in) :: one
    side_of = nint(sqrt(real(one%a%rows, real_kind)))
  end function side_of
end module solvers

program solver
  use products
  use solvers
  implicit none
  integer(index_kind), parameter :: side = 127
  type(matrix), target :: symmetric, unsymmetric
  type(grid), allocatable, target :: grids(:)
  real(real_kind) :: b(side * side), x(side * side)
  integer :: level
  logical :: right = .true.

  b = 1
  call make_plane(side, 0.0_real_kind, symmetric)
  call make_plane(side, 0.4_real_kind, unsymmetric)
  call check('CG', symmetric, cg(symmetric, b, x))
  call check('BiCGStab', unsymmetric, bicgstab(unsymmetric, b, x))
  call check('GMRES(30)', unsymmetric, gmres(unsymmetric, b, x))
  allocate(grids(6))
  do level = 1, size(grids)
    call make_plane((side + 1) / 2**(level - 1) - 1, 0.0_real_kind, grids(level)%a)
    allocate(grids(level)%x(grids(level)%a%rows), grids(level)%b(grids(level)%a%rows))
  end do
  call check('multigrid', symmetric, multigrid(grids, b, x))
  call tuned_spmv_free(symmetric%problem)
  call tuned_spmv_free(unsymmetric%problem)
  do level = 1, size(grids)
    call tuned_spmv_free(grids(level)%a%problem)
  end do
  if (.not. right) stop 1

contains

  !> By the true residual, whatever the solver believes.
  subroutine check(name, a, steps)
    character(len=*), intent(in) :: name
    type(matrix), intent(in) :: a
    integer, intent(in) :: steps
    integer(index_kind) :: i, k
    real(real_kind) :: residual
    residual = 0
    do i = 1, a%rows
      residual = residual + (b(i) - sum([(a%value(k) * x(a%column(k) + 1), &
                                          k = a%pointer(i) + 1, a%pointer(i + 1))]))**2
    end do
    residual = sqrt(residual / a%rows)
    print '(a, a, a, a, i0, a, es8.1)', name, ' with ', &
      tuned_spmv_text(tuned_spmv_variant(a%problem)), ': ', steps, ' steps, residual ', residual
    right = right .and. residual < 3 * tolerance
  end subroutine check
end program solver

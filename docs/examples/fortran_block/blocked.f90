! C = A B by blocks. Asks Rooftune for the size of a block; 8 is this program's own choice.
!   blocked N BLOCK            one product with that block, for `tune --command`
!   blocked N                  the own choice and the tuned one in turns
program blocked
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use rooftune
  implicit none
  integer, parameter :: own_block = 8, rounds = 15
  integer :: n, block, round
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :), other(:, :)
  real(real64) :: kernel(rounds), program_(rounds), first(2), second(2), seconds
  character(32) :: word
  type(rooftune_exports) :: tuned
  type(rooftune_answer) :: best

  n = 512
  call get_command_argument(1, word)
  if (len_trim(word) > 0) read (word, *) n
  allocate (a(n, n), b(n, n), c(n, n), other(n, n))
  call get_command_argument(2, word)
  if (len_trim(word) > 0) then
    read (word, *) block
    call prepare()
    seconds = multiply(block, c)
    print '(a, es12.5, a, l1)', 'time: ', seconds, ' s, right: ', is_right(c)
    stop
  end if

  call tuned%load()
  best = tuned%look_up('blocked', [rooftune_parameter('n', n)])
  block = best%knob('block', own_block)
  print '(a, i0, 2a)', 'block ', block, merge(' is tuned here', ' is its own   ', best%match() == rooftune_exact)
  do round = 1, rounds
    first = run(own_block, c)
    second = run(block, other)
    kernel(round) = first(1)/second(1)
    program_(round) = first(2)/second(2)
    if (.not. (is_right(c) .and. is_right(other))) error stop 'wrong result'
  end do
  print '(4a)', 'product ', ratio_text(kernel), ', program ', ratio_text(program_)
  call tuned%free()

contains

  real(real64) function clock()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    clock = real(count, real64)/real(rate, real64)
  end function

  subroutine prepare()
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = mod(i + 2*j, 7)
        b(i, j) = mod(3*i + j, 5)
      end do
    end do
  end subroutine

  ! Blocks of columns of A, so that what is read again is in a cache. Returns the time [s].
  real(real64) function multiply(size, result)
    integer, intent(in) :: size
    real(real64), intent(out) :: result(:, :)
    integer :: i, j, k, kk, ii
    multiply = clock()
    result = 0
    do kk = 1, n, size
      do ii = 1, n, 8*size
        do j = 1, n
          do k = kk, min(kk + size - 1, n)
            do i = ii, min(ii + 8*size - 1, n)
              result(i, j) = result(i, j) + a(i, k)*b(k, j)
            end do
          end do
        end do
      end do
    end do
    multiply = clock() - multiply
  end function

  ! The whole program: data, product, norm. Returns the times of product and program [s].
  function run(size, result) result(times)
    integer, intent(in) :: size
    real(real64), intent(out) :: result(:, :)
    real(real64) :: times(2), norm
    times(2) = clock()
    call prepare()
    times(1) = multiply(size, result)
    norm = norm2(result)
    times(2) = clock() - times(2)
    if (norm < 0) print *, norm
  end function

  ! All entries are whole numbers: a few columns of the product exactly.
  logical function is_right(result)
    real(real64), intent(in) :: result(:, :)
    integer :: j
    is_right = .true.
    do j = 1, n, max(1, n/3)
      is_right = is_right .and. all(result(:, j) == matmul(a, b(:, j)))
    end do
  end function

  ! The median and the interval that holds it in 95 of 100 cases (of 15: the 4th to the 12th).
  function ratio_text(ratios) result(text)
    real(real64), intent(in) :: ratios(rounds)
    real(real64) :: sorted(rounds), one
    character(:), allocatable :: text
    character(40) :: line
    integer :: i, k
    sorted = ratios
    do i = 2, rounds
      one = sorted(i)
      k = i - 1
      do while (k >= 1)
        if (sorted(k) <= one) exit
        sorted(k + 1) = sorted(k)
        k = k - 1
      end do
      sorted(k + 1) = one
    end do
    write (line, '(f0.2, a, f0.2, a, f0.2, a)') sorted(8), 'x [', sorted(4), ', ', sorted(12), ']'
    text = trim(line)
  end function
end program

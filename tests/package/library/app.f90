! Calls the library in all its ways.
program app
  use tuned_small
  implicit none
  integer(c_int64_t), parameter :: n = 1000
  real(c_double) :: x(n), y(n), expected(n)
  integer(c_int32_t) :: k(n)
  real(c_double), pointer :: own(:)
  type(c_ptr) :: problem, memory
  integer :: i
  x = [(i - 1, i = 1, int(n))]
  k = 2
  expected = 3 * x + 2
  problem = tuned_small_prepare(0, n, 3.0_c_double, x, k, y)
  if (.not. c_associated(problem)) error stop 2
  if (tuned_small_text(tuned_small_variant(problem)) /= 'v1') error stop 3
  if (tuned_small_run(problem, n, 3.0_c_double, x, k, y) /= 0) error stop 6
  if (tuned_small_finish(problem, n, 3.0_c_double, x, k, y) /= 0) error stop 7
  if (tuned_small_run(c_null_ptr, n, 3.0_c_double, x, k, y) >= 0) error stop 8
  if (index(tuned_small_text(tuned_small_error()), 'no problem') == 0) error stop 9
  call tuned_small_free(problem)
  if (maxval(abs(y - expected)) > 0) error stop 4
  memory = tuned_small_allocate(n * c_sizeof(x(1)), 1)
  call c_f_pointer(memory, own, [n])
  call tuned_small_call(n, 3.0_c_double, x, k, own)
  if (maxval(abs(own - expected)) > 0) error stop 5
  call tuned_small_deallocate(memory)
  print '(a)', '0 wrong'
end program app

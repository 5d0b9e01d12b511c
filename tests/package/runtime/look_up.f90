! The application of look_up.c in Fortran. Usage: look_up FOLDER, which holds an export of this host.
program look_up
  use rooftune
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  type(rooftune_exports) :: tuned
  type(rooftune_answer) :: best, near, none
  type(rooftune_machine) :: here
  character(1000) :: folder
  integer :: unroll

  call get_command_argument(1, folder)
  here = rooftune_this_machine()
  call require(len(here%id) == 32 .and. here%cores >= 1, 'this machine')
  call tuned%load(folder)
  call require(tuned%count() == 1 .and. tuned%fault_count() == 0, 'one export')

  best = tuned%look_up('triad', [rooftune_parameter('n', 1000), rooftune_parameter('layout', 'soa')])
  unroll = best%knob('unroll', 1)
  call require(best%match() == rooftune_exact .and. best%reason() == '', 'exact')
  call require(unroll == 4 .and. best%knob('unroll', 1_int64) == 4, 'integer')
  call require(best%knob('nt', .false.) .and. abs(best%knob('ratio', 0.0_real64) - 0.5_real64) < 1e-15_real64, 'truth and real')
  call require(best%knob('schedule', 'none') == 'static' .and. best%knob('absent', 'none') == 'none', 'text')
  call require(best%machine() == here%id .and. best%study() == '5d0c', 'where it was tuned')
  call require(index(best%verdict(), 'faster') > 0, 'verdict')

  near = tuned%look_up('triad', [rooftune_parameter('n', 2000.0)])
  call require(near%match() == rooftune_other_problem .and. index(near%reason(), 'n=1000') > 0, 'other problem')
  none = tuned%look_up('triad', [rooftune_parameter('n', 1000_int64)], machine='nobody')
  call require(none%match() == rooftune_defaults .and. none%knob('unroll', 7) == 7, 'another machine')
  call tuned%load('/nowhere')
  call require(tuned%fault_count() == 1 .and. index(tuned%fault(1), '/nowhere') > 0, 'a fault')
  call tuned%reload('/nowhere')
  call require(tuned%count() == 0 .and. tuned%fault_count() == 2, 'withdrawn')
  call tuned%reload(folder)
  call require(tuned%count() == 1, 'read again')
  call tuned%free()
  print '(a, i0)', 'Fortran: match exact, unroll ', unroll

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'does not hold: ', what
    error stop 1
  end subroutine

end program look_up

! The tuned configuration of a kernel, asked for by a Fortran application at its run time:
! rooftune.h in Fortran 2008. Compile this file with the application and link librooftune.
!
!   type(rooftune_exports) :: tuned
!   type(rooftune_answer) :: best
!   call tuned%load()                                       ! what ROOFTUNE_EXPORTS names
!   best = tuned%look_up('triad', [rooftune_parameter('n', n)])
!   unroll = best%knob('unroll', 1)                         ! 1: what no export says
!   call tuned%free()
!
! Whatever is wrong with the files, the application goes on with the values it names itself.
module rooftune
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: rooftune_exports, rooftune_answer, rooftune_parameter, rooftune_machine, rooftune_this_machine

  ! How well an answer fits: rooftune_match of rooftune.h.
  integer, parameter, public :: rooftune_exact = 0, rooftune_other_problem = 1, &
                                rooftune_other_machine = 2, rooftune_defaults = 3

  integer, parameter :: longest_name = 128, longest_text = 4096
  integer(c_int), parameter :: truth_kind = 0, integer_kind = 1, real_kind = 2, text_kind = 3

  type, bind(c) :: value_c
    type(c_ptr) :: name
    integer(c_int) :: kind
    integer(c_int64_t) :: whole
    real(c_double) :: real
    type(c_ptr) :: text
  end type

  type, bind(c) :: answer_c
    integer(c_int) :: match
    type(c_ptr) :: reason, machine, study, verdict, knobs
  end type

  type, bind(c) :: machine_c
    type(c_ptr) :: id, model, features, caches
    integer(c_int) :: cores, threads, simd_bits
  end type

  ! A parameter of a problem: rooftune_parameter(name, value).
  type :: rooftune_parameter
    private
    character(kind=c_char) :: name(longest_name) = c_null_char, text(longest_text) = c_null_char
    integer(c_int) :: kind = integer_kind
    integer(c_int64_t) :: whole = 0
    real(c_double) :: real = 0
  end type
  interface rooftune_parameter
    module procedure parameter_int32, parameter_int64, parameter_real32, parameter_real64, &
                     parameter_logical, parameter_text
  end interface

  ! The host that this runs on, as `tune probe` knows it.
  type :: rooftune_machine
    character(:), allocatable :: id, model, features, caches
    integer :: cores = 1, threads = 1, simd_bits = 0
  end type

  ! What was found; valid as long as the exports that were asked.
  type :: rooftune_answer
    private
    type(answer_c) :: c
  contains
    procedure :: match, reason, machine, study, verdict
    ! The value of a knob; the second argument where there is none, or one of another kind.
    generic :: knob => knob_int32, knob_int64, knob_real64, knob_logical, knob_text
    procedure, private :: knob_int32, knob_int64, knob_real64, knob_logical, knob_text
  end type

  ! Exports that an application brings along. Copies share them: free one of them, once.
  type :: rooftune_exports
    private
    type(c_ptr) :: c = c_null_ptr
  contains
    procedure :: load, reload, look_up, free, fault_count, fault, count => export_count
  end type

  interface
    function load_c(path) bind(c, name='rooftune_load')
      import :: c_ptr
      type(c_ptr), value :: path
      type(c_ptr) :: load_c
    end function
    function add_c(exports, path) bind(c, name='rooftune_add')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: exports, path
      integer(c_size_t) :: add_c
    end function
    function reload_c(exports, path) bind(c, name='rooftune_reload')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: exports, path
      integer(c_size_t) :: reload_c
    end function
    subroutine free_c(exports) bind(c, name='rooftune_free')
      import :: c_ptr
      type(c_ptr), value :: exports
    end subroutine
    function count_c(exports) bind(c, name='rooftune_count')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: exports
      integer(c_size_t) :: count_c
    end function
    function fault_count_c(exports) bind(c, name='rooftune_fault_count')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: exports
      integer(c_size_t) :: fault_count_c
    end function
    function fault_c(exports, index) bind(c, name='rooftune_fault')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: exports
      integer(c_size_t), value :: index
      type(c_ptr) :: fault_c
    end function
    function look_up_c(exports, kernel, machine, problem, parameters) bind(c, name='rooftune_look_up')
      import :: c_ptr, c_size_t, c_char, answer_c, value_c
      type(c_ptr), value :: exports, machine
      character(kind=c_char), intent(in) :: kernel(*)
      type(value_c), intent(in) :: problem(*)
      integer(c_size_t), value :: parameters
      type(answer_c) :: look_up_c
    end function
    function knob_integer_c(answer, knob, fallback) bind(c, name='rooftune_knob_integer')
      import :: c_char, c_int64_t, answer_c
      type(answer_c), intent(in) :: answer
      character(kind=c_char), intent(in) :: knob(*)
      integer(c_int64_t), value :: fallback
      integer(c_int64_t) :: knob_integer_c
    end function
    function knob_real_c(answer, knob, fallback) bind(c, name='rooftune_knob_real')
      import :: c_char, c_double, answer_c
      type(answer_c), intent(in) :: answer
      character(kind=c_char), intent(in) :: knob(*)
      real(c_double), value :: fallback
      real(c_double) :: knob_real_c
    end function
    function knob_truth_c(answer, knob, fallback) bind(c, name='rooftune_knob_truth')
      import :: c_char, c_int, answer_c
      type(answer_c), intent(in) :: answer
      character(kind=c_char), intent(in) :: knob(*)
      integer(c_int), value :: fallback
      integer(c_int) :: knob_truth_c
    end function
    function knob_text_c(answer, knob, fallback) bind(c, name='rooftune_knob_text')
      import :: c_char, c_ptr, answer_c
      type(answer_c), intent(in) :: answer
      character(kind=c_char), intent(in) :: knob(*)
      type(c_ptr), value :: fallback
      type(c_ptr) :: knob_text_c
    end function
    function this_machine_c() bind(c, name='rooftune_this_machine')
      import :: c_ptr
      type(c_ptr) :: this_machine_c
    end function
    function length_c(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length_c
    end function
  end interface

contains

  ! Adds a file or the files of a folder; without a path those that ROOFTUNE_EXPORTS names.
  subroutine load(self, path)
    class(rooftune_exports), intent(inout) :: self
    character(*), intent(in), optional :: path
    character(kind=c_char), allocatable, target :: text(:)
    type(c_ptr) :: place
    integer(c_size_t) :: ignored
    place = c_null_ptr
    if (present(path)) then
      allocate (text, source=text_of_c(path))
      place = c_loc(text)
    end if
    if (c_associated(self%c)) then
      ignored = add_c(self%c, place)
    else
      self%c = load_c(place)
    end if
  end subroutine

  ! Only what is there now, at a path or where ROOFTUNE_EXPORTS says; answers given before stay valid.
  subroutine reload(self, path)
    class(rooftune_exports), intent(inout) :: self
    character(*), intent(in), optional :: path
    character(kind=c_char), allocatable, target :: text(:)
    type(c_ptr) :: place
    integer(c_size_t) :: ignored
    if (.not. c_associated(self%c)) then
      call self%load(path)
      return
    end if
    place = c_null_ptr
    if (present(path)) then
      allocate (text, source=text_of_c(path))
      place = c_loc(text)
    end if
    ignored = reload_c(self%c, place)
  end subroutine

  ! No answer of these exports may be used any more.
  subroutine free(self)
    class(rooftune_exports), intent(inout) :: self
    call free_c(self%c)
    self%c = c_null_ptr
  end subroutine

  ! Configurations that were read.
  integer function export_count(self)
    class(rooftune_exports), intent(in) :: self
    export_count = int(count_c(self%c))
  end function

  integer function fault_count(self)
    class(rooftune_exports), intent(in) :: self
    fault_count = int(fault_count_c(self%c))
  end function

  ! The sentence numbered `index`, from 1.
  function fault(self, index)
    class(rooftune_exports), intent(in) :: self
    integer, intent(in) :: index
    character(:), allocatable :: fault
    fault = fortran_text(fault_c(self%c, int(index - 1, c_size_t)))
  end function

  ! `machine`: id or name of another machine; without it the one that this runs on.
  function look_up(self, kernel, problem, machine) result(answer)
    class(rooftune_exports), intent(in) :: self
    character(*), intent(in) :: kernel
    type(rooftune_parameter), intent(in), target :: problem(:)
    character(*), intent(in), optional :: machine
    type(rooftune_answer) :: answer
    type(value_c) :: values(size(problem))
    character(kind=c_char), allocatable, target :: named(:)
    type(c_ptr) :: place
    integer :: i
    do i = 1, size(problem)
      values(i) = value_c(c_loc(problem(i)%name), problem(i)%kind, problem(i)%whole, problem(i)%real, &
                          c_loc(problem(i)%text))
    end do
    place = c_null_ptr
    if (present(machine)) then
      allocate (named, source=text_of_c(machine))
      place = c_loc(named)
    end if
    answer%c = look_up_c(self%c, text_of_c(kernel), place, values, size(values, kind=c_size_t))
  end function

  ! rooftune_exact, rooftune_other_problem, rooftune_other_machine or rooftune_defaults.
  integer function match(self)
    class(rooftune_answer), intent(in) :: self
    match = int(self%c%match)
  end function

  ! Why it is no exact match; empty when it is.
  function reason(self)
    class(rooftune_answer), intent(in) :: self
    character(:), allocatable :: reason
    reason = fortran_text(self%c%reason)
  end function

  function machine(self)
    class(rooftune_answer), intent(in) :: self
    character(:), allocatable :: machine
    machine = fortran_text(self%c%machine)
  end function

  function study(self)
    class(rooftune_answer), intent(in) :: self
    character(:), allocatable :: study
    study = fortran_text(self%c%study)
  end function

  function verdict(self)
    class(rooftune_answer), intent(in) :: self
    character(:), allocatable :: verdict
    verdict = fortran_text(self%c%verdict)
  end function

  integer(int64) function knob_int64(self, name, fallback)
    class(rooftune_answer), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: fallback
    knob_int64 = knob_integer_c(self%c, text_of_c(name), fallback)
  end function

  ! Also the fallback where the knob's value is too large for the kind.
  integer(int32) function knob_int32(self, name, fallback)
    class(rooftune_answer), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: fallback
    integer(int64) :: value
    value = self%knob_int64(name, int(fallback, int64))
    knob_int32 = fallback
    if (abs(value) <= huge(fallback)) knob_int32 = int(value, int32)
  end function

  real(real64) function knob_real64(self, name, fallback)
    class(rooftune_answer), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: fallback
    knob_real64 = knob_real_c(self%c, text_of_c(name), fallback)
  end function

  logical function knob_logical(self, name, fallback)
    class(rooftune_answer), intent(in) :: self
    character(*), intent(in) :: name
    logical, intent(in) :: fallback
    knob_logical = knob_truth_c(self%c, text_of_c(name), merge(1_c_int, 0_c_int, fallback)) /= 0
  end function

  function knob_text(self, name, fallback)
    class(rooftune_answer), intent(in) :: self
    character(*), intent(in) :: name, fallback
    character(:), allocatable :: knob_text
    type(c_ptr) :: found
    found = knob_text_c(self%c, text_of_c(name), c_null_ptr)
    if (c_associated(found)) then
      knob_text = fortran_text(found)
    else
      knob_text = fallback
    end if
  end function

  function rooftune_this_machine() result(machine)
    type(rooftune_machine) :: machine
    type(machine_c), pointer :: c
    call c_f_pointer(this_machine_c(), c)
    machine%id = fortran_text(c%id)
    machine%model = fortran_text(c%model)
    machine%features = fortran_text(c%features)
    machine%caches = fortran_text(c%caches)
    machine%cores = int(c%cores)
    machine%threads = int(c%threads)
    machine%simd_bits = int(c%simd_bits)
  end function

  function parameter_int64(name, value) result(parameter)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    type(rooftune_parameter) :: parameter
    call put(parameter%name, name)
    parameter%whole = value
  end function

  function parameter_int32(name, value) result(parameter)
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    type(rooftune_parameter) :: parameter
    parameter = parameter_int64(name, int(value, int64))
  end function

  function parameter_real64(name, value) result(parameter)
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    type(rooftune_parameter) :: parameter
    call put(parameter%name, name)
    parameter%kind = real_kind
    parameter%real = value
  end function

  function parameter_real32(name, value) result(parameter)
    character(*), intent(in) :: name
    real(real32), intent(in) :: value
    type(rooftune_parameter) :: parameter
    parameter = parameter_real64(name, real(value, real64))
  end function

  function parameter_logical(name, value) result(parameter)
    character(*), intent(in) :: name
    logical, intent(in) :: value
    type(rooftune_parameter) :: parameter
    call put(parameter%name, name)
    parameter%kind = truth_kind
    parameter%whole = merge(1_c_int64_t, 0_c_int64_t, value)
  end function

  function parameter_text(name, value) result(parameter)
    character(*), intent(in) :: name, value
    type(rooftune_parameter) :: parameter
    call put(parameter%name, name)
    parameter%kind = text_kind
    call put(parameter%text, value)
  end function

  ! Trailing blanks are how Fortran fills a text: no part of it. The last character stays the end.
  subroutine put(place, text)
    character(kind=c_char), intent(inout) :: place(:)
    character(*), intent(in) :: text
    integer :: i
    do i = 1, min(len_trim(text), size(place) - 1)
      place(i) = text(i:i)
    end do
  end subroutine

  function text_of_c(text) result(c)
    character(*), intent(in) :: text
    character(kind=c_char) :: c(len_trim(text) + 1)
    c = c_null_char
    call put(c, text)
  end function

  function fortran_text(c) result(text)
    type(c_ptr), intent(in) :: c
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(c, characters, [length_c(c)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

end module rooftune

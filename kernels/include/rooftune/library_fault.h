// How the functions of an exported library tell that they could not do what they should: a code,
// and a line of text for the calling thread. And the arguments of a call against those prepared.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <string>

namespace rooftune_library {

/// `code` is the driver's (CUresult), or one of these.
struct Fault {
  enum Own { unavailable = -1, not_compiled = -2, misused = -3, no_memory = -4 };
  int code;
  std::string text;
};

/// Text of the last fault of the calling thread.
inline std::string& last_fault() {
  static thread_local std::string text;
  return text;
}

/// 0, or the code of what `action` threw: no exception may reach C.
template <class Action>
int guarded(const Action& action) {
  try {
    action();
    return 0;
  } catch (const Fault& fault) {
    last_fault() = fault.text;
    return fault.code;
  } catch (...) {
    // Nothing but memory can be lacking.
    last_fault() = "no memory on the host";
    return Fault::no_memory;
  }
}

/// The call must be of the problem that was prepared, or of that with all arrays exchanged that
/// change roles between calls: a variant knows the arrays of its own layout by the application's.
/// Functions of the library's Arguments: `changed` names the first argument that differs, of `all`
/// or of those that a layout holds; `exchanged` gives them with these arrays exchanged. Throws
/// Fault.
template <class Arguments>
void require_prepared(const Arguments& call, const Arguments& prepared, bool all) {
  const char* const name = changed(call, prepared, all);
  if (!name || !changed(call, exchanged(prepared), all)) return;
  const bool swaps = changed(exchanged(prepared), prepared, true);
  throw Fault{
      Fault::misused,
      std::string("argument ") + name + " is not what the problem was prepared with" +
          (swaps ? ", and the arrays that change roles are not exchanged all at once"
                 : ": prepare one for these arguments; for arrays that change roles between "
                   "calls tune with \"swap\" in kernel.json")};
}

/// Arrays that change roles are two. Throws Fault.
template <class Arguments>
void require_apart(const Arguments& arguments) {
  if (const char* const pair = overlapping(arguments))
    throw Fault{Fault::misused, std::string(pair) + " are one array, and they change roles"};
}

}  // namespace rooftune_library

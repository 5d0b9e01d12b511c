// An exported library's arguments in Fortran, Python and C++.

#include <algorithm>

#include "core/list.h"
#include "exports/library.h"

namespace rooftune::exports {

std::string Library::fortran_text() const {
  const bool plain = !backend.needs_gpu_compiler() && !backend.prepare;
  return filled("module.f90", {{"PLAIN", plain ? "yes" : ""}});
}

std::string Library::python_text() const {
  Fillings fillings{{"STREAM", backend.needs_gpu_compiler() ? "True" : "False"}};
  TextSet known;
  for (const Argument& one : kernel.arguments) {
    const ElementRow& type = one.type.row();
    if (is_given(one) && known.insert(one.type.word()).second)
      fillings.lists["TYPES"].push_back({{"WORD", one.type.word()},
                                         {"BYTES", std::to_string(one.type.size())},
                                         {"FORMATS", type.formats},
                                         {"CTYPE", type.ctype}});
  }
  return filled("module.py", std::move(fillings));
}

bool Library::has_own_types() const {
  return any_of(kernel.arguments,
                [](const Argument& one) { return !one.type.row().is_named_so(); });
}

bool Library::is_size(const Argument& argument) const {
  if (argument.pointer || !argument.type.is_integer() || !is_given(argument)) return false;
  const auto measures = [&](const std::string& fact) {
    if (contains(kernel.facts, fact) || contains(kernel.footprint.names(), fact)) return true;
    return any_of(kernel.arguments,
                  [&](const auto& one) { return contains(one.count.names(), fact); });
  };
  const auto& names = argument.value.names();
  return any_of(names, measures);
}

bool Library::is_held(const Argument& argument) const {
  if (!argument.pointer && !is_size(argument)) return false;
  if (backend.holds && argument.pointer) return contains(*backend.holds, argument.name);
  return backend.prepare || backend.finish || !kernel.swap.empty();
}

std::string Library::takes_text() const {
  Texts held, free;
  for (const Argument& one : kernel.arguments)
    if (one.pointer || is_size(one)) (is_held(one) ? held : free).push_back(one.name);
  if (held.empty()) return "Its arrays and sizes may be others than those prepared.";
  std::string pairs;
  for (const auto& [first, second] : kernel.swap)
    join(pairs, kernel.arguments[first].name + " and " + kernel.arguments[second].name);
  return "It takes what was prepared: " + joined(held) +
         (pairs.empty() ? "" : ", also with " + pairs + " exchanged, all at once") +
         "; others are an error." +
         (free.empty()
              ? ""
              : "\n * Any at every call: " + joined(free) +
                    (promises().empty() ? "."
                                        : "; but of a variant that was chosen by a promise."));
}

std::string Library::variants_header_text() const {
  const bool cuda = backend.needs_gpu_compiler();
  return filled("variants.h", {{"HOST_SIDE", cuda ? "" : "yes"},
                               {"PARTS", cuda ? "library_cuda" : "library"},
                               {"ELEMENTS", has_own_types() ? "yes" : ""},
                               {"SIDE", cuda ? "cuda_" : ""}});
}

}  // namespace rooftune::exports

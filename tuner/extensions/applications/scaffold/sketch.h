// A kernel folder to begin with, built from a function's source, a captured call, or both.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/list.h"
#include "kernel/kernel.h"
#include "scaffold/pragmas.h"

namespace rooftune::scaffold {

/// What rooftune/capture.h has written about one argument.
struct CapturedArgument {
  std::string name;  ///< as the call spells it
  ElementType type = Element::int32;
  std::string value;   ///< a scalar's
  int64_t count = -1;  ///< an array's; -1: a scalar
  std::string size;    ///< the count as the call spells it, C++
  bool written = false;
  bool is_array() const { return count >= 0; }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, name, type);
    ROOFTUNE_EACH(visit.defaulted, self, value, count, size, written);
  }
};

struct Capture {
  fs::path folder;
  std::string function, source;  ///< `source`: the file with the call
  int64_t line = 0, call = 0;
  std::optional<ElementType> returns;
  std::vector<CapturedArgument> arguments;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-capture-1", "is no capture of a call");
    ROOFTUNE_EACH(visit, self, function, source, line, call);
    visit.defaulted("returns", self.returns)("arguments", self.arguments);
  }
  /// The file with an array's elements before the call, or after it.
  fs::path file(const std::string& array, bool result) const;
};

/// Reads the capture in `folder`, or the only one in folders below it. Throws Error: none, several
/// (with their names), or a damaged one.
Capture read_capture(const fs::path& folder);

/// The largest number that Contents::lengths are filled with.
inline constexpr int most_passes = 8;

/// Stands before an array's name: how many elements it has.
inline const std::string elements_of = "elements_of_";

struct SketchArgument {
  std::string name;
  ElementType type = Element::float64;
  std::string c_type;  ///< an element's, in the function's source
  bool array = false;
  Argument::Access access = Argument::Access::read;
  std::string value = {};           ///< a scalar's: its parameter's default
  std::string count = {};           ///< an array's: a formula
  Contents contents = {};           ///< what whole numbers stand for
  fs::path file = {}, result = {};  ///< an array's: to be copied; empty: none
  bool guessed = false;             ///< `value` stands in for the application's
  bool to_fill_in = false;          ///< `count` is a name that nothing declares

  /// An empty formula: the user fills it in.
  void set_count(const std::string& formula) {
    to_fill_in = formula.empty();
    count = to_fill_in ? elements_of + name : formula;
  }
};

struct Sketch {
  std::string name;      ///< the kernel's
  std::string function;  ///< that the sources define for it
  std::string origin;    ///< "heat of app.cpp:7"
  std::vector<SketchArgument> arguments;
  std::string reference, variant;  ///< source texts; no reference: results are captured
  LoopKnobs knobs;
  TextSet lows;                    ///< names in arrays' lower bounds
  Texts elsewhere;                 ///< functions in other files, which do nothing here
  std::string extension = ".cpp";  ///< the sources'
  bool has_body = true;            ///< else the user fills in the variant's

  /// Writes both sources: the user's text with these edits, and the same with knobs. `call` stands
  /// behind each.
  void take_text(const std::string& text, const Edits& edits, const std::string& call = {});
};

/// The file and the function that "solver.cpp:function", "solver.cpp:scope::function" or
/// "solver.cpp:120" names, and the flags of the user's build.
struct SourceName {
  fs::path file;
  std::string function;
  Texts flags = {};
};

/// `name`: the kernel's. Scalars take their values from `problem` or from the capture; others are
/// guessed. In `problem`, elements_of_ARRAY gives the formula for that array's size, and `elements`
/// the formula for all other arrays. Throws Error for a function that cannot be a kernel, and for a
/// capture of another function.
Sketch sketch_of(const std::string& name, const std::optional<Capture>& capture,
                 const std::optional<SourceName>& source, const NamedTexts& problem);

/// All files in the folder but the arrays: kernel.json, the space, the sources.
FileTexts files_of(const Sketch& sketch);
/// Where an array's contents or result go, below the folder.
fs::path data_file(const SketchArgument& argument, bool result);

}  // namespace rooftune::scaffold

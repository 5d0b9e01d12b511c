// Writes a kernel folder's texts from a T1 file. Expressions stay as they are, but for names:
// ProblemSize[0] becomes a parameter, and knobs are written in lower case.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/list.h"
#include "core/number.h"
#include "core/object_reader.h"
#include "core/pattern.h"
#include "core/text.h"
#include "kernel/manifest_reader.h"
#include "os/paths.h"
#include "replay/t1_space.h"

namespace rooftune::replay {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};
constexpr const char* axis_members[] = {"X", "Y", "Z"};

enum class T1Access { read_only, write_only, read_write };
inline Words words(T1Access) {
  static constexpr const char* all[] = {"ReadOnly", "WriteOnly", "ReadWrite"};
  return all;
}
enum class T1Fill { constant, random };
inline Words words(T1Fill) {
  static constexpr const char* all[] = {"Constant", "Random"};
  return all;
}

/// One entry in Arguments.
struct T1Argument {
  std::string name, size, value;
  ElementType type = Element::float32;
  T1Access access = T1Access::read_write;
  T1Fill fill = T1Fill::constant;
  bool is_vector = false;
  double fill_value = 0;  ///< for a vector with equal elements
};

/// Letters, digits and underscores only, fit for a folder and a function.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += is_identifier_char(c) ? c : '_';
  return lower_case(name);
}

/// The type that a word from KTT or Kernel Tuner names; nullopt: unknown.
std::optional<ElementType> element_type(const std::string& word) {
  static const ByName<Element> others{{"int", Element::int32},
                                      {"uint", Element::uint32},
                                      {"float16", Element::half},
                                      {"float32", Element::float32},
                                      {"float64", Element::float64},
                                      {"complex64", Element::complex_float},
                                      {"complex128", Element::complex_double}};
  auto* other = value_at(others, word);
  if (other) return *other;
  const auto known = ElementType::named(word);
  // Nothing in the form says what a structure holds.
  return known && known->element() != Element::bytes ? known : std::nullopt;
}

class T1KernelReader {
 public:
  T1KernelReader(const Json& json, const std::string& where) : space_(t1_from_json(json, where)) {
    Faults faults;
    ObjectReader root(json, where, faults);
    check_names(root);
    faults.raise();
    if (!root.object("KernelSpecification", [&](ObjectReader& object) { read(object); }))
      root.fault("KernelSpecification", "is missing: it names the kernel and how it is launched");
    faults.raise();
  }

  T1Kernel kernel() const {
    T1Kernel result;
    result.name = name_;
    result.source = file_;
    const Fillings all = fillings();
    result.files["kernel.json"] = filled_template("library/t1_kernel.json", all);
    result.files[name_ + ".cuda.json"] = filled_template("library/t1_space.json", all);
    result.files["cuda.cu"] = filled_template("library/t1_kernel.cu", all);
    result.notes = space_.deviations;
    if (work_.empty() && traffic_.is_null())
      result.notes.push_back(
          "the file states neither Work nor Traffic: the bound counts the bytes of the outputs "
          "only");
    result.notes.push_back(
        "there is no reference: results are compared with the first configuration's");
    return result;
  }

 private:
  /// Checks the parameters' names: they become macros, and knobs in lower case.
  void check_names(ObjectReader& root) const {
    NamedTexts small;
    for (const Knob& knob : space_.space.knobs()) {
      if (!is_identifier(knob.name))
        root.fault("ConfigurationSpace",
                   fmt::format("parameter \"{}\" cannot be the name of a macro", knob.name),
                   "letters, digits and underscores can");
      const auto [other, fresh] = small.emplace(lower_case(knob.name), knob.name);
      if (!fresh)
        root.fault("ConfigurationSpace",
                   fmt::format("parameters \"{}\" and \"{}\" differ by capitals only",
                               other->second, knob.name),
                   "knobs are written in small letters here");
    }
  }

  void read(ObjectReader& object) {
    const std::string language = object.text("Language", "");
    if (language != "CUDA")
      object.fault("Language", fmt::format("\"{}\" kernels cannot be run", language), "CUDA can");
    function_ = object.text("KernelName");
    if (!function_.empty() && !is_identifier(function_))
      object.fault("KernelName", fmt::format("\"{}\" is no function's name", function_));
    name_ = as_name(function_);
    file_ = object.text("KernelFile");
    for (const Json& size : object.member("ProblemSize"))
      if (size.is_number_integer())
        problem_.push_back(size.get<int64_t>());
      else
        object.fault("ProblemSize", "only whole numbers can be a problem's size");
    if (problem_.size() > 3) object.fault("ProblemSize", "has more than three dimensions");
    problem_.resize(3, 1);
    block_ = sizes(object, "LocalSize");
    grid_ = sizes(object, "GlobalSize");
    // OpenCL's global size counts threads.
    if (object.text("GlobalSizeType", "CUDA") == "OpenCL")
      for (size_t i = 0; i < 3; ++i)
        grid_[i] = fmt::format("({} + {} - 1) // ({})", grid_[i], block_[i], block_[i]);
    shared_ = renamed(object.formula("SharedMemory", "0"));
    object.each("Arguments", [&](ObjectReader& argument) { read_argument(argument); });
    if (arguments_.empty()) object.fault("Arguments", "is missing or empty");
    if (const Json& work = object.member("Work"); work.is_object()) work_ = work;
    traffic_ = object.member("Traffic");
  }

  void read_argument(ObjectReader& object) {
    T1Argument argument;
    argument.name = as_name(object.text("Name", fmt::format("argument_{}", arguments_.size())));
    // Arrays are often named "in", a word in expressions, or "3d", which begins like a number.
    if (!is_identifier(argument.name)) argument.name = "argument_" + argument.name;
    const std::string type = object.text("Type", "");
    if (const auto known = element_type(type))
      argument.type = *known;
    else
      object.fault("Type", fmt::format("\"{}\" cannot be passed on", type), ElementType::words());
    const std::string memory = object.text("MemoryType", object.text("MemType", "Vector"));
    argument.is_vector = memory == "Vector";
    if (!argument.is_vector && memory != "Scalar")
      object.fault("MemoryType", fmt::format("\"{}\" is not supported", memory),
                   "Vector and Scalar are; SharedMemory states dynamic shared memory");
    argument.access = object.get("AccessType", T1Access::read_write);
    argument.size = renamed(object.formula("Size", ""));
    if (argument.is_vector && argument.size.empty()) object.fault("Size", "a vector needs one");
    argument.fill = object.get("FillType", T1Fill::constant);
    argument.value = renamed(object.formula("FillValue", "0"));
    if (argument.is_vector && argument.fill == T1Fill::constant) {
      const auto value = number_in<double>(argument.value);
      if (!value)
        object.fault("FillValue", fmt::format("\"{}\" cannot fill a vector", argument.value),
                     "a number can");
      argument.fill_value = value.value_or(0);
    }
    arguments_.push_back(argument);
  }

  /// A size's X, Y and Z, "1" where it says nothing.
  Texts sizes(ObjectReader& object, const char* key) {
    Texts result(3, "1");
    const bool found = object.object(key, [&](ObjectReader& axes) {
      for (size_t i = 0; i < 3; ++i) result[i] = renamed(axes.formula(axis_members[i], "1"));
    });
    if (!found) object.fault(key, "is missing", "for example {\"X\": \"block_size_x\"}");
    return result;
  }

  /// Turns ProblemSize[1] into problem_size_y, and knobs into lower case.
  std::string renamed(const std::string& expression) const {
    std::string text = expression;
    for (size_t axis = 0; axis < 3; ++axis)
      text = Pattern(fmt::format("ProblemSize\\[{}\\]", axis))
                 .replaced(text, fmt::format("problem_size_{}", axis_names[axis]));
    for (const Knob& knob : space_.space.knobs())
      // Other names are faults already, and would be patterns here.
      if (is_identifier(knob.name) && !knob.values.empty()) {
        // min or max with only a knob means over all its values: a size for every configuration.
        const auto [least, most] = std::minmax_element(knob.values.begin(), knob.values.end());
        for (const auto& [function, value] : {std::pair("min", least), std::pair("max", most)})
          text = Pattern(fmt::format("\\b{}\\(\\s*{}\\s*\\)", function, knob.name))
                     .replaced(text, to_text(*value));
        text = Pattern("\\b" + knob.name + "\\b").replaced(text, lower_case(knob.name));
      }
    return text;
  }

  /// A member of Traffic; `otherwise` if it is missing.
  std::string stated(const char* key, const std::string& otherwise) const {
    if (!traffic_.is_object() || !traffic_.contains(key)) return otherwise;
    const Json& formula = traffic_.at(key);
    return formula.is_string() ? renamed(formula.get<std::string>()) : json_text(formula);
  }

  Fillings fillings() const {
    Json least = Json::object();
    for (const auto& [precision, flops] : work_.items())
      least[precision] = flops.is_string() ? Json(renamed(flops.get<std::string>())) : flops;
    std::string outputs = "0", parameters, pointers;
    bool own_types = false;
    for (const T1Argument& one : arguments_) {
      if (one.is_vector && one.access == T1Access::write_only)
        outputs += fmt::format(" + {}*({})", one.type.size(), one.size);
      if (one.is_vector) parameters += ", std::int64_t count_of_" + one.name;
      parameters += fmt::format(", {}{}{} {}", is_constant(one) ? "const " : "", one.type.cpp(),
                                one.is_vector ? "*" : "", one.name);
      join(pointers, "&" + one.name + (one.is_vector ? "_on_card" : ""));
      own_types = own_types || !one.type.row().is_named_so();
    }
    const std::string read = stated("read", "0"), write = stated("write", outputs);
    Fillings all{{"NAME", name_},
                 {"FUNCTION", function_},
                 {"FILE", file_},
                 {"TITLE", json_text(fmt::format("{} of {}, described in T1", function_, file_))},
                 {"LEAST", json_text(least)},
                 {"READ", json_text(read)},
                 {"WRITE", json_text(write)},
                 {"FOOTPRINT", json_text(read + " + " + write)},
                 {"SHARED", json_text(shared_)},
                 {"PARAMETERS", parameters},
                 {"POINTERS", pointers},
                 {"ELEMENTS", own_types ? "yes" : ""}};
    for (size_t i = 0; i < 3; ++i)
      add_json_row(all.lists["AXES"], {{"AXIS", axis_names[i]},
                                       {"NUMBER", std::to_string(i)},
                                       {"SIZE", std::to_string(problem_[i])},
                                       {"GRID", json_text(grid_[i])},
                                       {"BLOCK", json_text(block_[i])}});
    for (const T1Argument& one : arguments_) add_json_row(all.lists["ARGUMENTS"], row_of(one));
    for (const Knob& one : space_.space.knobs()) add_json_row(all.lists["KNOBS"], row_of(one));
    for (const Constraint& one : space_.space.constraints())
      add_json_row(all.lists["CONSTRAINTS"],
                   {{"EXPRESSION", json_text(renamed(one.expression.text()))}});
    return all;
  }

  static bool is_constant(const T1Argument& one) {
    return one.is_vector && one.access == T1Access::read_only;
  }

  static Fillings row_of(const T1Argument& one) {
    const bool filled = one.is_vector && one.access != T1Access::write_only;
    return {{"ARGUMENT", one.name},
            {"WORD", one.type.word()},
            {"TYPE", one.type.cpp()},
            {"VALUE", json_text(one.value)},
            {"VECTOR", one.is_vector ? "yes" : ""},
            {"SIZE", json_text(one.size)},
            {"ACCESS", word(Argument::Access(one.access))},
            {"RANDOM", filled && one.fill == T1Fill::random ? "yes" : ""},
            {"CONSTANT", filled && one.fill == T1Fill::constant ? json_text(one.fill_value) : ""},
            {"COPIED", filled ? "yes" : ""},
            {"WRITTEN", one.is_vector && !is_constant(one) ? "yes" : ""}};
  }

  Fillings row_of(const Knob& knob) const {
    const std::string small = lower_case(knob.name);
    const Pattern named("\\b" + small + "\\b");
    const auto shapes = [&](const std::string& size) { return named.search(size).has_value(); };
    const bool shape = any_of(block_, shapes) || any_of(grid_, shapes);
    Fillings row{{"KNOB", knob.name},
                 {"SMALL", small},
                 {"MACRO", macro_name(knob.name)},
                 {"VALUES", json_text(to_json(Value(knob.values)))},
                 {"DEFAULT", json_text(to_json(space_.space.baseline().at(knob.name)))},
                 {"BREAKS", shape ? R"("occupancy", "balance")" : R"("issue")"}};
    if (knob.values.front().is_text())
      for (const Value& value : knob.values)
        row.lists["TEXTS"].push_back({{"BRANCH", row.lists["TEXTS"].empty() ? "#if" : "#elif"},
                                      {"MEANING", macro_name(knob.name + "_" + value.text())},
                                      {"TEXT", value.text()}});
    return row;
  }

  T1Specification space_;
  std::string name_, function_, file_, shared_ = "0";
  Texts block_, grid_;
  std::vector<int64_t> problem_;
  std::vector<T1Argument> arguments_;
  Json work_ = Json::object(), traffic_;
};

}  // namespace

T1Kernel t1_kernel(const Json& json, const std::string& where) {
  return T1KernelReader(json, where).kernel();
}

}  // namespace rooftune::replay

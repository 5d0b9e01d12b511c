// Texts of a kernel folder from a T1 file. Expressions stay as they are, but for names:
// ProblemSize[0] becomes a parameter, and knobs are written in small letters.

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

/// One entry of Arguments.
struct T1Argument {
  std::string name, size, value;
  ElementType type = Element::float32;
  T1Access access = T1Access::read_write;
  T1Fill fill = T1Fill::constant;
  bool is_vector = false;
  double fill_value = 0;  ///< of a vector with equal elements
};

/// Letters, digits and underscores only, fit for a folder and a function.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += is_identifier_char(c) ? c : '_';
  return lower_case(name);
}

/// A type in the words of KTT and Kernel Tuner; nullopt: unknown.
std::optional<ElementType> element_type(const std::string& word) {
  static const std::map<std::string, Element> others{{"int", Element::int32},
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
    result.files["kernel.json"] = json_text(manifest(), 1) + "\n";
    result.files[name_ + ".cuda.json"] = json_text(space(), 1) + "\n";
    result.files["cuda.cu"] = source();
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
  /// Parameters become macros, and knobs in small letters.
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
    // "in" is a word of expressions, "3d" begins like a number: common names of arrays all the
    // same.
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

  /// X, Y and Z of a size, "1" where it says nothing.
  Texts sizes(ObjectReader& object, const char* key) {
    Texts result(3, "1");
    const bool found = object.object(key, [&](ObjectReader& axes) {
      for (size_t i = 0; i < 3; ++i) result[i] = renamed(axes.formula(axis_members[i], "1"));
    });
    if (!found) object.fault(key, "is missing", "for example {\"X\": \"block_size_x\"}");
    return result;
  }

  /// ProblemSize[1] to problem_size_y, and knobs to their small letters.
  std::string renamed(const std::string& expression) const {
    std::string text = expression;
    for (size_t axis = 0; axis < 3; ++axis)
      text = Pattern(fmt::format("ProblemSize\\[{}\\]", axis))
                 .replaced(text, fmt::format("problem_size_{}", axis_names[axis]));
    for (const Knob& knob : space_.space.knobs())
      // Other names are faults already, and would be patterns here.
      if (is_identifier(knob.name) && !knob.values.empty()) {
        // min and max of a knob alone are over all its values: a size for every configuration.
        const auto [least, most] = std::minmax_element(knob.values.begin(), knob.values.end());
        for (const auto& [function, value] : {std::pair("min", least), std::pair("max", most)})
          text = Pattern(fmt::format("\\b{}\\(\\s*{}\\s*\\)", function, knob.name))
                     .replaced(text, to_text(*value));
        text = Pattern("\\b" + knob.name + "\\b").replaced(text, lower_case(knob.name));
      }
    return text;
  }

  Json manifest() const {
    Json parameters = Json::array();
    for (size_t i = 0; i < 3; ++i)
      parameters.push_back({{"name", fmt::format("problem_size_{}", axis_names[i])},
                            {"type", "integer"},
                            {"default", problem_[i]},
                            {"min", 1},
                            {"doc", fmt::format("ProblemSize[{}]", i)}});
    Json least = Json::object();
    for (const auto& [precision, flops] : work_.items())
      least[precision] = flops.is_string() ? Json(renamed(flops.get<std::string>())) : flops;
    std::string outputs = "0";
    for (const T1Argument& argument : arguments_)
      if (argument.is_vector && argument.access == T1Access::write_only)
        outputs += fmt::format(" + {}*({})", argument.type.size(), argument.size);
    const auto stated = [&](const char* key, const std::string& otherwise) {
      if (!traffic_.is_object() || !traffic_.contains(key)) return otherwise;
      const Json& formula = traffic_.at(key);
      return formula.is_string() ? renamed(formula.get<std::string>()) : json_text(formula);
    };
    const std::string read = stated("read", "0"), write = stated("write", outputs);
    return Json{
        {"schema", "rooftune-kernel-1"},
        {"name", name_},
        {"title", fmt::format("{} of {}, described in T1", function_, file_)},
        {"function", "launch_" + name_},
        {"parameters", parameters},
        {"arguments", members(passed(), &Passed::entry)},
        {"work", {{"least", least}, {"items", "1"}, {"item", "call"}}},
        {"traffic", {{"read", read}, {"write", write}, {"footprint", read + " + " + write}}},
        {"tolerance", {{"relative", 1e-5}, {"absolute", 0}, {"scale", "max"}}},
        {"reference", "baseline"},
        {"backends",
         {{"cuda",
           {{"source", "cuda.cu"},
            {"prepare", true},
            {"finish", true},
            {"device_arrays", true}}}}}};
  }

  /// One argument of the launching functions.
  struct Passed {
    std::string type, name;
    Json entry;  ///< of kernel.json
  };

  std::vector<Passed> passed() const {
    std::vector<Passed> all;
    const auto scalar = [&](const std::string& name, ElementType type, const std::string& value) {
      all.push_back({type.cpp(), name, {{"name", name}, {"type", type.word()}, {"value", value}}});
    };
    for (size_t i = 0; i < 3; ++i) {
      scalar(fmt::format("grid_{}", axis_names[i]), Element::int64, grid_[i]);
      scalar(fmt::format("block_{}", axis_names[i]), Element::int64, block_[i]);
    }
    scalar("shared_bytes", Element::int64, shared_);
    for (const T1Argument& argument : arguments_) {
      if (!argument.is_vector) {
        scalar(argument.name, argument.type, argument.value);
        continue;
      }
      scalar("count_of_" + argument.name, Element::int64, argument.size);
      Json array{{"name", argument.name},
                 {"type", argument.type.word() + "*"},
                 {"count", argument.size},
                 {"access", word(static_cast<Argument::Access>(argument.access))}};
      if (argument.access != T1Access::write_only)
        array["fill"] = argument.fill == T1Fill::random
                            ? Json{{"kind", "uniform"}, {"low", 0}, {"high", 1}, {"seed", 1}}
                            : Json{{"kind", "constant"}, {"value", argument.fill_value}};
      const bool constant = argument.access == T1Access::read_only;
      all.push_back({(constant ? "const " : "") + argument.type.cpp() + "*", argument.name, array});
    }
    return all;
  }

  Json space() const {
    Json knobs = Json::array(), constraints = Json::array();
    for (const Knob& one : space_.space.knobs()) knobs.push_back(knob(one));
    for (const Constraint& constraint : space_.space.constraints())
      constraints.push_back({{"expression", renamed(constraint.expression.text())},
                             {"reason", "a condition of the T1 file"}});
    return Json{{"schema", "rooftune-space-1"},
                {"kernel", name_},
                {"backend", "cuda"},
                {"knobs", knobs},
                {"constraints", constraints}};
  }

  Json knob(const Knob& knob) const {
    const auto shapes = [&](const Texts& sizes) {
      return std::ranges::any_of(sizes, [&](const std::string& size) {
        return Pattern("\\b" + lower_case(knob.name) + "\\b").search(size).has_value();
      });
    };
    return Json{
        {"name", lower_case(knob.name)},
        {"kind", "compile"},
        {"values", to_json(Value(knob.values))},
        {"default", to_json(space_.space.baseline().at(knob.name))},
        {"breaks", shapes(block_) || shapes(grid_) ? Json{"occupancy", "balance"} : Json{"issue"}},
        {"doc", fmt::format("{} of the T1 file, which does not say what it can break", knob.name)}};
  }

  std::string source() const {
    std::string buffers, in, out, values, pointers;
    for (const T1Argument& argument : arguments_) {
      const std::string& name = argument.name;
      const std::string type = argument.type.cpp();
      pointers += (pointers.empty() ? "&" : ", &") + name + (argument.is_vector ? "_on_card" : "");
      if (!argument.is_vector) continue;
      buffers += fmt::format("static rooftune::DeviceBuffer<{}> {}_buffer;\n", type, name);
      in += argument.access == T1Access::write_only
                ? fmt::format("  {0}_buffer.reserve(count_of_{0});\n", name)
                : fmt::format("  {0}_buffer.copy_in({0}, count_of_{0});\n", name);
      if (argument.access != T1Access::read_only)
        out += fmt::format("  {0}_buffer.copy_out({0}, count_of_{0});\n", name);
      values += fmt::format("  auto* {0}_on_card = {0}_buffer.data();\n", name);
    }
    return filled_template("library/t1_kernel.cu", {{"FUNCTION", function_},
                                                    {"FILE", file_},
                                                    {"BUFFERS", buffers},
                                                    {"NAME", name_},
                                                    {"PARAMETERS", parameters()},
                                                    {"IN", in},
                                                    {"VALUES", values},
                                                    {"POINTERS", pointers},
                                                    {"OUT", out},
                                                    {"MACROS", knob_macros()},
                                                    {"ELEMENTS", has_own_types() ? "yes" : ""}});
  }

  bool has_own_types() const {
    return std::ranges::any_of(arguments_,
                               [](const T1Argument& one) { return !one.type.row().is_named_so(); });
  }

  /// The parameters of the form as the macros of its source.
  std::string knob_macros() const {
    std::string text;
    for (const Knob& knob : space_.space.knobs()) {
      if (!knob.values.front().is_text()) {
        text += fmt::format("#define {} {}\n", knob.name, macro_name(knob.name));
        continue;
      }
      const char* branch = "#if";
      for (const Value& value : knob.values) {
        text += fmt::format("{} {} == {}\n#define {} {}\n", branch, macro_name(knob.name),
                            macro_name(knob.name + "_" + value.text()), knob.name, value.text());
        branch = "#elif";
      }
      text += "#endif\n";
    }
    return text;
  }

  /// Parameters of the launching functions.
  std::string parameters() const {
    Texts all;
    for (const Passed& one : passed()) all.push_back(one.type + " " + one.name);
    return joined(all);
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

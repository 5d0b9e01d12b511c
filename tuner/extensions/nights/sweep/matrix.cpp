// The studies of a plan by its axes: kernels x problems x back ends x machines.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "study/spec.h"
#include "sweep/plan.h"

namespace rooftune::sweep {
namespace {

/// Members of a study. In this order they vary, the first slowest.
std::vector<const char*> axis_names() {
  std::vector<const char*> names;
  const auto add = [&names](const char* name, auto&, const Option& option) {
    if (!option.refused_in_files) names.push_back(name);
  };
  StudySpec spec;
  StudySpec::fields(spec, add);
  return names;
}

/// The last part of a path: the name of a kernel, or of a file.
std::string stem_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, stem_of(text_of(member)));
  return text;
}

/// Faults are reported with the study.
std::string program_name(const Json& json) {
  Faults faults;
  Program program;
  decode(json, Place("matrix", faults), program);
  try {
    return program.study_name();
  } catch (const Error&) {
    return "program";
  }
}

/// The distinguishing values of a study in its plan, in the form of a file name.
std::string name_of(const Json& study, const std::vector<std::string>& telling) {
  std::string name = study.contains("kernel") ? stem_of(text_of(study.at("kernel")))
                                              : program_name(study.at("program"));
  for (const std::string& axis : telling)
    if (study.contains(axis)) name += "." + stem_of(text_of(study.at(axis)));
  return name;
}

/// The values of an axis, for a kernel where it has its own.
std::vector<Json> values_of(const Json& axis, const std::string& kernel) {
  const auto list = [](const Json& values) {
    return std::vector<Json>(values.begin(), values.end());
  };
  if (axis.is_array()) return list(axis);
  for (const std::string& key : {kernel, stem_of(kernel), std::string("*")})
    if (axis.contains(key)) return list(axis.at(key));
  return {};
}

bool holds(const Json& study, const Json& members) {
  for (const auto& [name, wanted] : members.items()) {
    if (!study.contains(name)) return false;
    const Json& value = study.at(name);
    if (wanted.is_object() && value.is_object() ? !holds(value, wanted) : value != wanted)
      return false;
  }
  return true;
}

/// Checks the shape of the axes; true when they can be expanded.
bool read_axes(ObjectReader& matrix, Json& axes) {
  bool good = true;
  const auto fault = [&](const char* name, const char* message, const char* hint) {
    matrix.fault(name, message, hint);
    good = false;
  };
  for (const char* const name : axis_names()) {
    const Json& axis = matrix.member(name);
    if (axis.is_null()) continue;
    const bool by_kernel = axis.is_object() && std::string(name) == "problem";
    if (by_kernel) {
      for (const auto& [kernel, list] : axis.items())
        if (!list.is_array() || list.empty())
          fault(name, "holds a list of problems for each kernel", "{\"spmv\": [{...}, {...}]}");
    } else if (!axis.is_array() || axis.empty()) {
      fault(name, "must be a list of values", "one value is a list of one");
    }
    axes[name] = axis;
  }
  if (!axes.contains("kernel") && !axes.contains("program"))
    fault("kernel", "is missing", "a list of kernels, or of programs as \"program\"");
  return good;
}

std::vector<Json> combined(const Json& axes) {
  std::vector<Json> studies{Json::object()};
  for (const auto& [name, axis] : axes.items()) {
    std::vector<Json> longer;
    for (const Json& study : studies) {
      const std::string kernel = study.contains("kernel") ? text_of(study.at("kernel")) : "";
      const std::vector<Json> values = values_of(axis, kernel);
      if (values.empty()) longer.push_back(study);
      for (const Json& value : values) {
        longer.push_back(study);
        longer.back()[name] = value;
      }
    }
    studies = std::move(longer);
  }
  return studies;
}

void exclude(ObjectReader& matrix, std::vector<Json>& studies) {
  matrix.each("exclude", [&](ObjectReader& object) {
    for (const auto& [name, value] : object.json().items()) object.know(name);
    const auto before = studies.size();
    std::erase_if(studies, [&](const Json& study) { return holds(study, object.json()); });
    if (studies.size() == before)
      object.fault("", "excludes nothing: " + json_text(object.json()),
                   "its values must be those of the axes");
  });
}

}  // namespace

std::vector<Json> expanded(ObjectReader& matrix) {
  Json axes = Json::object();
  std::vector<Json> studies;
  if (read_axes(matrix, axes)) studies = combined(axes);
  exclude(matrix, studies);
  std::vector<std::string> telling;
  for (const auto& [name, axis] : axes.items())
    if (name != "kernel" && name != "program" && (axis.is_object() || axis.size() > 1))
      telling.push_back(name);
  for (Json& study : studies) study["name"] = name_of(study, telling);
  matrix.finish();
  return studies;
}

}  // namespace rooftune::sweep

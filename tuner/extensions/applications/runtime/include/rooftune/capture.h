// Writes what one call in an application gets and what it leaves, for `tune new --from capture`:
// the kernel is then tuned and checked on the application's own data. C++17, nothing to link.
//
//   gray_scott(n, dt, u, next);                                            becomes
//   ROOFTUNE_CAPTURE(100, gray_scott, n, dt, ROOFTUNE_ARRAY(u, n * n), ROOFTUNE_ARRAY(next, n *
//   n));
//
// calls gray_scott each time. The 100th time it writes capture/gray_scott: capture.json with the
// scalars, and each array before and after the call as a NumPy file. An overloaded function is
// named by its type: static_cast<void (*)(int, double*)>(gray_scott).
#pragma once
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

/// An argument that points to `count` elements (an expression: its text becomes the size formula).
#define ROOFTUNE_ARRAY(pointer, count) \
  ::rooftune::capture::array(pointer, static_cast<std::size_t>(count), #pointer, #count)

/// Calls function(arguments), and returns its result. The `nth` call from this place, counted from
/// 1, is written to $ROOFTUNE_CAPTURE/<function>, else to capture/<function> where the application
/// runs. What cannot be written is told on standard error, and the application goes on.
#define ROOFTUNE_CAPTURE(nth, function, ...)                                                     \
  ::rooftune::capture::call(                                                                     \
      [] {                                                                                       \
        static std::atomic<long> rooftune_calls{0};                                              \
        return ++rooftune_calls == (nth);                                                        \
      }(),                                                                                       \
      ::rooftune::capture::Site{#function, #__VA_ARGS__, __FILE__, __LINE__, (nth)}, (function), \
      __VA_ARGS__)

namespace rooftune {
inline namespace runtime {
namespace capture {

template <class T>
struct Array {
  T* data;
  std::size_t count;
  const char *name, *size;
  operator T*() const { return data; }  // NOLINT: stands for the pointer in the call
};

template <class T>
Array<T> array(T* data, std::size_t count, const char* name, const char* size) {
  return {data, count, name, size};
}

/// A call in the source.
struct Site {
  const char *function, *arguments, *file;
  int line;
  long nth;
};

/// NumPy's kind of a type; V: a structure, known only by its size.
template <class T>
inline constexpr char kind = std::is_same_v<T, bool>       ? 'b'
                             : std::is_floating_point_v<T> ? 'f'
                             : !std::is_arithmetic_v<T>    ? 'V'
                             : std::is_signed_v<T>         ? 'i'
                                                           : 'u';
template <class T>
inline constexpr char kind<std::complex<T>> = 'c';
// Whether these are complete numbers depends on the compiler's C++.
#ifdef __FLT16_DIG__
template <>
inline constexpr char kind<_Float16> = 'f';
#endif
#ifdef __BFLT16_DIG__
template <>
inline constexpr char kind<__bf16> = 'B';
#endif

/// As kernel.json writes it: "int32", "uint8", "double", "bytes:24".
template <class T>
std::string type_word() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                "arguments are numbers or ROOFTUNE_ARRAY(pointer, count)");
  static_assert(!std::is_same_v<T, long double>, "long double is no type of a kernel");
  const std::string bits = std::to_string(8 * sizeof(T));
  switch (kind<T>) {
    case 'b':
      return "bool";
    case 'B':
      return "bfloat16";
    case 'c':
      return sizeof(T) == 8 ? "complex<float>" : "complex<double>";
    case 'f':
      return sizeof(T) == 2 ? "half" : sizeof(T) == 4 ? "float" : "double";
    case 'V':
      return "bytes:" + std::to_string(sizeof(T));
    default:
      return (kind<T> == 'i' ? "int" : "uint") + bits;
  }
}

/// As NumPy writes it: "<f8".
template <class T>
std::string npy_word() {
  const bool unordered = sizeof(T) == 1 || kind<T> == 'V';
  return (unordered ? "|" : "<") + std::string(1, kind<T> == 'B' ? 'u' : kind<T>) +
         std::to_string(sizeof(T));
}

inline std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return all + '"';
}

/// The variable in an expression: u in "u.data()", "&grid.u[0]" and "static_cast<double*>(u)";
/// empty where it computes.
inline std::string variable_of(const std::string& text) {
  static const std::string words =
      " std true false bool char short int long unsigned float double ";
  std::string found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(' || text[i] == '[' || text[i] == '<') -
             (text[i] == ')' || text[i] == ']' || (text[i] == '>' && text[i - (i > 0)] != '-'));
    if (i > 0 && depth == 0 && std::string("+*/%?|^").find(text[i]) != std::string::npos) return {};
  }
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t i = 0, end = 0; i < text.size(); i = end) {
    end = i + 1;
    if (!in_word(text[i])) continue;
    while (end < text.size() && in_word(text[end])) ++end;
    const bool called = end < text.size() && (text[end] == '(' || text[end] == '<');
    const std::string word = text.substr(i, end - i);
    if (!called && std::isdigit(static_cast<unsigned char>(text[i])) == 0 &&
        words.find(' ' + word + ' ') == words.npos)
      found = word;
    // What stands between brackets is an index.
    if (end < text.size() && text[end] == '[') break;
  }
  return found;
}

/// The texts between commas outside brackets.
inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Writes one call into a separate folder, until it is whole.
class Writer {
 public:
  explicit Writer(const Site& site) : site_(site), texts_(split(site.arguments)) {
    const char* const chosen = std::getenv("ROOFTUNE_CAPTURE");
    target_ =
        std::filesystem::path(chosen && *chosen ? chosen : "capture") / variable_of(site.function);
    part_ = target_.string() + ".part" + std::to_string(getpid());
    try {
      std::filesystem::create_directories(part_);
    } catch (const std::filesystem::filesystem_error& fault) {
      fail(fault.what());
    }
  }

  /// Saves an argument before the call; Parameter: its type in the function.
  template <class Parameter, class T>
  void before(const Array<T>& one) {
    using Pointed = std::remove_pointer_t<std::remove_reference_t<Parameter>>;
    array<std::remove_const_t<T>>(one.data, one.count, name_of(one.name), one.size,
                                  !std::is_const_v<Pointed> && !std::is_const_v<T>);
  }
  template <class Parameter, class T>
  void before(const T& value) {
    constexpr bool written = std::is_lvalue_reference_v<Parameter> &&
                             !std::is_const_v<std::remove_reference_t<Parameter>>;
    const std::string text = position_ < texts_.size() ? texts_[position_] : std::string();
    if constexpr (written)
      array<T>(&value, 1, name_of(text), "1", true);
    else
      scalar(name_of(text), static_cast<std::decay_t<Parameter>>(value));
  }

  template <class T>
  void returned(const T& value) {
    save(std::string(result_name) + ".result.npy", &value, 1);
    returned_ = ", \"returns\": " + quoted(type_word<T>());
  }

  /// Adds what the call left behind, and puts the whole folder in its place.
  void finish() {
    for (const std::function<void()>& save : results_) save();
    std::error_code ignored;
    const std::string file = std::filesystem::absolute(site_.file, ignored).string();
    const std::string text = "{\"schema\": \"rooftune-capture-1\", \"function\": " +
                             quoted(variable_of(site_.function)) + ", \"source\": " + quoted(file) +
                             ", \"line\": " + std::to_string(site_.line) +
                             ", \"call\": " + std::to_string(site_.nth) + returned_ +
                             ",\n \"arguments\": [\n" + arguments_ + "\n]}\n";
    write(part_ / "capture.json", text, nullptr, 0);
    if (!failed_) try {
        const std::filesystem::path old = part_.string() + ".old";
        if (std::filesystem::exists(target_)) std::filesystem::rename(target_, old);
        std::filesystem::rename(part_, target_);
        std::filesystem::remove_all(old);
        std::fprintf(stderr, "rooftune: call %ld of %s is in %s\n", site_.nth, site_.function,
                     target_.c_str());
        return;
      } catch (const std::filesystem::filesystem_error& fault) {
        fail(fault.what());
      }
    std::filesystem::remove_all(part_, ignored);
  }

 private:
  static constexpr const char* result_name = "returned";

  void fail(const std::string& why) {
    if (!failed_) std::fprintf(stderr, "rooftune: nothing is captured: %s\n", why.c_str());
    failed_ = true;
  }

  void write(const std::filesystem::path& file, const std::string& head, const void* data,
             std::size_t bytes) {
    if (failed_) return;
    std::FILE* const opened = std::fopen(file.c_str(), "wb");
    bool right = opened && std::fwrite(head.data(), 1, head.size(), opened) == head.size() &&
                 (bytes == 0 || std::fwrite(data, 1, bytes, opened) == bytes);
    if (opened) right = std::fclose(opened) == 0 && right;
    if (!right) fail(file.string() + " cannot be written");
  }

  template <class T>
  void save(const std::string& file, const T* data, std::size_t count) {
    std::string head = "{'descr': '" + npy_word<T>() + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
    constexpr std::size_t before = 10, unit = 64;
    head.append(unit - (before + head.size() + 1) % unit, ' ').push_back('\n');
    const std::string begin = std::string("\x93NUMPY\x01\0", 8) +
                              static_cast<char>(head.size() & 255U) +
                              static_cast<char>(head.size() >> 8U);
    write(part_ / file, begin + head, data, count * sizeof(T));
  }

  /// A name for the argument that no other argument has.
  std::string name_of(const std::string& text) {
    std::string name = variable_of(text);
    const bool taken = std::find(names_.begin(), names_.end(), name) != names_.end();
    if (taken || name.empty() || name == result_name) name += "_" + std::to_string(position_ + 1);
    if (name[0] == '_') name.insert(0, "argument");
    ++position_;
    names_.push_back(name);
    return name;
  }

  template <class T>
  void array(const T* data, std::size_t count, const std::string& name, const std::string& size,
             bool written) {
    add(name, type_word<T>(),
        "\"count\": " + std::to_string(count) + ", \"size\": " + quoted(size) +
            ", \"written\": " + (written ? "true" : "false"));
    save(name + ".npy", data, count);
    if (written)
      results_.push_back([this, name, data, count] { save(name + ".result.npy", data, count); });
  }

  template <class T>
  void scalar(const std::string& name, const T& value) {
    static_assert(kind<T> != 'V', "a structure is captured as ROOFTUNE_ARRAY(&it, 1)");
    char text[40];
    if constexpr (kind<T> == 'c') {
      if (value.imag() != 0) fail("argument " + name + " is no real number, as in kernel.json");
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value.real()));
    } else if constexpr (kind<T> == 'f' || kind<T> == 'B')
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    else if constexpr (std::is_signed_v<T>)
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    else
      std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    add(name, type_word<T>(), std::string("\"value\": \"") + text + '"');
  }

  void add(const std::string& name, const std::string& type, const std::string& rest) {
    arguments_ += (arguments_.empty() ? "  {" : ",\n  {") + std::string("\"name\": ") +
                  quoted(name) + ", \"type\": " + quoted(type) + ", " + rest + "}";
  }

  Site site_;
  std::vector<std::string> texts_, names_;
  std::vector<std::function<void()>> results_;
  std::filesystem::path target_, part_;
  std::string arguments_, returned_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

template <class R, class Function, class... Parameters, class... Arguments>
R call_as(R (*)(Parameters...), bool now, const Site& site, Function&& function,
          Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "arguments of another number");
  if (!now) return function(arguments...);
  Writer writer(site);
  (writer.before<Parameters>(arguments), ...);
  if constexpr (std::is_void_v<R>) {
    function(arguments...);
    writer.finish();
  } else {
    R result = function(arguments...);
    if constexpr (kind<R> != 'V') writer.returned(result);
    writer.finish();
    return result;
  }
}

template <class R, class... Parameters, class... Arguments>
R call(bool now, const Site& site, R (*function)(Parameters...), Arguments&&... arguments) {
  return call_as<R>(function, now, site, function, std::forward<Arguments>(arguments)...);
}

/// noexcept is part of the type.
template <class R, class... Parameters, class... Arguments>
R call(bool now, const Site& site, R (*function)(Parameters...) noexcept,
       Arguments&&... arguments) {
  return call_as<R>(static_cast<R (*)(Parameters...)>(function), now, site, function,
                    std::forward<Arguments>(arguments)...);
}

}  // namespace capture
}  // namespace runtime
}  // namespace rooftune

// The C interface between Kokkos Tools and a tuning tool, the same since Kokkos 3.2
// (Kokkos_Profiling_C_Interface.h), so no part of Kokkos is needed here.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rooftune::kokkos::tools {

union Value {
  int64_t integer;
  double real;
  char text[64];
};

enum ValueType : int { type_real };
enum Quantity : int { quantity_range = 1 };

struct Range {
  Value lower, upper, step;
  bool open_lower, open_upper;
};

struct Declaration {
  int type;      ///< ValueType
  int category;  ///< categorical, ordinal, interval, ratio
  int quantity;  ///< Quantity
  union {
    struct {
      size_t size;
      void* values;
    } set;  ///< for variables that belong to no policy
    Range range;
  } candidates;
  void* of_tool;
};

struct Variable {
  size_t id;
  Value value;
  Declaration* info;
};

struct Settings {
  bool requires_global_fencing;
  bool padding[255];
};

using RequestValues = void (*)(size_t context, size_t inputs, const Variable*, size_t outputs,
                               Variable*);

}  // namespace rooftune::kokkos::tools

// A kernel folder on disk for tests: a manifest text and the sources that it names.
// The folder goes away with its owner.
#pragma once
#include <string>

#include "core/json.h"
#include "support/scratch_folder.h"

namespace rooftune::testing {

/// A complete manifest that reads without fault; tests change one thing in it.
inline Json triad_manifest() {
  return Json::parse(R"({
    "schema": "rooftune-kernel-1", "name": "triad", "title": "a = b + s c",
    "parameters": [{"name": "n", "type": "integer", "default": 1000, "min": 1, "max": 4e9},
                   {"name": "s", "type": "real", "default": 3.5},
                   {"name": "order", "type": "text", "default": "up", "choices": ["up", "down"]}],
    "arguments": [
      {"name": "n", "type": "int64", "value": "n"},
      {"name": "s", "type": "double", "value": "s"},
      {"name": "block", "type": "int32", "value": "block_rows * 2"},
      {"name": "b", "type": "double*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 7}},
      {"name": "c", "type": "float*", "count": "n + 1", "access": "update", "fill": {"kind": "constant", "value": 2}},
      {"name": "a", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "2*n"}, "nominal": "3*n", "items": "n", "item": "element"},
    "traffic": {"read": "16*n", "write": "8*n", "footprint": "24*n"},
    "walls": [{"name": "write allocate", "breaks": "nt_store", "level": "DRAM", "read": "24*n", "write": "8*n"},
              {"name": "never here", "breaks": "capacity", "read": "48*n", "write": "8*n", "when": "n > 4000"}],
    "tolerance": {"relative": 1e-13, "absolute": 0, "scale": "max"},
    "reference": "reference.cpp",
    "backends": {"openmp": {"source": "openmp.cpp", "prepare": true, "flags": ["-funroll-loops"]}}
  })");
}

class ManifestFolder : public ScratchFolder {
 public:
  explicit ManifestFolder(const std::string& manifest) {
    write("kernel.json", manifest);
    write("reference.cpp", "");
    write("openmp.cpp", "");
  }
  explicit ManifestFolder(const Json& manifest) : ManifestFolder(manifest.dump(1)) {}
};

}  // namespace rooftune::testing

// A CUDA kernel described in the community's form T1, turned into a kernel folder of Rooftune:
// manifest, search space and the launching half around the untouched source. The caller writes the
// files and copies the source beside them.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "replay/module.h"

namespace rooftune::replay {

struct T1Kernel {
  std::string name;  ///< of kernel and folder
  std::map<std::string, std::string>
      files;                       ///< name to text: kernel.json, cuda.cu, <name>.cuda.json
  std::filesystem::path source;    ///< KernelFile as the form names it
  std::vector<std::string> notes;  ///< notes for a person
};

/// KernelSpecification: Language CUDA, KernelName, KernelFile, LocalSize, GlobalSize (blocks with
/// GlobalSizeType CUDA, else threads), ProblemSize, SharedMemory (bytes), Arguments (scalars and
/// vectors); beyond the form Work {"fp32": expression} and Traffic {"read", "write": expressions}
/// over ProblemSize; without these only the outputs' bytes bound the time. Throws Error with all
/// faults.
T1Kernel t1_kernel(const Json& json, const std::string& where);

}  // namespace rooftune::replay

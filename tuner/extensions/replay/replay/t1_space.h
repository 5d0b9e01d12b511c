// Search spaces in forms that the field uses. T1, the community's input form: ConfigurationSpace
// with TuningParameters and Conditions; values and conditions are Python expressions. Plain spaces,
// the form in which published spaces are kept for comparison: {"name", "parameters": [{"name",
// "values"}], "constraints": ["expression"]}.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "core/modules.h"
#include "space/search_space.h"

namespace rooftune::replay {

struct T1Specification {
  SearchSpace space;
  Texts deviations;  ///< differences from the published form, in words
};

/// Whether it has a member ConfigurationSpace.
bool is_t1(const Json& json);
/// "Default" members make the baseline when every parameter has one and they are allowed together;
/// else the first allowed configuration does. Throws Error with all faults.
T1Specification t1_from_json(const Json& json, const std::string& where);
/// A plain space's first allowed configuration is the default. Throws Error with all faults, and
/// when no configuration is allowed.
SearchSpace plain_space_from_json(const Json& json, const std::string& where);

/// A kernel folder for a CUDA kernel that T1 describes: manifest, search space and the launching
/// half around the untouched source. The caller writes the files and copies the source beside them.
struct T1Kernel {
  std::string name;  ///< for kernel and folder
  NamedTexts files;  ///< name to text: kernel.json, cuda.cu, <name>.cuda.json
  fs::path source;   ///< KernelFile as the form names it
  Texts notes;       ///< notes for a person
};

/// KernelSpecification: Language CUDA, KernelName, KernelFile, LocalSize, GlobalSize (blocks with
/// GlobalSizeType CUDA, else threads), ProblemSize, SharedMemory (bytes), Arguments (scalars and
/// vectors); beyond the form Work {"fp32": expression} and Traffic {"read", "write": expressions}
/// over ProblemSize; without these only the outputs' bytes bound the time. Throws Error with all
/// faults.
T1Kernel t1_kernel(const Json& json, const std::string& where);

}  // namespace rooftune::replay

// Functions of a library besides those of every kernel.
#pragma once
#include <string>

#include "exports/kernel_library.h"

namespace rooftune::exports {

/// Its functions of a problem besides, as the header, dispatch, Fortran and Python have them.
std::string function_declarations(const LibrarySource& source);
std::string function_definitions(const LibrarySource& source);
std::string function_interfaces(const LibrarySource& source);
std::string function_rows(const LibrarySource& source);
/// "&kernel::spmv_update" and so on, for a variant.
std::string function_addresses(const LibrarySource& source);

}  // namespace rooftune::exports

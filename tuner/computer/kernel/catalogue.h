// Kernels by name: a folder under home()/kernels, or any folder given by path.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace rooftune::kernel {

/// `name_or_path`: "spmv", "./mykernel", "/x/y". Throws Error with near names.
Kernel find_kernel(const std::string& name_or_path, const std::filesystem::path& home);
std::vector<std::string> kernel_names(const std::filesystem::path& home);
/// The space of a kernel and backend: <folder>/<kernel>.<backend>.json, <folder>/search_spaces/...,
/// else <home>/search_spaces/<kernel>.<backend>.json. Throws Error naming the places tried.
std::filesystem::path find_space(const Kernel& kernel, const std::string& backend,
                                 const std::filesystem::path& home);

}  // namespace rooftune::kernel

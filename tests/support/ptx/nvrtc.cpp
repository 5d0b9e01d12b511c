// NVRTC that answers with PTX: the library that PTX_EXECUTOR_NVRTC names, asked for a virtual
// architecture where a real one is wanted. Assembling would take half of the time, and machine code
// cannot be executed.
#include "build/cuda/nvrtc.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace {

struct Program {
  std::string source, name;
  std::map<std::string, std::string> headers;
  rooftune::build::CompiledKernels compiled;
};

const rooftune::build::Nvrtc& real() {
  static const rooftune::build::Nvrtc library(std::getenv("PTX_EXECUTOR_NVRTC"));
  return library;
}

void copy(const std::string& text, char* to) { std::memcpy(to, text.c_str(), text.size() + 1); }

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = real().version() / 1000;
  *minor = real().version() % 1000 / 10;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(real().architectures().size());
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  for (const int one : real().architectures()) *architectures++ = one;
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char* name, int count,
                       const char* const* texts, const char* const* names) {
  *program = new Program{source, name, {}, {}};
  for (int i = 0; i < count; ++i) (*program)->headers[names[i]] = texts[i];
  return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* words) {
  std::vector<std::string> options(words, words + count);
  for (std::string& option : options)
    if (const auto at = option.find("=sm_"); at != std::string::npos)
      option.replace(at, std::strlen("=sm_"), "=compute_");
  program->compiled = real().compile(program->source, program->name, program->headers, options);
  return program->compiled.ok ? 0 : 6;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->compiled.log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(Program* program, char* text) {
  copy(program->compiled.log, text);
  return 0;
}
int nvrtcGetCUBINSize(Program*, std::size_t* bytes) {
  *bytes = 0;
  return 0;
}
int nvrtcGetCUBIN(Program*, char*) { return 0; }
int nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  *bytes = program->compiled.image.size() + 1;
  return 0;
}
int nvrtcGetPTX(Program* program, char* text) {
  copy(program->compiled.image, text);
  return 0;
}
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}
}

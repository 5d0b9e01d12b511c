"""C++ that goes into every folder of a script."""

POINTER = """#if defined(__CUDACC__)
#define ROOFTUNE_PYTHON_DEVICE __device__
#else
#define ROOFTUNE_PYTHON_DEVICE
#endif
namespace rooftune_python {
/// As the pointer that the function takes, whatever its type: Kernel Tuner passes addresses, too.
struct Pointer {
  void* at;
  template <class T>
  ROOFTUNE_PYTHON_DEVICE operator T*() const { return static_cast<T*>(at); }
};
}  // namespace rooftune_python
"""

FILLED = """namespace rooftune_python {
[[maybe_unused]] inline void* filled(void* at, const char* file, std::size_t bytes) {
  std::FILE* const in = std::fopen(file, "rb");
  const bool all = at && in && std::fread(at, 1, bytes, in) == bytes;
  if (in) std::fclose(in);
  if (!all) std::abort();
  return at;
}
[[maybe_unused]] inline void* loaded(const char* file, std::size_t bytes, void* old) {
  std::free(old);
  return filled(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), file, bytes);
}
}  // namespace rooftune_python
"""


ASKING = r"""#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstring>
#include <string>
namespace rooftune_python {
inline void kept(const char* file, const void* from, std::size_t bytes) {
  std::FILE* const out = std::fopen(file, "wb");
  const bool all = out && std::fwrite(from, 1, bytes, out) == bytes;
  if (!out || std::fclose(out) != 0 || !all) std::abort();
}
/// Keeps the first result alone.
template <class Keep>
bool once(const char* mark, Keep keep) {
  if (access(mark, F_OK) != 0) keep(), kept(mark, "", 0);
  return true;
}
/// Whether the script takes what `keep` leaves in files. It answers by named pipes, PROCESS0 or PROCESS1: what it says to
/// a process that was ended meanwhile is passed over.
template <class Keep>
bool verified(const char* asked, const char* told, const char* options, Keep keep) {
  const int to = open(asked, O_WRONLY | O_NONBLOCK), from = open(told, O_RDWR);
  if (to < 0) std::fputs("the script, whose function says what is right, does not run\n", stderr);
  char mine[11], said[11] = {};
  std::snprintf(mine, sizeof mine, "%010d", int(getpid()));
  if (to >= 0 && from >= 0 && flock(from, LOCK_EX) == 0) {
    keep();
    const std::string request = std::string(mine) + options + "\n";
    if (write(to, request.data(), request.size()) == ssize_t(request.size()))
      while (read(from, said, sizeof said) == sizeof said && std::memcmp(mine, said, 10) != 0) said[10] = 0;
  }
  if (to >= 0) close(to);
  if (from >= 0) close(from);
  return said[10] == '1';
}
}  // namespace rooftune_python
"""

// Uses the installed library as an application would: headers by module, one target to link.
#include <cstdio>

#include "core/units.h"

int main() {
  using namespace rooftune;
  std::printf("%s at %s\n", to_text(parse_bytes("64 KiB")).c_str(),
              to_text(ByteRate(32 * byte_rate_unit("GB/s"))).c_str());
  return 0;
}

// The input of gpp: a file or generated data, what the validation allows, and the counts from which
// least work follows. The kernel's arrays are laid out as kernel.json says.
#include "rooftune/problem.h"

#include "facts.h"
#include "gpp_file.h"
#include "input.h"

extern "C" void problem(rooftune::Problem& p) {
  using namespace gpp_input;
  const char* const path = p.text("input");
  const bool from_file = path != nullptr && *path != '\0';
  const Input in = from_file ? FileReader(p, path).read() : generated(p);
  const Sizes& s = in.size;
  // As BerkeleyGW does: no energy closer to zero.
  for (std::int64_t k = 0; k < s.nb * s.nw; ++k)
    if (std::abs(in.wx[k]) < 1e-12) in.wx[k] = 1e-12;
  refuse_poles(p, in, from_file ? path : "--problem");
  const Facts facts = facts_of(in);
  double* const scale = p.float64("sigma_scale", 4 * s.nw);
  for (std::int64_t w = 0; w < s.nw; ++w)
    for (int part = 0; part < 4; ++part)
      scale[4 * w + part] = facts.scale[static_cast<std::size_t>(2 * w + part / 2)];
  std::int64_t occupied = 0;
  for (std::int64_t n = 0; n < s.nb; ++n) occupied += in.occ[n] != 0;
  p.set("bands", s.nb);
  p.set("gprimes", s.ng);
  p.set("gvectors", s.nc);
  p.set("energy_count", s.nw);
  p.set("occupied_bands", occupied);
  p.set("active_triples", facts.triples);
  p.set("far_cells", facts.far);
  p.set("exchange_cells", facts.exchange);
  p.set("near_share", facts.near / s.cells());
  p.set("cut_share", facts.cut / s.cells());
}

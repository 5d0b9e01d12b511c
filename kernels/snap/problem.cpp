// The input of snap: a generated crystal of tungsten or positions from a file, the bonds within the
// cutoff, coefficients, and the facts from which work and traffic follow.
#include "rooftune/problem.h"

#include <string>

#include "input_files.h"
#include "lattice.h"
#include "rooftune/problem_input.h"
#include "tungsten.h"
#include "work.h"

namespace snap {
namespace {

using rooftune::Problem;

/// Lattice constant of tungsten in Angstrom.
constexpr double lattice_constant = 3.1803;

/// Refuses before allocating. Bonds of a crystal follow from its density.
void check_size(Problem& p, double atoms, double bonds, const std::string& where) {
  if (bonds > 2147483647.0)
    refuse(p, text(bonds) + " bonds: positions have 32 bits", where, "at most 2147483647 bonds");
  const double need = atoms * 90 + bonds * 100;
  check_memory(p, need, "atoms and bonds need", where, "fewer cells");
}

/// Cutoffs of the two published sets; a similar one for other orders.
double usual_cutoff(int twojmax) { return twojmax == 14 ? 4.87644 : 4.73442; }

double bonds_per_atom(double cutoff, double density) {
  return 1.1 * density * 4.2 * cutoff * cutoff * cutoff + 30;
}

struct Input {
  Crystal crystal;
  double cutoff = 0;
  std::string where;  ///< to which a complaint about single atoms points, without a line
};

Input generated(Problem& p, int twojmax) {
  Input input;
  const std::int64_t cells = p.integer("cells");
  if (cells < 1) refuse(p, "a crystal has at least one cell", "--problem cells", "");
  input.cutoff = p.real("cutoff") > 0 ? p.real("cutoff") : usual_cutoff(twojmax);
  const double atoms =
      2.0 * static_cast<double>(cells) * static_cast<double>(cells) * static_cast<double>(cells);
  const double density = 2 / (lattice_constant * lattice_constant * lattice_constant);
  check_size(p, atoms, atoms * bonds_per_atom(input.cutoff, density), "--problem cells");
  input.crystal = tungsten_crystal(cells, lattice_constant, p.real("amplitude"),
                                   static_cast<std::uint64_t>(p.integer("seed")));
  input.where = "--problem amplitude";
  return input;
}

Input from_file(Problem& p, int twojmax) {
  Input input;
  const PositionFile file = read_positions(p, p.text("positions"), twojmax);
  input.crystal = file.crystal;
  input.where = file.path;
  input.cutoff = p.real("cutoff") > 0 ? p.real("cutoff")
                 : file.cutoff > 0    ? file.cutoff
                                      : usual_cutoff(twojmax);
  const auto atoms = static_cast<double>(file.crystal.atoms());
  const double edge = file.crystal.edge;
  check_size(p, atoms, atoms * bonds_per_atom(input.cutoff, atoms / (edge * edge * edge)),
             "--problem positions");
  return input;
}

/// Constant term and bispectrum coefficients: of a file, published, or falling with j at random.
std::vector<double> coefficients(Problem& p, int twojmax) {
  const int wanted = snap_kernel::BetaPlaces(twojmax).count() + 1;
  const std::string path = p.text("coefficients");
  if (!path.empty()) return read_coefficients(p, path, twojmax, wanted);
  if (twojmax == 8) return {std::begin(tungsten_8), std::end(tungsten_8)};
  if (twojmax == 14) return {std::begin(tungsten_14), std::end(tungsten_14)};
  std::vector<double> values;
  std::uint64_t state = static_cast<std::uint64_t>(p.integer("seed")) ^ 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < wanted; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    values.push_back((static_cast<double>(state >> 11) * 0x1p-52 - 1) * 0.1);
  }
  return values;
}

template <class T>
void copy(const std::vector<T>& from, T* to) {
  std::copy(from.begin(), from.end(), to);
}

void set_facts(Problem& p, const Input& input, const Bonds& bonds, int twojmax,
               std::int64_t coefficient_count) {
  const auto atoms = static_cast<double>(input.crystal.atoms());
  const auto pairs = static_cast<double>(bonds.neighbour.size());
  p.set("atoms", input.crystal.atoms());
  p.set("pairs", static_cast<std::int64_t>(bonds.neighbour.size()));
  p.set("max_neighbours", bonds.largest());
  p.set("cutoff_used", input.cutoff);
  p.set("coefficient_count", coefficient_count);
  p.set("half_elements", std::int64_t{snap_kernel::half_offset(twojmax + 1)});
  p.set("full_elements", std::int64_t{snap_kernel::full_offset(twojmax + 1)});
  const Work nominal = nominal_work(twojmax), least = least_work(twojmax);
  p.set("nominal_flops", nominal.per_atom * atoms + nominal.per_bond * pairs);
  p.set("least_flops", least.per_atom * atoms + least.per_bond * pairs);
}

}  // namespace
}  // namespace snap

extern "C" void problem(rooftune::Problem& p) {
  using namespace snap;
  const auto twojmax = static_cast<int>(p.integer("twojmax"));
  if (twojmax < 1 || twojmax > snap_kernel::largest_twojmax)
    refuse(p, "2J is " + std::to_string(twojmax), "--problem twojmax",
           "from 1 to " + std::to_string(snap_kernel::largest_twojmax));
  const bool read = *p.text("positions") != '\0';
  const Input input = read ? from_file(p, twojmax) : generated(p, twojmax);
  const std::vector<double> beta = coefficients(p, twojmax);
  const Bonds b = bonds(input.crystal, input.cutoff);
  if (b.coincident[0] >= 0)
    refuse(p,
           "atoms " + std::to_string(b.coincident[0] + 1) + " and " +
               std::to_string(b.coincident[1] + 1) + " are at one place",
           input.where, "each atom once, none beside its own image");
  copy(beta, p.float64("beta", static_cast<std::int64_t>(beta.size())));
  copy(b.first, p.int32("first", static_cast<std::int64_t>(b.first.size())));
  const auto pairs = static_cast<std::int64_t>(b.neighbour.size());
  copy(b.neighbour, p.int32("neighbour", pairs));
  copy(b.mirror, p.int32("mirror", pairs));
  copy(b.displacement, p.float64("displacement", 3 * pairs));
  set_facts(p, input, b, twojmax, static_cast<std::int64_t>(beta.size()));
}

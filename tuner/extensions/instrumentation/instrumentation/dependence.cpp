#include "instrumentation/dependence.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "core/list.h"
#include "core/text.h"
#include "instrumentation/effect.h"
#include "instrumentation/instruction.h"

namespace rooftune::instrumentation {
namespace {

/// Usual latencies in cycles: they choose among chains, but give no chain a price.
constexpr int load_weight = 4, worth_telling = 3;
int weight_of(const std::string& kind) {
  static const ByName<int> weights{{"div", 13}, {"sqrt", 18}, {"minmax", 2}};
  const auto* found = value_at(weights, kind);
  return found ? *found : 4;
}

/// The registers in an operand, also in its address.
Texts registers_in(const std::string& operand) {
  Texts found;
  for (size_t at = operand.find('%'); at != std::string::npos; at = operand.find('%', at)) {
    size_t end = at + 1;
    while (end < operand.size() && std::isalnum(uint8_t(operand[end]))) ++end;
    found.push_back(register_of(operand.substr(at, end - at)).whole);
    at = end;
  }
  return found;
}

/// Which registers one instruction reads and writes.
struct Flow {
  Texts values, addresses;  ///< read
  std::string result;       ///< written; empty: none
  bool call = false;
};

bool has_no_result(const std::string& name) {
  return begins(name, "cmp test ucomi comi vucomi vcomi ptest vptest push bt prefetch nop ret") &&
         !begins(name, "cmpxchg cmpp cmps");
}

/// Whether the instruction overwrites the last operand without reading it.
bool only_overwrites(const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  if (name[0] == 'v')
    return !begins(name, "vfm vfnm vpternlog vpermt2 vpermi2 vpdp vdp") &&
           all_of(instruction.operands, [](const Operand& one) { return one.mask.empty(); });
  if (name.starts_with("imul") && instruction.operands.size() == 3) return true;
  return begins(
      name, "mov lea cvt set sqrt pshuf pop lzcnt tzcnt popcnt shlx shrx sarx rorx andn blsr bs");
}

Flow flow_of(const Instruction& instruction) {
  Flow flow;
  const auto& operands = instruction.operands;
  flow.call = instruction.is_call();
  if (flow.call || instruction.is_jump() || operands.empty()) return flow;
  const Operand& last = operands.back();
  const bool results = !has_no_result(instruction.mnemonic) && last.is_register();
  if (results) flow.result = register_of(last.text).whole;
  for (const size_t i : indices(operands)) {
    const bool written = results && i + 1 == operands.size();
    if (written && only_overwrites(instruction)) continue;
    // lea computes an address and loads nothing.
    auto& read = operands[i].is_memory() && !instruction.mnemonic.starts_with("lea")
                     ? flow.addresses
                     : flow.values;
    for (std::string& name : registers_in(operands[i].text)) read.push_back(std::move(name));
  }
  // A register xor itself is zero, whatever it held.
  if (begins(instruction.mnemonic, "xor pxor vxor vpxor") && operands.size() > 1 &&
      operands[0].text == operands[1].text)
    flow.values.clear();
  return flow;
}

struct Weighed {
  int weight = 0;
  Chain links;
};

/// Chains that begin where the body does, by the register at their end.
class Body {
 public:
  explicit Body(const std::string& start) { chains_[start]; }

  void pass(const Instruction& instruction, const Flow& flow) {
    if (flow.call) return forget_after_call();
    if (flow.result.empty()) return;
    std::optional<Weighed> longest;
    const auto consider = [&](const std::string& from, bool load) {
      const auto* found = value_at(chains_, from);
      if (!found) return;
      Weighed one = *found;
      if (load) {
        one.weight += load_weight;
        ++one.links["loads"];
      }
      if (!longest || one.weight > longest->weight) longest = std::move(one);
    };
    for (const std::string& name : flow.values) consider(name, false);
    for (const std::string& name : flow.addresses) consider(name, true);
    chains_.erase(flow.result);
    if (!longest) return;
    const Effect effect = effect_of(instruction);
    for (const auto& [precision, kind, lanes, mask] : effect.operations) {
      longest->weight += weight_of(kind);
      ++longest->links[precision + " " + kind];
    }
    for (const auto& [precision, kind, lanes, mask] : effect.integers) {
      longest->weight += kind.starts_with("mul") ? 3 : 1;
      ++longest->links[precision + " " + text_before(kind, ' ')];
    }
    chains_[flow.result] = std::move(*longest);
  }

  const Weighed* at(const std::string& name) const { return value_at(chains_, name); }

 private:
  /// Forgets all chains but those in registers that the System V ABI keeps.
  void forget_after_call() {
    static const TextSet kept{"bx", "bp", "sp", "r12", "r13", "r14", "r15"};
    std::erase_if(chains_, [](const auto& one) { return !kept.contains(one.first); });
  }

  ByName<Weighed> chains_;
};

}  // namespace

Chain longest_chain(const Instructions& body) {
  std::vector<Flow> flows;
  TextSet written;
  for (const Instruction& instruction : body) {
    flows.push_back(flow_of(instruction));
    written.insert(flows.back().result);
  }
  Weighed longest;
  for (const std::string& name : written) {
    if (name.empty()) continue;
    Body one(name);
    for (const size_t i : indices(body)) one.pass(body[i], flows[i]);
    if (const Weighed* chain = one.at(name); chain && chain->weight > longest.weight)
      longest = *chain;
  }
  return longest.weight >= worth_telling ? longest.links : Chain{};
}

std::map<size_t, Chain> chains_of_loops(const std::vector<Instructions>& blocks,
                                        const LabelledBlocks& labels) {
  std::map<size_t, Chain> chains;
  std::optional<size_t> inner;  // the last block that closes a loop
  for (const size_t block : indices(blocks)) {
    if (blocks[block].empty() || !blocks[block].back().is_jump()) continue;
    const auto& operands = blocks[block].back().operands;
    const auto start = operands.empty() ? labels.end() : labels.find(operands[0].text);
    if (start == labels.end() || start->second > block) continue;
    const bool innermost = !inner || *inner < start->second;
    inner = block;
    if (!innermost) continue;
    Instructions body;
    for (size_t i = start->second; i <= block; ++i) append(body, blocks[i]);
    if (Chain chain = longest_chain(body); !chain.empty()) chains[block] = std::move(chain);
  }
  return chains;
}

}  // namespace rooftune::instrumentation

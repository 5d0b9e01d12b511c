// A command line with placeholders: split into words like a shell's, then filled in. A value never
// becomes two words; only a list of flags that stands alone gives one word per flag.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/modules.h"

namespace rooftune::run {

/// Input files: names and contents.
using FilledFiles = std::vector<std::pair<fs::path, std::string>>;

class CommandTemplate {
 public:
  /// The words for a placeholder. Inside a word they stand between blanks; alone they are separate
  /// words, and empty text is no word: a switch that is not given.
  using Lookup = std::function<Texts(const std::string& name)>;

  CommandTemplate() = default;
  /// Words are separated by blanks; '...', "..." and \ keep their contents together; no other shell
  /// syntax has a meaning. `option` tells where faults lie. Throws Error for an open quote.
  static CommandTemplate parse(const std::string& text, const std::string& option);
  /// The whole text as one word, as it stands.
  static CommandTemplate word(const std::string& text, std::string option);

  bool empty() const { return words_.empty(); }
  size_t size() const { return words_.size(); }  ///< words
  const std::string& option() const { return option_; }
  /// Names of the placeholders, in order of appearance, each once.
  const Texts& names() const { return names_; }
  bool has(const std::string& name) const;
  Texts filled(const Lookup& lookup) const;
  /// The first word, whole: for word().
  std::string text(const Lookup& lookup) const;
  /// The word, when there is one and it holds no placeholder; else empty.
  std::string fixed_word(size_t index) const;

 private:
  explicit CommandTemplate(std::string option) : option_(std::move(option)) {}
  void add_word(const std::string& text);

  /// {NAME} is a placeholder where NAME is a C identifier; {{NAME}} is the text {NAME}, and ${NAME}
  /// stays for a shell. All other braces stand for themselves.
  struct Piece {
    std::string text;
    bool placeholder = false;
  };
  using Word = std::vector<Piece>;
  static Word pieces(const std::string& word);
  static std::string joined(const Word& word, const Lookup& lookup);

  std::string option_;
  std::vector<Word> words_;
  Texts names_;
};

/// Signs in a command that only a shell would understand, each as a sentence: the program gets it
/// as it is. Throws Error for an open quote.
Texts signs_for_shell(const std::string& command, const std::string& option);

/// The fault when no text holds a knob.
Error no_placeholder(const std::string& knob);

/// The words as a person would type them.
std::string quoted(const Texts& words);

/// A program's input files with placeholders in them: namelist, YAML, INI, anything. Each run finds
/// them filled in.
class InputTemplates {
 public:
  using Lookup = CommandTemplate::Lookup;

  InputTemplates() = default;
  /// As typed, from the current folder. input.nml.in becomes input.nml, every other file keeps its
  /// name; a file from elsewhere lies at the top of the run's folder. Throws Error for a file that
  /// cannot be read, and for two with the same name.
  explicit InputTemplates(const Texts& files);

  bool empty() const { return files_.empty(); }
  /// The texts, which know where their placeholders stand.
  std::vector<const CommandTemplate*> texts() const;
  bool has(const std::string& knob) const;
  /// Names, relative to a run's folder, and contents.
  FilledFiles filled(const Lookup& lookup) const;
  /// Makes them in a run's folder; what is there by their names is replaced, a link as such. Throws
  /// Error where a file cannot be written.
  void write(const Lookup& lookup, const fs::path& folder) const;

 private:
  std::vector<std::pair<fs::path, CommandTemplate>> files_;
};

}  // namespace rooftune::run

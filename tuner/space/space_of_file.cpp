#include "space/space_of_file.h"

#include "core/error.h"

namespace rooftune {

SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make) {
  const auto place = [&](const Error& error) {
    const std::string& inner = error.where();
    return inner.starts_with(name) ? where + inner.substr(name.size()) : where;
  };
  try {
    return make();
  } catch (const EmptySpace& empty) {
    throw EmptySpace(Error(empty.message(), place(empty), empty.hint()), empty.knobs(),
                     empty.conflict());
  } catch (const Error& error) {
    throw Error(error.message(), place(error), error.hint());
  }
}

}  // namespace rooftune

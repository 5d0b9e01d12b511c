// What the lines of a record file hold.
#include "store/record.h"

#include <charconv>

#include "core/version.h"

namespace rooftune {

Json record(const std::string& event, const Json& body) {
  return Json{{"schema", record_schema}, {"event", event}, {"body", body}};
}

Json to_json(const StudyHeader& header) {
  return Json{{"id", header.id},
              {"kernel", header.kernel},
              {"backend", header.backend},
              {"machine", header.machine},
              {"machine_id", header.machine_id},
              {"strategy", header.strategy},
              {"seed", std::to_string(header.seed)},  // 64 bits without sign are no JSON number
              {"problem", header.problem},
              {"threads", header.threads},
              {"cache_state", header.cache_state},
              {"explanation", header.explanation},
              {"rooftune", version}};
}

StudyHeader header_from_json(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error("a study header is a JSON object", where);
  Faults faults;
  ObjectReader reader(json, where, faults);
  StudyHeader header;
  header.id = reader.text("id");
  header.kernel = reader.text("kernel");
  header.backend = reader.text("backend");
  header.machine = reader.text("machine");
  header.machine_id = reader.text("machine_id");
  header.strategy = reader.text("strategy");
  const std::string seed = reader.text("seed");
  const char* end = seed.data() + seed.size();
  if (const auto read = std::from_chars(seed.data(), end, header.seed);
      read.ec != std::errc{} || read.ptr != end)
    reader.fault("seed", "must be a whole number of 64 bits, as text");
  header.problem = reader.member("problem");
  const std::int64_t threads = reader.integer("threads");
  header.threads = static_cast<int>(threads);
  if (header.threads != threads) reader.fault("threads", "is out of range");
  header.cache_state = reader.text("cache_state");
  header.explanation = reader.text("explanation");
  faults.raise();
  return header;
}

std::filesystem::path study_directory(const std::filesystem::path& results,
                                      const std::string& kernel, const std::string& backend,
                                      const std::string& id) {
  return results / "records" / (kernel + "." + backend + "." + id);
}

}  // namespace rooftune

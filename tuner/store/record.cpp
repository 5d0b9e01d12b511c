// What the lines of a record file hold.
#include "store/record.h"

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
              {"seed", header.seed},
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
  const Json& seed = reader.member("seed");
  if (seed.is_number_unsigned())
    header.seed = seed.get<std::uint64_t>();
  else
    reader.fault("seed", "must be a whole number that is at least 0");
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

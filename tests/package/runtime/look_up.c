/* An application in C99 that knows Rooftune by its installed package: asks for what was tuned on this host, and counts
 * every allocation of a look-up. Usage: look_up FOLDER; leaves an export of this host there, for other languages. */
#include <rooftune/rooftune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t allocations = 0;

#if defined(__GLIBC__) && !defined(SANITIZED)
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t number, size_t bytes) {
  ++allocations;
  return __libc_calloc(number, bytes);
}
void* realloc(void* memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
#define COUNTED 1
#else
#define COUNTED 0
#endif

static int write_export(const char* file) {
  FILE* out = fopen(file, "w");
  if (!out) return 0;
  fprintf(out,
          "{\"schema\": \"rooftune-export-1\", \"kernel\": \"triad\", \"problem\": {\"n\": 1000, \"layout\": \"soa\"},\n"
          " \"machine\": {\"name\": \"host\", \"id\": \"%s\"},\n"
          " \"configuration\": {\"unroll\": 4, \"nt\": true, \"ratio\": 0.5, \"schedule\": \"static\"},\n"
          " \"provenance\": {\"study\": \"5d0c\", \"verdict\": {\"sentence\": \"2x faster than the baseline\"}}}\n",
          rooftune_this_machine()->id);
  return fclose(out) == 0;
}

#define REQUIRE(condition)                                              \
  if (!(condition)) {                                                   \
    fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
    return 1;                                                           \
  }

int main(int argc, char** argv) {
  char file[4096];
  REQUIRE(argc == 2);
  snprintf(file, sizeof file, "%s/triad.json", argv[1]);
  REQUIRE(write_export(file));
  REQUIRE(strlen(rooftune_this_machine()->id) == 32);
  rooftune_exports* tuned = rooftune_load(argv[1]);
  REQUIRE(rooftune_count(tuned) == 1 && rooftune_fault_count(tuned) == 0);
  REQUIRE(!COUNTED || allocations > 0);

  const rooftune_value problem[] = {rooftune_integer("n", 1000), rooftune_text("layout", "soa")};
  const rooftune_value other[] = {rooftune_real("n", 2000)};
  const size_t before = allocations;
  const rooftune_answer best = rooftune_look_up(tuned, "triad", NULL, problem, 2);
  const rooftune_answer near = rooftune_look_up(tuned, "triad", NULL, other, 1);
  const rooftune_answer none = rooftune_look_up(tuned, "gemm", NULL, problem, 2);
  const int64_t unroll = rooftune_knob_integer(&best, "unroll", 1);
  const char* const schedule = rooftune_knob_text(&best, "schedule", "");
  REQUIRE(allocations == before);

  REQUIRE(best.match == ROOFTUNE_EXACT && best.reason[0] == '\0');
  REQUIRE(unroll == 4 && strcmp(schedule, "static") == 0);
  REQUIRE(rooftune_knob_truth(&best, "nt", 0) == 1 && rooftune_knob_real(&best, "ratio", 0) == 0.5);
  REQUIRE(rooftune_knob_count(&best) == 4 && strcmp(rooftune_knob(&best, 3).name, "unroll") == 0);
  REQUIRE(strcmp(best.study, "5d0c") == 0 && strcmp(best.machine, rooftune_this_machine()->id) == 0);
  REQUIRE(near.match == ROOFTUNE_OTHER_PROBLEM && strstr(near.reason, "n=1000") != NULL);
  REQUIRE(none.match == ROOFTUNE_DEFAULTS && rooftune_knob_integer(&none, "unroll", 1) == 1);
  REQUIRE(rooftune_add(tuned, "/nowhere/triad.json") == 1 && strstr(rooftune_fault(tuned, 0), "/nowhere") != NULL);
  printf("C: match %s, unroll %d\n", rooftune_match_text(best.match), (int)unroll);
  rooftune_free(tuned);
  return 0;
}

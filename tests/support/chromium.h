// Headless Chromium, for what only a browser can tell of a page.
#pragma once
#include "support/scratch_folder.h"
#include "support/tool.h"

namespace rooftune::testing {

/// What Chromium printed when it opened the address with these options, complaints of the page's
/// scripts included; nullopt, and the test says that it skipped this, where it does not start.
/// It runs as root, asks nobody on the network and leaves nothing behind.
inline std::optional<std::string> browsed(const std::string& address,
                                          const std::vector<std::string>& options) {
  const auto chromium = tool("chromium");
  if (!chromium) return std::nullopt;
  const ScratchFolder profile;
  std::vector<std::string> argv{*chromium,
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--enable-logging=stderr"};
  for (const char* quiet : {"--no-first-run", "--disable-background-networking", "--disable-sync",
                            "--disable-component-update", "--disable-quic"})
    argv.emplace_back(quiet);
  argv.push_back("--user-data-dir=" + profile.path().string());
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back(address);
  const Finished shown = run_tool(argv);
  if (shown.status.ok()) return shown.output;
  WARN("skipped: chromium does not start here: " << shown.status.text());
  return std::nullopt;
}

}  // namespace rooftune::testing

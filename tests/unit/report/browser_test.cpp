// The page of a study in a browser: its scripts run without a complaint, answer keys and clicks,
// and fit a phone.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/file.h"
#include "core/json.h"
#include "report/study_page.h"
#include "support/chromium.h"
#include "support/page_checks.h"
#include "support/sample_staircase.h"

using namespace rooftune;
using Catch::Contains;
using rooftune::testing::ScratchFolder;

namespace {

/// What a person would do, told to the page around this one. Keys and clicks are those of the
/// page's own listeners.
const std::string driver = R"js(
(async function () {
  const one = (selector) => document.querySelector(selector);
  const text = (selector) => (one(selector) || {textContent: 'none'}).textContent;
  const said = {width: innerWidth, scroll: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight, ready: document.documentElement.dataset.ready};
  const shown = [...document.querySelectorAll('.figure')].filter((frame) => frame.clientWidth > 0);
  said.shown = shown.length;
  said.crossing = [];
  for (const frame of shown) {
    const boxes = [...frame.querySelectorAll('text')]
      .filter((label) => !/rotate\((?!0 )/.test(label.getAttribute('transform') || ''))
      .map((label) => [label.getBoundingClientRect(), label.textContent]);
    boxes.forEach(([a, first], i) => boxes.slice(i + 1).forEach(([b, second]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 4) said.crossing.push(first + ' | ' + second);
    }));
  }
  const [stairs, roofline, trials] = shown;
  const key = (frame, name) => frame.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
  said.first = text('#trial h3');
  for (let i = 0; i < 3; ++i) key(stairs, 'ArrowRight');
  said.announced = text('[aria-live]');
  said.lit = [document.querySelectorAll('table.staircase tr.lit').length,
    roofline.querySelectorAll('.lit').length];
  const view = () => roofline.querySelector('svg').getAttribute('viewBox');
  const whole = view();
  key(roofline, '+');
  said.zoomed = view() !== whole;
  key(roofline, '0');
  said.reset = view() === whole;
  const picture = trials.querySelector('svg'), path = picture.querySelector('[data-trials] path');
  const dots = [...path.getAttribute('d').matchAll(/M([\d.]+) ([\d.]+)/g)];
  const at = new DOMPoint(Number(dots.at(-1)[1]), Number(dots.at(-1)[2])).matrixTransform(picture.getScreenCTM());
  picture.dispatchEvent(new MouseEvent('click', {clientX: at.x, clientY: at.y, bubbles: true}));
  said.pinned = text('#trial h3');
  said.address = location.hash;
  said.commands = text('#trial');
  const rows = () => document.querySelectorAll('#all-trials tbody tr').length;
  said.rows = rows();
  one('#all-trials input').value = 'wrong result';
  one('#all-trials input').dispatchEvent(new Event('input'));
  said.filtered = rows();
  one('#all-trials tbody button').click();
  said.failed = text('#trial');
  said.knobs = document.querySelectorAll('#knobs figure').length;
  await tell(said);
})();
)js";

/// What was seen, and what an accessibility checker says where there is one.
const std::string tell = R"js(
async function tell(said) {
  if (window.axe) {
    document.querySelectorAll('details').forEach((part) => { part.open = true; });
    said.violations = (await axe.run()).violations.map((one) => one.id + ': ' + one.nodes[0].html);
  }
  parent.postMessage(said, '*');
}
)js";

/// The page with a script more, which its policy names.
std::string driven(std::string page, const std::string& script) {
  const std::string hash = sample::policy_hash(script), rule = "script-src ";
  page.insert(page.find(rule) + rule.size(), hash + " ");
  return page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
}

/// Around frames as wide as a desk's and as a phone's window.
const std::string frames = R"(<!DOCTYPE html><body><pre id="out"></pre><script>
const said = [];
addEventListener('message', (e) => {
  said.push(e.data);
  document.getElementById('out').textContent = '{{' + JSON.stringify(said) + '}}';
});
for (const width of [1280, 390]) {
  const frame = document.createElement('iframe');
  frame.style.width = width + 'px';
  frame.style.height = '900px';
  frame.style.border = 0;
  frame.src = 'study.html';
  document.body.append(frame);
}
</script></body>)";

}  // namespace

namespace {

void check_study(const Json& said) {
  CHECK(said.at("first") == "Trial 46, the best");
  CHECK(said.at("shown") == 3);
  CHECK(said.at("crossing") == Json::array());
  CHECK_THAT(said.at("announced").get<std::string>(), Contains("prefetch 0 -") && Contains("4.31"));
  CHECK(said.at("lit") == Json{1, 1});
  CHECK(said.at("reset") == true);
  CHECK(said.at("pinned") == "Trial 59");
  CHECK(said.at("address") == "#trial-59");
  CHECK_THAT(said.at("commands").get<std::string>(),
             Contains("tune explain 59 --study ") && Contains(" --diff") &&
                 Contains("tune bench --study ") && Contains(" --trial 59"));
  CHECK(said.at("rows") == 20);
  CHECK(said.at("filtered") == 1);
  CHECK_THAT(said.at("failed").get<std::string>(), Contains("3.25 instead of 3.5"));
  CHECK(said.at("knobs") >= 4);
  // A phone shows some 840 px at a time.
  CHECK(said.at("height") < 12 * 840);
}

}  // namespace

TEST_CASE("a browser brings the pages of studies to life") {
  std::string script = tell;
  const char* const axe = std::getenv("ROOFTUNE_AXE");
  if (axe)
    script = read_text(axe) + script;
  else
    WARN("skipped: accessibility (ROOFTUNE_AXE names no axe.min.js)");
  const ScratchFolder folder;
  folder.write("study.html", driven(study_page(sample::climbed()), script + driver));
  const auto file = folder.write("frames.html", frames);
  const auto shown =
      testing::browsed("file://" + file.string(), {"--virtual-time-budget=20000", "--dump-dom"});
  if (!shown) return;
  const std::size_t begin = shown->find("{{["), end = shown->find("]}}");
  INFO(shown->substr(0, 3000));
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  CHECK(shown->find("CONSOLE") == std::string::npos);
  const Json all = parse_json(shown->substr(begin + 2, end - begin - 1), "what pages said");
  REQUIRE(all.size() == 2);
  for (const Json& said : all) {
    INFO(said.dump(1));
    CHECK(said.at("ready") == "1");
    CHECK(said.at("scroll") <= said.at("width"));
    CHECK(said.at("zoomed") == true);
    check_study(said);
    if (axe) CHECK(said.at("violations") == Json::array());
  }
}

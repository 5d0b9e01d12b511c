// What people see of a study's page, at three sizes, against approved pictures. Pictures are
// compared as squares of 4 pixels that may lie a little elsewhere: another version of a font or of
// the browser passes, a part that moves or vanishes does not. Beside the page stand damaged ones
// that must fail.
#include <png.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "report/study_page.h"
#include "support/chromium.h"
#include "support/golden.h"
#include "support/page_checks.h"
#include "support/sample_report.h"

using namespace rooftune;
using rooftune::testing::ScratchFolder;

namespace {

/// RGB, row by row from the top.
struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<unsigned char> bytes = {};
  const unsigned char* at(std::size_t x, std::size_t y) const {
    return &bytes[3 * (y * width + x)];
  }
};

Picture read_picture(const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  INFO(file.string());
  REQUIRE(png_image_begin_read_from_file(&image, file.c_str()));
  image.format = PNG_FORMAT_RGB;
  Picture picture{image.width, image.height, std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
  REQUIRE(png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr));
  return picture;
}

void write_picture(const std::filesystem::path& file, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, picture.bytes.data(), 0, nullptr));
}

/// A rectangle of a picture as the mean colours of its squares, in 32 steps that compress well.
Picture squares(const Picture& whole, std::size_t left, std::size_t top, std::size_t width,
                std::size_t height) {
  constexpr std::size_t side = 4, step = 8;
  Picture out{width / side, height / side, {}};
  for (std::size_t y = 0; y < out.height; ++y)
    for (std::size_t x = 0; x < out.width; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < side * side; ++k)
          sum += whole.at(left + side * x + k % side, top + side * y + k / side)[channel];
        out.bytes.push_back(static_cast<unsigned char>(sum / (side * side) / step * step));
      }
  return out;
}

bool differ(const unsigned char* a, const unsigned char* b) {
  constexpr int tolerance = 24;
  return std::abs(a[0] - b[0]) > tolerance || std::abs(a[1] - b[1]) > tolerance ||
         std::abs(a[2] - b[2]) > tolerance;
}

/// Whether a square of `a` lies in `b`, at most 12 pixels to the side and 20 up or down.
bool is_near(const Picture& a, std::size_t x, std::size_t y, const Picture& b) {
  constexpr std::size_t aside = 3, above = 5;
  for (std::size_t v = y - std::min(y, above); v <= std::min(b.height - 1, y + above); ++v)
    for (std::size_t u = x - std::min(x, aside); u <= std::min(b.width - 1, x + aside); ++u)
      if (!differ(a.at(x, y), b.at(u, v))) return true;
  return false;
}

/// The most squares of `a`, within one block, that are not background and not in `b` either.
std::size_t missing(const Picture& a, const Picture& b) {
  constexpr std::size_t block = 16;
  constexpr std::array<unsigned char, 3> background{248, 248, 248};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> lost;
  for (std::size_t y = 0; y < a.height; ++y)
    for (std::size_t x = 0; x < a.width; ++x)
      if (differ(a.at(x, y), background.data()) && !is_near(a, x, y, b))
        ++lost[{x / block, y / block}];
  std::size_t most = 0;
  for (const auto& [place, count] : lost) most = std::max(most, count);
  return most;
}

std::size_t difference(const Picture& a, const Picture& b) {
  REQUIRE(a.width == b.width);
  REQUIRE(a.height == b.height);
  return std::max(missing(a, b), missing(b, a));
}

/// A page in a frame, with rules beside its own.
struct Shot {
  std::string name;
  std::size_t width;
  std::string rules = {};
};

constexpr std::size_t shot_height = 2000;
/// Squares of a block that may be elsewhere. Letters a twentieth of a pixel closer to each other, a
/// square lower, move 12, the least of the damaged pages 40.
constexpr std::size_t most_difference = 25;

std::string styled(std::string page, const std::string& rules) {
  const std::string hash = sample::policy_hash(rules), policy = "style-src ";
  page.insert(page.find(policy) + policy.size(), hash + " ");
  return page.insert(page.find("</head>"), "<style>" + rules + "</style>");
}

/// All of them beside each other in one picture; nothing when no browser starts.
std::optional<Picture> photograph(const std::vector<Shot>& shots) {
  const ScratchFolder folder;
  const std::string page = study_page(sample::report());
  std::string frames =
      "<!DOCTYPE html><style>body{margin:0;display:flex}iframe{border:0;flex:none}</style>";
  std::size_t width = 0;
  for (const Shot& shot : shots) {
    folder.write(shot.name + ".html",
                 styled(page, "*{font-family:'DejaVu Sans',sans-serif!important}" + shot.rules));
    frames += fmt::format("<iframe src=\"{}.html\" width=\"{}\" height=\"{}\"></iframe>", shot.name,
                          shot.width, shot_height);
    width += shot.width;
  }
  const auto file = folder.write("frames.html", frames), picture = folder.path() / "shot.png";
  const auto shown = testing::browsed(
      "file://" + file.string(),
      {"--hide-scrollbars", "--virtual-time-budget=5000",
       fmt::format("--window-size={},{}", width, shot_height), "--screenshot=" + picture.string()});
  if (!shown) return std::nullopt;
  return read_picture(picture);
}

}  // namespace

TEST_CASE("the page of a study looks as it was approved at three sizes", "[.night]") {
  const std::vector<Shot> shots{
      {"desk", 1280},
      {"tablet", 768},
      {"phone", 390},
      {"thinner", 768, "body{letter-spacing:-.05px;position:relative;top:4px}"},
      {"no_chart", 768, ".figure svg{visibility:hidden}"},
      {"no_step", 768, ".staircase tr:nth-child(3){visibility:hidden}"},
      {"moved_steps", 768, ".staircase{position:relative;left:60px}"},
      {"no_column", 768, ".staircase tr>*:nth-child(4){visibility:hidden}"}};
  const auto all = photograph(shots);
  if (!all) return;
  std::size_t left = 0;
  Picture tablet;
  for (const Shot& shot : shots) {
    const Picture now = squares(*all, left, 0, shot.width, shot_height);
    left += shot.width;
    INFO(shot.name);
    if (shot.rules.empty()) {
      const std::filesystem::path file = std::filesystem::path(ROOFTUNE_SOURCE_DIR) /
                                         fmt::format("tests/golden/expected/{}.png", shot.name);
      if (sample::approving()) {
        write_picture(file, now);
        WARN("approved: " << file.string());
      }
      const Picture approved = read_picture(file);
      if (shot.name == "tablet") tablet = approved;
      INFO("approve with: ROOFTUNE_APPROVE=1 ctest -L golden");
      CHECK(difference(approved, now) < most_difference);
    } else if (shot.name == "thinner") {
      CHECK(difference(tablet, now) < most_difference);
    } else {
      CHECK(difference(tablet, now) > most_difference);
    }
  }
}

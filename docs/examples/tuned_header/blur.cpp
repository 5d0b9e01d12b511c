// Blurs an image along its rows, transposes it, and does that again: both directions then. The tile
// of the transposition is a constant of the program; an exported header says which one is best.
//   blur N          4 (its own choice) and the tuned tile in turns
//   blur N once     one blur with TILE, for `tune --command`
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../ratio.h"
#ifdef TUNED_HEADER
#include TUNED_HEADER
#endif
#ifndef TILE
#define TILE 4
#endif

namespace {

using Image = std::vector<float>;

template <int Tile>
void transpose(int n, const float* in, float* out) {
  for (int y = 0; y < n; y += Tile)
    for (int x = 0; x < n; x += Tile)
      for (int j = y; j < std::min(y + Tile, n); ++j)
        for (int i = x; i < std::min(x + Tile, n); ++i) out[i * n + j] = in[j * n + i];
}

void blur_rows(int n, const float* in, float* out) {
  for (int y = 0; y < n; ++y) {
    const float* const row = in + std::size_t(y) * n;
    float* const result = out + std::size_t(y) * n;
    result[0] = row[0];
    result[n - 1] = row[n - 1];
    for (int x = 1; x < n - 1; ++x)
      result[x] = 0.25F * row[x - 1] + 0.5F * row[x] + 0.25F * row[x + 1];
  }
}

struct Times {
  double transposing = 0, all = 0;
};

template <int Tile>
Times blur(int n, Image& image) {
  static Image other;
  other.resize(image.size());
  Times times;
  const double begin = now();
  for (int direction = 0; direction < 2; ++direction) {
    blur_rows(n, image.data(), other.data());
    const double before = now();
    transpose<Tile>(n, other.data(), image.data());
    times.transposing += now() - before;
  }
  times.all = now() - begin;
  return times;
}

Image test_image(int n) {
  Image image(std::size_t(n) * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) image[std::size_t(y) * n + x] = float(2 * x + 3 * y);
  return image;
}

/// A plane stays what it is.
bool is_right(int n, const Image& image) { return image == test_image(n); }

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 2048, rounds = 15;
  Image image = test_image(n);
  blur<TILE>(n, image);
  if (count > 2) {
    for (int run = 0; run < 5; ++run)
      std::printf("transposing: %.6e s\n", blur<TILE>(n, image).transposing);
    std::printf("right: %s\n", is_right(n, image) ? "yes" : "no");
    return 0;
  }
#ifdef ROOFTUNE_BLUR_TILE
  std::vector<double> transposing, all;
  for (int round = 0; round < rounds; ++round) {
    const Times before = blur<4>(n, image), after = blur<ROOFTUNE_BLUR_TILE>(n, image);
    transposing.push_back(before.transposing / after.transposing);
    all.push_back(before.all / after.all);
  }
  std::printf("tile %d: transposing %s, blur %s faster\n", ROOFTUNE_BLUR_TILE,
              ratio_text(transposing).c_str(), ratio_text(all).c_str());
#else
  std::printf("built without a tuned header\n");
#endif
  return is_right(n, image) ? 0 : 1;
}

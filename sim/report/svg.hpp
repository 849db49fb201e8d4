// SPDX-License-Identifier: Apache-2.0
// Plots as SVG files: axes with round ticks, lines and marks, a legend.
#pragma once

#include <string>
#include <vector>

namespace roci::sim {

/// How a series is drawn.
enum class Mark {
  kLine,   ///< points joined, with small dots
  kDots,   ///< filled dots
  kCross,  ///< crosses, for lost packets
  kRing,   ///< open circles, for retransmissions
};

/// A named set of points in one colour.
struct Series {
  std::string name;
  Mark mark = Mark::kLine;
  std::string colour;  ///< any CSS colour
  std::vector<std::pair<double, double>> points;
};

/// A plot with one x and one y axis.
struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;  ///< powers of two on the x axis; points with x <= 0 are left out
  bool y_from_zero = true;
  std::vector<Series> series;
};

/// The plot as the text of an SVG document.
std::string to_svg(const Plot& plot);

}  // namespace roci::sim

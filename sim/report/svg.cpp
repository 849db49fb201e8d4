// SPDX-License-Identifier: Apache-2.0
#include "sim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace roci::sim {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 480;
constexpr double kLeft = 80;
constexpr double kRight = 180;  // room for the legend
constexpr double kTop = 48;
constexpr double kBottom = 56;

/// Maps values of one axis to pixels.
struct Scale {
  double low;
  double high;
  double from;
  double to;
  bool log;

  double value(double v) const { return log ? std::log2(v) : v; }
  double at(double v) const { return from + (value(v) - low) / (high - low) * (to - from); }
};

/// The step of 1, 2 or 5 times a power of ten that gives about `count` ticks.
double round_step(double span, int count) {
  const double raw = span / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bytes_label(double value) {
  if (value >= 1 << 20) return fmt::format("{:g}M", value / (1 << 20));
  if (value >= 1 << 10) return fmt::format("{:g}K", value / (1 << 10));
  return fmt::format("{:g}", value);
}

std::string draw_mark(const Series& series, double x, double y) {
  switch (series.mark) {
    case Mark::kLine:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5' fill='{}'/>\n", x, y,
                         series.colour);
    case Mark::kDots:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.6' fill='{}'/>\n", x, y,
                         series.colour);
    case Mark::kCross:
      return fmt::format(
          "<path d='M{:.1f} {:.1f}l8 8m0 -8l-8 8' stroke='{}' stroke-width='1.8' fill='none'/>\n",
          x - 4, y - 4, series.colour);
    case Mark::kRing:
      return fmt::format(
          "<circle cx='{:.1f}' cy='{:.1f}' r='3.5' fill='none' stroke='{}' stroke-width='1.4'/>\n",
          x, y, series.colour);
  }
  return "";
}

Scale scale_of(const Plot& plot, bool x_axis) {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  const bool log = x_axis && plot.log_x;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      if (log && x <= 0) continue;
      const double v = x_axis ? x : y;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  if (low > high) low = 0, high = 1;
  if (!x_axis && plot.y_from_zero) low = std::min(low, 0.0);
  if (log) low = std::floor(std::log2(low)), high = std::ceil(std::log2(high));
  if (high - low < 1e-12) high = low + 1;
  if (!x_axis) high += (high - low) * 0.05;
  if (x_axis) return {low, high, kLeft, kWidth - kRight, log};
  return {low, high, kHeight - kBottom, kTop, false};
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string out;
  auto x_tick = [&](double value, const std::string& label) {
    out += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#ddd'/>"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
        x.at(value), kTop, kHeight - kBottom, kHeight - kBottom + 16, label);
  };
  if (x.log) {
    const int step = std::max(1, static_cast<int>((x.high - x.low) / 9));
    for (int power = static_cast<int>(x.low); power <= x.high; power += step) {
      x_tick(std::exp2(power), bytes_label(std::exp2(power)));
    }
  } else {
    const double step = round_step(x.high - x.low, 8);
    for (double v = std::ceil(x.low / step) * step; v <= x.high + step / 1e6; v += step) {
      x_tick(v, fmt::format("{:g}", std::abs(v) < step / 1e6 ? 0 : v));
    }
  }
  const double step = round_step(y.high - y.low, 8);
  for (double v = std::ceil(y.low / step) * step; v <= y.high + step / 1e6; v += step) {
    out += fmt::format(
        "<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#ddd'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5:g}</text>\n",
        kLeft, kWidth - kRight, y.at(v), kLeft - 6, y.at(v) + 4, std::abs(v) < step / 1e6 ? 0 : v);
  }
  out += fmt::format(
      "<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n"
      "<text x='{}' y='{}' text-anchor='middle'>{}</text>\n"
      "<text transform='translate(18 {}) rotate(-90)' text-anchor='middle'>{}</text>\n"
      "<text x='{}' y='24' text-anchor='middle' font-size='15'>{}</text>\n",
      kLeft, kTop, kWidth - kRight - kLeft, kHeight - kBottom - kTop, (kLeft + kWidth - kRight) / 2,
      kHeight - 14, escape(plot.x_label), (kTop + kHeight - kBottom) / 2, escape(plot.y_label),
      (kLeft + kWidth - kRight) / 2, escape(plot.title));
  return out;
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const Scale x = scale_of(plot, true);
  const Scale y = scale_of(plot, false);
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
      kWidth, kHeight);
  out += axes(plot, x, y);
  double legend_y = kTop + 10;
  for (const Series& series : plot.series) {
    std::string path;
    std::string marks;
    for (const auto& [px, py] : series.points) {
      if (x.log && px <= 0) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
      marks += draw_mark(series, x.at(px), y.at(py));
    }
    if (series.mark == Mark::kLine && !path.empty()) {
      out += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.6'/>\n", path,
                         series.colour);
    }
    out += marks + draw_mark(series, kWidth - kRight + 20, legend_y - 4);
    out += fmt::format("<text x='{}' y='{}'>{}</text>\n", kWidth - kRight + 32, legend_y,
                       escape(series.name));
    legend_y += 18;
  }
  return out + "</svg>\n";
}

}  // namespace roci::sim

package io.winnow.hbase.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A bar or line chart as an SVG document: a title, two axes with their units, a grid and a legend.
 * It is drawn without a library, so that the same figures give the same bytes.
 */
public final class Chart {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 400;
  private static final int LEFT = 70;
  private static final int RIGHT = 24;
  private static final int TOP = 78;
  private static final int BOTTOM = 58;

  /**
   * Colours of a chart's series that colour-blind readers can distinguish, and that differ in print
   * (Okabe and Ito).
   */
  private static final List<String> COLOURS =
      List.of(
          "#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000");

  /** Fixed colours of filters and other contenders that are in many charts. */
  private static final Map<String, String> OWN_COLOURS =
      Map.of(
          "bloom", "#999999",
          "ribbon", "#0072B2",
          "bumped-ribbon", "#D55E00",
          "ribbon-128", "#009E73",
          "quotient", "#CC79A7");

  private static final String INK = "#333333";
  private static final String GRID = "#e4e4e4";

  private final String title;
  private final String xLabel;
  private final String yLabel;
  private final boolean logarithmic;
  private final List<String> categories;
  private final List<Series> series = new ArrayList<>();
  private double low;
  private double high;

  /** The values of one contender in a chart, one for each category; NaN where there is none. */
  private record Series(String name, double[] values, double[] from, double[] to) {}

  /**
   * Makes an empty chart.
   *
   * @param logarithmic whether the y axis is logarithmic and covers whole decades; else it is
   *     linear and begins at zero
   */
  public Chart(
      String title, String xLabel, String yLabel, boolean logarithmic, List<String> categories) {
    this.title = title;
    this.xLabel = xLabel;
    this.yLabel = yLabel;
    this.logarithmic = logarithmic;
    this.categories = List.copyOf(categories);
  }

  /**
   * Adds a series to the chart whose values each have a span, such as from the smallest to the
   * largest sample.
   *
   * @param from the lower ends of the spans; null for a series without them
   * @param to the upper ends
   */
  public Chart add(String name, double[] values, double[] from, double[] to) {
    if (values.length != categories.size()) {
      throw new IllegalArgumentException(
          values.length + " values, must be " + categories.size() + ", one per category");
    }
    series.add(new Series(name, values, from, to));
    return this;
  }

  /**
   * Returns the SVG of the chart with bars side by side in each category. A span is a thin line
   * over its bar.
   */
  public String bars() {
    scale();
    StringBuilder svg = frame(areCrowded());
    double slot = (double) (WIDTH - LEFT - RIGHT) / categories.size();
    double bar = Math.min(46, slot * 0.8 / series.size());
    for (int i = 0; i < categories.size(); i++) {
      double left = LEFT + slot * i + (slot - bar * series.size()) / 2;
      for (int s = 0; s < series.size(); s++) {
        double value = series.get(s).values()[i];
        if (!Double.isFinite(value)) {
          continue;
        }
        double x = left + bar * s;
        double y = y(value);
        svg.append(
            format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x + 1, y, bar - 2, HEIGHT - BOTTOM - y, colour(s)));
        double top = y;
        if (series.get(s).from() != null) {
          top = y(series.get(s).to()[i]);
          svg.append(
              format(
                  "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
                  x + bar / 2, top, x + bar / 2, y(series.get(s).from()[i]), INK));
        }
        svg.append(text(x + bar / 2, top - 4, "middle", bar < 26 ? 8 : 10, INK, brief(value)));
      }
    }
    return svg.append("</svg>\n").toString();
  }

  /**
   * Returns the SVG of the chart with a line for each series, and with spans as pale bands.
   *
   * @param withPoints whether each value has a point; false for many categories of which few have a
   *     name
   */
  public String lines(boolean withPoints) {
    scale();
    StringBuilder svg = frame(false);
    for (int s = 0; s < series.size(); s++) {
      Series one = series.get(s);
      if (one.from() != null) {
        band(svg, one, s);
      }
    }
    for (int s = 0; s < series.size(); s++) {
      StringBuilder points = new StringBuilder();
      StringBuilder dots = new StringBuilder();
      for (int i = 0; i < categories.size(); i++) {
        double value = series.get(s).values()[i];
        if (Double.isFinite(value) && (!logarithmic || value > 0)) {
          points.append(format("%.1f,%.1f ", middle(i), y(value)));
          if (withPoints) {
            dots.append(
                format(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                    middle(i), y(value), colour(s)));
          }
        }
      }
      svg.append(
              format(
                  "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
                  points.toString().strip(), colour(s)))
          .append(dots);
    }
    return svg.append("</svg>\n").toString();
  }

  private void band(StringBuilder svg, Series one, int s) {
    StringBuilder there = new StringBuilder();
    StringBuilder back = new StringBuilder();
    for (int i = 0; i < categories.size(); i++) {
      if (Double.isFinite(one.from()[i]) && Double.isFinite(one.to()[i])) {
        there.append(format("%.1f,%.1f ", middle(i), y(one.to()[i])));
        back.insert(0, format("%.1f,%.1f ", middle(i), y(one.from()[i])));
      }
    }
    svg.append(
        format(
            "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.13\"/>%n",
            (there.toString() + back).strip(), colour(s)));
  }

  private double middle(int category) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) / categories.size() * (category + 0.5);
  }

  private void scale() {
    double min = Double.POSITIVE_INFINITY;
    double max = 0;
    for (Series one : series) {
      for (double[] values : new double[][] {one.values(), one.from(), one.to()}) {
        for (double value : values == null ? new double[0] : values) {
          if (Double.isFinite(value) && value > 0) {
            min = Math.min(min, value);
            max = Math.max(max, value);
          }
        }
      }
    }
    if (max == 0) {
      min = 1;
      max = 1;
    }
    if (logarithmic) {
      low = Math.floor(Math.log10(min));
      high = Math.max(low + 1, Math.ceil(Math.log10(max)));
    } else {
      low = 0;
      double step = step(max);
      high = Math.ceil(max * 1.02 / step) * step;
    }
  }

  /**
   * Returns the distance between two grid lines: 1, 2 or 5 times a power of ten, so that there are
   * about five.
   */
  private static double step(double max) {
    double raw = max / 5;
    double power = Math.pow(10, Math.floor(Math.log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  private double y(double value) {
    double at = logarithmic ? Math.log10(Math.max(value, Math.pow(10, low))) : value;
    return HEIGHT - BOTTOM - (at - low) / (high - low) * (HEIGHT - BOTTOM - TOP);
  }

  private StringBuilder frame(boolean crowded) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" font-family=\"Helvetica, Arial, sans-serif\">%n",
            WIDTH, HEIGHT, WIDTH, HEIGHT));
    svg.append(format("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", WIDTH, HEIGHT));
    svg.append(text(LEFT, 24, "start", 16, "#111111", title));
    legend(svg);
    double step = logarithmic ? 1 : step(high / 1.02);
    for (double at = low; at <= high + step / 1e6; at += step) {
      double value = logarithmic ? Math.pow(10, at) : at;
      double y = y(value);
      svg.append(
          format(
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>%n",
              LEFT, y, WIDTH - RIGHT, y, GRID));
      svg.append(text(LEFT - 8, y + 4, "end", 11, INK, tick(value)));
    }
    svg.append(
        format(
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"/>%n",
            LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK));
    for (int i = 0; i < categories.size(); i++) {
      int below = crowded && i % 2 == 1 ? 31 : 18;
      svg.append(text(middle(i), HEIGHT - BOTTOM + below, "middle", 11, INK, categories.get(i)));
    }
    svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", 12, INK, xLabel));
    svg.append(
        format(
            "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\""
                + " font-size=\"12\" fill=\"%s\">%s</text>%n",
            (TOP + HEIGHT - BOTTOM) / 2.0, INK, escaped(yLabel)));
    return svg;
  }

  /**
   * Returns whether the names of the chart's categories are too long to stand side by side. Then
   * they alternate between two lines.
   */
  private boolean areCrowded() {
    int longest = categories.stream().mapToInt(String::length).max().orElse(0);
    return 6.2 * longest > (double) (WIDTH - LEFT - RIGHT) / categories.size();
  }

  private void legend(StringBuilder svg) {
    double x = LEFT;
    int y = 36;
    for (int s = 0; s < series.size(); s++) {
      String name = series.get(s).name();
      double width = 34 + 6.4 * name.length();
      if (x + width > WIDTH - RIGHT + 20 && x > LEFT) {
        x = LEFT;
        y += 17;
      }
      svg.append(
          format(
              "<rect x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>%n",
              x, y, colour(s)));
      svg.append(text(x + 16, y + 10, "start", 12, INK, name));
      x += width;
    }
  }

  private static String text(
      double x, double y, String anchor, int size, String colour, String text) {
    return format(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>%n",
        x, y, anchor, size, colour, escaped(text));
  }

  /**
   * Returns the colour in which a series is drawn: its fixed one, or the next that is free in this
   * chart.
   */
  private String colour(int index) {
    List<String> free = new ArrayList<>(COLOURS);
    series.forEach(one -> free.remove(OWN_COLOURS.get(one.name())));
    int next = 0;
    for (int s = 0; s < index; s++) {
      next += OWN_COLOURS.containsKey(series.get(s).name()) ? 0 : 1;
    }
    String own = OWN_COLOURS.get(series.get(index).name());
    return own != null ? own : free.get(next % free.size());
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** Formats a chart's value with three significant digits. */
  private static String brief(double value) {
    return format(value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
  }

  private static String tick(double value) {
    if (value == Math.rint(value)) {
      return format("%,.0f", value);
    }
    String text = format("%.6f", value).replaceAll("0+$", "");
    return text.endsWith(".") ? text + "0" : text;
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern.replace("%n", "\n"), values);
  }
}

package io.winnow.hbase.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
  private final StringBuilder svg = new StringBuilder();
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
    frame(areCrowded());
    double slot = (double) (WIDTH - LEFT - RIGHT) / categories.size();
    double bar = Math.min(46, slot * 0.8 / series.size());
    for (int i = 0; i < categories.size(); i++) {
      double left = LEFT + slot * i + (slot - bar * series.size()) / 2;
      for (int s = 0; s < series.size(); s++) {
        Series one = series.get(s);
        if (Double.isFinite(one.values[i])) {
          double x = left + bar * s;
          double y = y(one.values[i]);
          rectangle(x + 1, y, bar - 2, HEIGHT - BOTTOM - y, colour(s));
          double top = one.to == null ? y : y(one.to[i]);
          if (one.to != null) {
            line(x + bar / 2, top, x + bar / 2, y(one.from[i]), INK);
          }
          text(x + bar / 2, top - 4, "middle", bar < 26 ? 8 : 10, INK, brief(one.values[i]));
        }
      }
    }
    return svg + "</svg>\n";
  }

  /**
   * Returns the SVG of the chart with a line for each series, and with spans as pale bands.
   *
   * @param withPoints whether each value has a point; false for many categories of which few have a
   *     name
   */
  public String lines(boolean withPoints) {
    frame(false);
    for (int s = 0; s < series.size(); s++) {
      if (series.get(s).from != null) {
        band(series.get(s), colour(s));
      }
    }
    for (int s = 0; s < series.size(); s++) {
      double[] values = series.get(s).values;
      int[] shown =
          IntStream.range(0, values.length)
              .filter(i -> Double.isFinite(values[i]) && (!logarithmic || values[i] > 0))
              .toArray();
      draw(
          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
          Arrays.stream(shown).mapToObj(i -> point(i, values)).collect(Collectors.joining(" ")),
          colour(s));
      for (int i : withPoints ? shown : new int[0]) {
        draw(
            "<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>",
            middle(i), y(values[i]), colour(s));
      }
    }
    return svg + "</svg>\n";
  }

  private void band(Series one, String colour) {
    List<String> points = new ArrayList<>();
    int there = 0;
    for (int i = 0; i < categories.size(); i++) {
      if (Double.isFinite(one.from[i]) && Double.isFinite(one.to[i])) {
        points.add(there, point(i, one.from));
        points.add(there++, point(i, one.to));
      }
    }
    draw(
        "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.13\"/>",
        String.join(" ", points), colour);
  }

  private String point(int category, double[] values) {
    return shown(middle(category)) + "," + shown(y(values[category]));
  }

  private double middle(int category) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) / categories.size() * (category + 0.5);
  }

  private void scale() {
    double[] positive =
        series.stream()
            .flatMap(one -> Stream.of(one.values, one.from, one.to))
            .filter(Objects::nonNull)
            .flatMapToDouble(Arrays::stream)
            .filter(value -> Double.isFinite(value) && value > 0)
            .toArray();
    double min = Arrays.stream(positive).min().orElse(1);
    double max = Arrays.stream(positive).max().orElse(1);
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

  /** Begins the drawing: all but the series. */
  private void frame(boolean crowded) {
    scale();
    draw(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$s %2$s\" width=\"%1$s\""
            + " height=\"%2$s\" font-family=\"Helvetica, Arial, sans-serif\">",
        WIDTH, HEIGHT);
    draw("<rect width=\"%s\" height=\"%s\" fill=\"#ffffff\"/>", WIDTH, HEIGHT);
    text(LEFT, 24, "start", 16, "#111111", title);
    legend();
    double step = logarithmic ? 1 : step(high / 1.02);
    for (double at = low; at <= high + step / 1e6; at += step) {
      double value = logarithmic ? Math.pow(10, at) : at;
      double y = y(value);
      line(LEFT, y, WIDTH - RIGHT, y, GRID);
      text(LEFT - 8, y + 4, "end", 11, INK, tick(value));
    }
    line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK);
    for (int i = 0; i < categories.size(); i++) {
      int below = crowded && i % 2 == 1 ? 31 : 18;
      text(middle(i), HEIGHT - BOTTOM + below, "middle", 11, INK, categories.get(i));
    }
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", 12, INK, xLabel);
    draw(
        "<text transform=\"translate(18 %s) rotate(-90)\" text-anchor=\"middle\""
            + " font-size=\"12\" fill=\"%s\">%s</text>",
        (TOP + HEIGHT - BOTTOM) / 2.0, INK, escaped(yLabel));
  }

  /**
   * Returns whether the names of the chart's categories are too long to stand side by side. Then
   * they alternate between two lines.
   */
  private boolean areCrowded() {
    int longest = categories.stream().mapToInt(String::length).max().orElse(0);
    return 6.2 * longest > (double) (WIDTH - LEFT - RIGHT) / categories.size();
  }

  private void legend() {
    double x = LEFT;
    int y = 36;
    for (int s = 0; s < series.size(); s++) {
      String name = series.get(s).name;
      double width = 34 + 6.4 * name.length();
      if (x + width > WIDTH - RIGHT + 20 && x > LEFT) {
        x = LEFT;
        y += 17;
      }
      rectangle(x, y, 11, 11, colour(s));
      text(x + 16, y + 10.0, "start", 12, INK, name);
      x += width;
    }
  }

  private void rectangle(Object x, Object y, Object width, Object height, String colour) {
    draw(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>",
        x, y, width, height, colour);
  }

  private void line(Object x1, Object y1, Object x2, Object y2, String colour) {
    draw("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>", x1, y1, x2, y2, colour);
  }

  private void text(double x, double y, String anchor, int size, String colour, String text) {
    draw(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-size=\"%s\" fill=\"%s\">%s</text>",
        x, y, anchor, size, colour, escaped(text));
  }

  /** Adds an element to the drawing, in which numbers with a fraction have one decimal. */
  private void draw(String element, Object... values) {
    svg.append(element.formatted(Arrays.stream(values).map(Chart::shown).toArray())).append('\n');
  }

  private static Object shown(Object value) {
    return value instanceof Double ? format("%.1f", value) : value;
  }

  /**
   * Returns the colour in which a series is drawn: its fixed one, or the next that is free in this
   * chart.
   */
  private String colour(int index) {
    List<String> own = series.stream().map(one -> OWN_COLOURS.get(one.name)).toList();
    List<String> free = COLOURS.stream().filter(colour -> !own.contains(colour)).toList();
    int next = (int) own.subList(0, index).stream().filter(Objects::isNull).count();
    return own.get(index) != null ? own.get(index) : free.get(next % free.size());
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
    return String.format(Locale.ROOT, pattern, values);
  }
}

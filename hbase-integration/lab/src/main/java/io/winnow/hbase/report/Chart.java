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
 * A bar or line chart as an SVG document: a title, the measure and its unit, an axis in proportion,
 * and contenders in words. It is narrow, so that a phone shows its letters large enough, and it has
 * colours for a light and for a dark screen. It is drawn without a library, so that the same
 * figures give the same bytes.
 */
public final class Chart {
  private static final int WIDTH = 440;
  private static final int MARGIN = 14;

  /** Height of a row: a bar with its label, or a line of text. */
  private static final int ROW = 18;

  /** Height of the lines of a line chart. */
  private static final int LINES_HEIGHT = 210;

  /** Mean width of a letter as a share of the font's size; most fonts have narrower ones. */
  private static final double LETTER = 0.6;

  /** Ratio of the largest to the smallest category from which on their axis is logarithmic. */
  private static final double MANY_TIMES = 1000;

  /** Number of colours of the series; {@code s0} is that of HBase's own filter. */
  private static final int COLOURS = 8;

  /** Colours that colour-blind readers can distinguish (Okabe and Ito), on white and on black. */
  private static final String STYLE =
      """
      <style>
      text{fill:#333}.paper{fill:#fff}.grid{stroke:#e0e0e0}.ink{stroke:#333}
      .s0{fill:#888;stroke:#888}.s1{fill:#d55e00;stroke:#d55e00}.s2{fill:#0072b2;stroke:#0072b2}
      .s3{fill:#009e73;stroke:#009e73}.s4{fill:#cc79a7;stroke:#cc79a7}.s5{fill:#e69f00;stroke:#e69f00}
      .s6{fill:#56b4e9;stroke:#56b4e9}.s7{fill:#333;stroke:#333}
      .base{stroke-dasharray:3 3}.bar{stroke:none}.band{fill-opacity:.15;stroke:none}.line{fill:none;stroke-width:2}
      @media(prefers-color-scheme:dark){
      text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#30363d}.ink{stroke:#e6edf3}
      .s2{fill:#3d9bd6;stroke:#3d9bd6}.s7{fill:#e6edf3;stroke:#e6edf3}}
      </style>
      """;

  /** Names for readers, of contenders that results name by their settings. */
  private static final Map<String, String> NAMES =
      Map.of(
          "bloom", "HBase's Bloom filter",
          "stock", "HBase's Bloom filter",
          "ribbon", "Winnow's ribbon",
          "bumped-ribbon", "Winnow's bumped-ribbon",
          "store", "Winnow",
          "file", "Winnow, one rate");

  private final String title;
  private final String xLabel;
  private final String yLabel;
  private final boolean logarithmic;
  private final List<String> categories;
  private final double base;
  private final List<Series> series = new ArrayList<>();
  private final StringBuilder svg = new StringBuilder();

  /** The place of each category on the axis of a line chart, from 0 to 1. */
  private double[] places;

  private int bottom;
  private double low;
  private double high;

  /** The values of one contender in a chart, one for each category; NaN where there is none. */
  private record Series(String name, double[] values, double[] from, double[] to) {
    boolean has(int category) {
      return Double.isFinite(values[category]);
    }

    boolean hasSpan(int category) {
      return from != null && Double.isFinite(from[category]) && Double.isFinite(to[category]);
    }
  }

  /**
   * Makes an empty chart.
   *
   * @param xLabel the name of the categories; may be empty
   * @param yLabel the measure and its unit
   * @param logarithmic whether the axis of values of a line chart is logarithmic and covers whole
   *     decades; else it is linear and begins at zero, as that of bars does
   * @param base the value at which bars have a line to compare with, such as 1 for HBase's own; NaN
   *     for none
   */
  public Chart(
      String title,
      String xLabel,
      String yLabel,
      boolean logarithmic,
      List<String> categories,
      double base) {
    this.title = title;
    this.xLabel = xLabel;
    this.yLabel = yLabel;
    this.logarithmic = logarithmic;
    this.categories = List.copyOf(categories);
    this.base = base;
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
    series.add(new Series(NAMES.getOrDefault(name, name), values, from, to));
    return this;
  }

  // ==== bars

  /**
   * Returns the SVG of the chart with bars below each other, and the number beside each bar. A span
   * is a thin line over its bar.
   */
  public String bars() {
    scale();
    boolean areGrouped = series.size() > 1;
    Stream<String> labels = areGrouped ? series.stream().map(Series::name) : categories.stream();
    double left = MARGIN + 6 + labels.mapToDouble(name -> width(name, 12)).max().orElse(0);
    double right = WIDTH - MARGIN - numberWidth();
    int bars = 0;
    for (Series one : series) {
      bars += (int) IntStream.range(0, categories.size()).filter(one::has).count();
    }
    int rows = bars + (areGrouped ? categories.size() : 0);
    int top = begin(rows * ROW + (xLabel.isEmpty() ? ROW : 2 * ROW));
    bottom = top + rows * ROW;
    double step = step(high / 1.02, 4);
    for (double value = 0; value <= high + step / 1e6; value += step) {
      double x = x(value, left, right);
      line(x, top, x, bottom, "grid");
      text(x, bottom + 14, "middle", 11, "", tick(value));
    }
    double y = top;
    for (int i = 0; i < categories.size(); i++) {
      if (areGrouped) {
        text(MARGIN, y + 13, "start", 12, " font-weight=\"bold\"", categories.get(i));
        y += ROW;
      }
      double first = y;
      for (int s = 0; s < series.size(); s++) {
        if (series.get(s).has(i)) {
          String label = areGrouped ? series.get(s).name : categories.get(i);
          bar(series.get(s), colour(s), i, label, left, y, right);
          y += ROW;
        }
      }
      if (base > 0) {
        line(x(base, left, right), first, x(base, left, right), y, "ink base");
      }
    }
    text((left + right) / 2, bottom + 2 * ROW - 4, "middle", 12, "", xLabel);
    return svg + "</svg>\n";
  }

  private void bar(
      Series one, String colour, int i, String label, double left, double y, double right) {
    text(left - 6, y + 13, "end", 12, "", label);
    double x = x(one.values[i], left, right);
    draw(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s bar\"/>",
        left, y + 2, x - left, ROW - 5.0, colour);
    if (one.hasSpan(i)) {
      double middle = y + ROW / 2.0;
      line(x(one.from[i], left, right), middle, x(one.to[i], left, right), middle, "ink");
    }
    text(WIDTH - MARGIN, y + 13, "end", 11, "", number(one, i));
  }

  private double x(double value, double left, double right) {
    return left + Math.max(0, value) / high * (right - left);
  }

  /** Returns the width that the numbers beside bars need. */
  private double numberWidth() {
    double most = 0;
    for (Series one : series) {
      for (int i = 0; i < categories.size(); i++) {
        most = Math.max(most, one.has(i) ? 6 + width(number(one, i), 11) : 0);
      }
    }
    return most;
  }

  private static String number(Series one, int i) {
    return brief(one.values[i])
        + (one.hasSpan(i) ? " (" + brief(one.from[i]) + " to " + brief(one.to[i]) + ")" : "");
  }

  // ==== lines

  /**
   * Returns the SVG of the chart with a line for each series, and with spans as pale bands. If all
   * categories are numbers, they stand in proportion; from {@value #MANY_TIMES} times on in that of
   * their logarithms.
   *
   * @param withPoints whether each value has a point; false for many categories of which few have a
   *     name
   */
  public String lines(boolean withPoints) {
    scale();
    places = places();
    int keyRows = key(0, false);
    int top = begin(keyRows * ROW + LINES_HEIGHT + (xLabel.isEmpty() ? ROW : 2 * ROW) + 8);
    key(top, true);
    bottom = top + keyRows * ROW + 8 + LINES_HEIGHT;
    double step = logarithmic ? 1 : step(high / 1.02, 5);
    List<Double> ticks = new ArrayList<>();
    for (double at = low; at <= high + step / 1e6; at += step) {
      ticks.add(logarithmic ? Math.pow(10, at) : at);
    }
    double left =
        MARGIN + 6 + ticks.stream().mapToDouble(at -> width(tick(at), 11)).max().orElse(0);
    for (double value : ticks) {
      line(left, y(value), WIDTH - MARGIN, y(value), "grid");
      text(left - 6, y(value) + 4, "end", 11, "", tick(value));
    }
    line(left, bottom, WIDTH - MARGIN, bottom, "ink");
    double free = 0;
    for (int i : IntStream.range(0, places.length).boxed().sorted(this::byPlace).toList()) {
      double half = width(categories.get(i), 11) / 2;
      double x = place(i, left);
      if (half > 0 && x - half >= free) {
        text(x, bottom + 14, "middle", 11, "", categories.get(i));
        free = x + half + 4;
      }
    }
    text((left + WIDTH - MARGIN) / 2, bottom + 2 * ROW - 4, "middle", 12, "", xLabel);
    for (int s = 0; s < series.size(); s++) {
      band(series.get(s), colour(s), left);
    }
    for (int s = 0; s < series.size(); s++) {
      double[] values = series.get(s).values;
      int[] shown =
          IntStream.range(0, values.length)
              .filter(i -> Double.isFinite(values[i]) && (!logarithmic || values[i] > 0))
              .toArray();
      draw(
          "<polyline points=\"%s\" class=\"%s line\"/>",
          Arrays.stream(shown)
              .mapToObj(i -> point(i, values, left))
              .collect(Collectors.joining(" ")),
          colour(s));
      for (int i : withPoints ? shown : new int[0]) {
        draw(
            "<circle cx=\"%s\" cy=\"%s\" r=\"3\" class=\"%s bar\"/>",
            place(i, left), y(values[i]), colour(s));
      }
    }
    return svg + "</svg>\n";
  }

  private int byPlace(int one, int other) {
    return Double.compare(places[one], places[other]);
  }

  private double place(int category, double left) {
    return left + 12 + places[category] * (WIDTH - MARGIN - 24 - left);
  }

  private double[] places() {
    int count = categories.size();
    double[] at = IntStream.range(0, count).asDoubleStream().toArray();
    if (categories.stream().allMatch(name -> name.matches("[0-9.,]+( %)?"))) {
      at =
          categories.stream()
              .mapToDouble(name -> Double.parseDouble(name.replaceAll("[, %]", "")))
              .toArray();
    }
    double min = Arrays.stream(at).min().orElse(0);
    double max = Arrays.stream(at).max().orElse(0);
    if (min > 0 && max >= MANY_TIMES * min) {
      return Arrays.stream(at).map(value -> Math.log(value / min) / Math.log(max / min)).toArray();
    }
    return Arrays.stream(at).map(value -> max > min ? (value - min) / (max - min) : 0.5).toArray();
  }

  private void band(Series one, String colour, double left) {
    List<String> points = new ArrayList<>();
    int there = 0;
    for (int i = 0; i < categories.size(); i++) {
      if (one.hasSpan(i)) {
        points.add(there, point(i, one.from, left));
        points.add(there++, point(i, one.to, left));
      }
    }
    if (there > 0) {
      draw("<polygon points=\"%s\" class=\"%s band\"/>", String.join(" ", points), colour);
    }
  }

  private String point(int category, double[] values, double left) {
    return shown(place(category, left)) + "," + shown(y(values[category]));
  }

  private double y(double value) {
    double at = logarithmic ? Math.log10(Math.max(value, Math.pow(10, low))) : value;
    return bottom - (at - low) / (high - low) * LINES_HEIGHT;
  }

  /** Draws the key of the series, or only counts its rows. */
  private int key(int top, boolean draws) {
    double x = MARGIN;
    int rows = 1;
    for (int s = 0; s < series.size(); s++) {
      double width = 28 + width(series.get(s).name, 12);
      if (x + width > WIDTH && x > MARGIN) {
        x = MARGIN;
        rows++;
      }
      if (draws) {
        int y = top + (rows - 1) * ROW;
        draw(
            "<rect x=\"%s\" y=\"%s\" width=\"11\" height=\"11\" class=\"%s bar\"/>",
            x, y, colour(s));
        text(x + 16, y + 10, "start", 12, "", series.get(s).name);
      }
      x += width;
    }
    return rows;
  }

  // ==== both

  private void scale() {
    double[] positive =
        series.stream()
            .flatMap(one -> Stream.of(one.values, one.from, one.to))
            .filter(Objects::nonNull)
            .flatMapToDouble(Arrays::stream)
            .filter(value -> Double.isFinite(value) && value > 0)
            .toArray();
    double min = Arrays.stream(positive).min().orElse(1);
    double max = Math.max(Arrays.stream(positive).max().orElse(1), base > 0 ? base : 0);
    if (logarithmic) {
      low = Math.floor(Math.log10(min));
      high = Math.max(low + 1, Math.ceil(Math.log10(max)));
    } else {
      high = max * 1.02;
    }
  }

  /**
   * Returns the distance between two grid lines: 1, 2 or 5 times a power of ten, so that there are
   * about as many as wished.
   */
  private static double step(double max, int wished) {
    double raw = max / wished;
    double power = Math.pow(10, Math.floor(Math.log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  /**
   * Begins the drawing with the title and the measure.
   *
   * @param height the height of what is below these
   * @return where that begins
   */
  private int begin(int height) {
    List<String> titles = wrapped(title, 15);
    List<String> measures = wrapped(yLabel, 12);
    int top = 12 + titles.size() * 20 + measures.size() * 16 + 8;
    draw(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$s %2$s\" width=\"%3$s\""
            + " height=\"%4$s\" font-family=\"Helvetica, Arial, sans-serif\">",
        WIDTH, top + height, WIDTH * 5 / 4, (top + height) * 5 / 4);
    svg.append(STYLE);
    draw("<rect width=\"%s\" height=\"%s\" class=\"paper\"/>", WIDTH, top + height);
    int y = 8;
    for (String line : titles) {
      text(MARGIN, y += 20, "start", 15, " font-weight=\"bold\"", line);
    }
    for (String line : measures) {
      text(MARGIN, y += 16, "start", 12, "", line);
    }
    return top;
  }

  private static List<String> wrapped(String text, int size) {
    List<String> lines = new ArrayList<>();
    for (String word : text.split(" ")) {
      String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1) + " " + word;
      if (lines.isEmpty() || width(last, size) > WIDTH - 2 * MARGIN) {
        lines.add(word);
      } else {
        lines.set(lines.size() - 1, last);
      }
    }
    return lines;
  }

  private static double width(String text, int size) {
    return LETTER * size * text.length();
  }

  private void line(double x1, double y1, double x2, double y2, String style) {
    draw("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>", x1, y1, x2, y2, style);
  }

  private void text(double x, double y, String anchor, int size, String more, String text) {
    if (!text.isEmpty()) {
      draw(
          "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-size=\"%s\"%s>%s</text>",
          x, y, anchor, size, more, escaped(text));
    }
  }

  /** Adds an element to the drawing, in which numbers with a fraction have one decimal. */
  private void draw(String element, Object... values) {
    svg.append(element.formatted(Arrays.stream(values).map(Chart::shown).toArray())).append('\n');
  }

  private static Object shown(Object value) {
    return value instanceof Double ? format("%.1f", value) : value;
  }

  /** Returns the class of a series' colour: the first one of HBase's own is grey. */
  private String colour(int index) {
    List<Boolean> are = series.stream().map(one -> one.name.startsWith("HBase")).toList();
    int grey = are.indexOf(true);
    return "s"
        + (index == grey ? 0 : 1 + (index - (grey >= 0 && grey < index ? 1 : 0)) % (COLOURS - 1));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /**
   * Formats a chart's value with three significant digits, or with three decimals if it is small.
   */
  private static String brief(double value) {
    return format(
        value >= 99.95
            ? "%,.0f"
            : value >= 9.995 ? "%.1f" : value >= 0.0995 || value == 0 ? "%.2f" : "%.3f",
        value);
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

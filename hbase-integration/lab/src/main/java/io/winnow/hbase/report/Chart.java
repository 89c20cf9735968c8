package io.winnow.hbase.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A bar chart as an SVG document: a title, the measure and its unit, an axis in proportion, and
 * contenders in words. It is narrow, so that a phone shows its letters large enough, and it has
 * colours for a light and for a dark screen. It is drawn without a library, so that the same
 * figures give the same bytes.
 */
public final class Chart {
  private static final int WIDTH = 440;
  private static final int MARGIN = 14;

  /** Height of a row: a bar with its label, or a line of text. */
  private static final int ROW = 18;

  /** Mean width of a letter as a share of the font's size; most fonts have narrower ones. */
  private static final double LETTER = 0.6;

  /** Number of colours of the series; {@code s0} is that of HBase's own filter. */
  private static final int COLOURS = 8;

  /** Colours that colour-blind readers can distinguish (Okabe and Ito), on white and on black. */
  private static final String STYLE =
      """
      <style>
      text{fill:#333}.paper{fill:#fff}.grid{stroke:#e0e0e0}.ink{stroke:#333}.base{stroke-dasharray:3 3}
      .s0{fill:#888}.s1{fill:#d55e00}.s2{fill:#0072b2}.s3{fill:#009e73}.s4{fill:#cc79a7}.s5{fill:#e69f00}
      .s6{fill:#56b4e9}.s7{fill:#333}
      @media(prefers-color-scheme:dark){
      text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#30363d}.ink{stroke:#e6edf3}
      .s2{fill:#3d9bd6}.s7{fill:#e6edf3}}
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
  private final String measure;
  private final List<String> categories;
  private final double base;
  private final List<Series> series = new ArrayList<>();
  private final StringBuilder svg = new StringBuilder();

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
   * @param measure what the bars show, and its unit
   * @param base the value at which bars have a line to compare with, such as 1 for HBase's own; NaN
   *     for none
   */
  public Chart(String title, String measure, List<String> categories, double base) {
    this.title = title;
    this.measure = measure;
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
    int top = begin((rows + 1) * ROW);
    int bottom = top + rows * ROW;
    double step = step(high / 1.02);
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
    return svg + "</svg>\n";
  }

  private void bar(
      Series one, String colour, int i, String label, double left, double y, double right) {
    text(left - 6, y + 13, "end", 12, "", label);
    double x = x(one.values[i], left, right);
    draw(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\"/>",
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

  private void scale() {
    high =
        1.02
            * series.stream()
                .flatMap(one -> Stream.of(one.values, one.to))
                .filter(Objects::nonNull)
                .flatMapToDouble(Arrays::stream)
                .filter(value -> Double.isFinite(value) && value > 0)
                .max()
                .orElse(1);
    high = base > 0 ? Math.max(high, 1.02 * base) : high;
  }

  /**
   * Returns the distance between two grid lines: 1, 2 or 5 times a power of ten, so that there are
   * about four.
   */
  private static double step(double max) {
    double raw = max / 4;
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
    List<String> measures = wrapped(measure, 12);
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

package io.winnow.hbase.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The samples that one benchmark run measured, and where and how: the document under {@code
 * results/}.
 */
public final class Results {
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  private final Setting setting;
  private final Map<Case, TreeMap<String, List<Double>>> samples;

  /**
   * The circumstances of a benchmark run: when, on what machine and how it was made. It has no host
   * names and no paths.
   *
   * @param date the day; and the time, except in the oldest documents
   */
  public record Setting(
      String date,
      String machine,
      int cores,
      String os,
      String jdk,
      String commit,
      String command,
      long seconds) {
    private static final int DAY_CHARS = "2026-01-01".length();

    /** Returns the date of the run without the time. */
    public String day() {
      return date.substring(0, DAY_CHARS);
    }

    /** Returns a line of text to stand below a table: the run's machine, commit and day. */
    public String line() {
      return "%s, commit `%s`, %s.".formatted(machine, commit, day());
    }

    /** Returns a line of machine, commit and day for each of several runs, equal ones only once. */
    public static String lines(Stream<Setting> settings) {
      return settings.map(Setting::line).distinct().collect(Collectors.joining(" "));
    }

    /** Returns a line of text with the run's machine, operating system and Java. */
    String place() {
      return "%s, %s, %s, %s".formatted(machine, Table.counted(cores, "core"), os, jdk);
    }
  }

  /** A benchmark with its parameters, for which there are samples of several metrics. */
  private record Case(String benchmark, TreeMap<String, String> parameters) {}

  /**
   * The samples of a benchmark with its parameters, metric by metric, as they are in the JSON
   * document.
   */
  public record Entry(
      String benchmark,
      TreeMap<String, String> parameters,
      TreeMap<String, List<Double>> samples) {}

  /** The JSON document of a benchmark run. */
  public record Document(Setting setting, List<Entry> results) {}

  public Results(Setting setting) {
    this(setting, new LinkedHashMap<>());
  }

  private Results(Setting setting, Map<Case, TreeMap<String, List<Double>>> samples) {
    this.setting = setting;
    this.samples = samples;
  }

  public Setting setting() {
    return setting;
  }

  /** Returns a copy of the results whose setting says that the run took the given time. */
  public Results withSeconds(long seconds) {
    return withSeconds(setting.command, seconds);
  }

  /**
   * Returns a copy of the results whose setting has the given command and says that the run took
   * the given time.
   */
  public Results withSeconds(String command, long seconds) {
    Setting s = setting;
    return new Results(
        new Setting(s.date, s.machine, s.cores, s.os, s.jdk, s.commit, command, seconds), samples);
  }

  /**
   * Returns whether figures of two runs may be on one page: they are of the same commit, machine
   * and Java.
   */
  public boolean isComparable(Results other) {
    return setting.place().equals(other.setting.place())
        && setting.commit.equals(other.setting.commit);
  }

  /** Copies from another run all samples of a benchmark whose parameters include the given ones. */
  public synchronized void copyCases(
      Results other, String benchmark, Map<String, String> parameters) {
    other.samples.forEach(
        (key, values) -> {
          if (isOf(key, benchmark, parameters)) {
            samples.put(key, values);
          }
        });
  }

  /** Returns whether there are samples of a benchmark whose parameters include the given ones. */
  public boolean hasCases(String benchmark, Map<String, String> parameters) {
    return samples.keySet().stream().anyMatch(key -> isOf(key, benchmark, parameters));
  }

  private static boolean isOf(Case key, String benchmark, Map<String, String> parameters) {
    return key.benchmark().equals(benchmark)
        && key.parameters().entrySet().containsAll(parameters.entrySet());
  }

  public synchronized void add(
      String benchmark, Map<String, String> parameters, String metric, double... values) {
    List<Double> list =
        samples
            .computeIfAbsent(new Case(benchmark, new TreeMap<>(parameters)), key -> new TreeMap<>())
            .computeIfAbsent(metric, key -> new ArrayList<>());
    for (double value : values) {
      list.add(rounded(value));
    }
  }

  /**
   * Returns a sample rounded to six significant digits, because more would be noise in the
   * document. A whole number is a count, which is exact.
   */
  private static double rounded(double value) {
    return Double.isFinite(value) && value != Math.rint(value)
        ? Double.parseDouble(String.format(Locale.ROOT, "%.6g", value))
        : value;
  }

  /**
   * Returns the samples of a benchmark's metric for the first parameters that include the given
   * ones; empty if there are none.
   *
   * @param parameters names and values in turn
   */
  public double[] samples(String benchmark, String metric, Object... parameters) {
    return cases(benchmark, parameters)
        .findFirst()
        .map(all -> Figures.array(all.getOrDefault(metric, List.of())))
        .orElse(new double[0]);
  }

  /**
   * Returns the samples of a benchmark's metric for all parameters that include the given ones, in
   * the order of the run.
   *
   * @param parameters names and values in turn
   */
  public double[] allSamples(String benchmark, String metric, Object... parameters) {
    return cases(benchmark, parameters)
        .map(all -> Figures.array(all.getOrDefault(metric, List.of())))
        .flatMapToDouble(Arrays::stream)
        .toArray();
  }

  /** Returns the samples of all cases of a benchmark whose parameters include the given ones. */
  private Stream<TreeMap<String, List<Double>>> cases(String benchmark, Object... parameters) {
    Map<String, String> at = at(parameters);
    return samples.entrySet().stream()
        .filter(entry -> isOf(entry.getKey(), benchmark, at))
        .map(Map.Entry::getValue);
  }

  /**
   * Returns the values of parameters by their names.
   *
   * @param parameters names and values in turn
   */
  public static Map<String, String> at(Object... parameters) {
    Map<String, String> at = new TreeMap<>();
    for (int i = 0; i < parameters.length; i += 2) {
      at.put((String) parameters[i], String.valueOf(parameters[i + 1]));
    }
    return at;
  }

  /**
   * Returns the median of the samples of a benchmark's metric for the first parameters that include
   * the given ones.
   *
   * @param parameters names and values in turn
   */
  public OptionalDouble median(String benchmark, String metric, Object... parameters) {
    double[] sorted = samples(benchmark, metric, parameters);
    return sorted.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(median(sorted));
  }

  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the sum of the medians of a benchmark's metric over all parameters that include the
   * given ones; 0 if there are none.
   *
   * @param parameters names and values in turn
   */
  public double sum(String benchmark, String metric, Object... parameters) {
    return cases(benchmark, parameters)
        .filter(all -> all.containsKey(metric))
        .mapToDouble(all -> median(Figures.array(all.get(metric))))
        .sum();
  }

  /**
   * Returns the different values of a parameter for which a benchmark was run, in the order of the
   * run.
   */
  public List<String> values(String benchmark, String parameter) {
    return samples.keySet().stream()
        .filter(key -> key.benchmark().equals(benchmark))
        .map(key -> key.parameters().get(parameter))
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  public boolean has(String benchmark) {
    return hasCases(benchmark, Map.of());
  }

  public String json() {
    List<Entry> entries = new ArrayList<>();
    samples.forEach(
        (key, values) -> entries.add(new Entry(key.benchmark(), key.parameters(), values)));
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentObjectsWith(new DefaultIndenter("  ", "\n"));
    try {
      return JSON.writer(printer).writeValueAsString(new Document(setting, entries)) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Results ofJson(String json) throws IOException {
    Document document = JSON.readValue(json, Document.class);
    Results results = new Results(document.setting());
    for (Entry entry : document.results()) {
      results.samples.put(new Case(entry.benchmark(), entry.parameters()), entry.samples());
    }
    return results;
  }
}

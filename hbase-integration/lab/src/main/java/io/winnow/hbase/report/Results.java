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
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What one run measured, sample by sample, and where. The document under {@code results/}. */
public final class Results {
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  private final Setting setting;
  private final Map<Case, TreeMap<String, List<Double>>> samples;

  /**
   * Where and how a run was made. No names of hosts, no paths.
   *
   * @param date the day; and, in documents that are not of the first days, the time
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

    /** The date without the time. */
    public String day() {
      return date.substring(0, DAY_CHARS);
    }

    /** The machine, the commit and the day: a line below a table. */
    public String told() {
      return "%s, commit `%s`, %s.".formatted(machine, commit, day());
    }

    /** Those of several runs, each once. */
    public static String told(Stream<Setting> settings) {
      return settings.map(Setting::told).distinct().collect(Collectors.joining(" "));
    }

    /** The machine with its system and its Java. */
    String place() {
      return "%s, %s, %s, %s".formatted(machine, Table.counted(cores, "core"), os, jdk);
    }
  }

  /** One contender in one situation. */
  private record Case(String benchmark, TreeMap<String, String> parameters) {}

  /** A case with its samples, metric by metric, as it stands in the document. */
  public record Entry(
      String benchmark,
      TreeMap<String, String> parameters,
      TreeMap<String, List<Double>> samples) {}

  /** The document. */
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

  /** The same samples, told to have taken so long. */
  public Results lasting(long seconds) {
    return lasting(setting.command, seconds);
  }

  /** The same samples, told to come of this command, and to have taken so long. */
  public Results lasting(String command, long seconds) {
    Setting s = setting;
    return new Results(
        new Setting(s.date, s.machine, s.cores, s.os, s.jdk, s.commit, command, seconds), samples);
  }

  /** Whether figures of both may stand on one page: of one commit, machine and Java. */
  public boolean isComparable(Results other) {
    return setting.place().equals(other.setting.place())
        && setting.commit.equals(other.setting.commit);
  }

  /** Takes over what another run measured, in place of this one's same benchmarks. */
  void replaceBy(Results other) {
    samples.keySet().removeIf(key -> other.has(key.benchmark()));
    samples.putAll(other.samples);
  }

  /** Takes over the cases of a benchmark that have these parameters, among others. */
  public synchronized void takeOver(
      Results other, String benchmark, Map<String, String> parameters) {
    other.samples.forEach(
        (key, values) -> {
          if (isOf(key, benchmark, parameters)) {
            samples.put(key, values);
          }
        });
  }

  /** Whether there is a case of a benchmark with these parameters, among others. */
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

  /** Six significant digits: more would be noise in the document. */
  private static double rounded(double value) {
    return Double.isFinite(value)
        ? Double.parseDouble(String.format(Locale.ROOT, "%.6g", value))
        : value;
  }

  /**
   * The samples of a metric, of the case with these parameters at least; none if there is none.
   *
   * @param parameters names and values in turn
   */
  public double[] samples(String benchmark, String metric, Object... parameters) {
    for (var entry : samples.entrySet()) {
      if (entry.getKey().benchmark().equals(benchmark)
          && agrees(entry.getKey().parameters(), parameters)) {
        List<Double> list = entry.getValue().getOrDefault(metric, List.of());
        return list.stream().mapToDouble(Double::doubleValue).toArray();
      }
    }
    return new double[0];
  }

  private static boolean agrees(Map<String, String> actual, Object... parameters) {
    for (int i = 0; i < parameters.length; i += 2) {
      String value = actual.get((String) parameters[i]);
      if (value == null || !value.equals(String.valueOf(parameters[i + 1]))) {
        return false;
      }
    }
    return true;
  }

  /** The median of the samples. */
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

  /** The values that a parameter takes in a benchmark, in the order of the run. */
  public List<String> values(String benchmark, String parameter) {
    return samples.keySet().stream()
        .filter(key -> key.benchmark().equals(benchmark))
        .map(key -> key.parameters().get(parameter))
        .filter(value -> value != null)
        .distinct()
        .toList();
  }

  public boolean has(String benchmark) {
    return samples.keySet().stream().anyMatch(key -> key.benchmark().equals(benchmark));
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

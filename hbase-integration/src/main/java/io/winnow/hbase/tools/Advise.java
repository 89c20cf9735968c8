package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.util.StringUtils;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** What Winnow would save, from the store files that are there. */
final class Advise implements Tool {
  /** A family of a table, or the files of a path, with all its stores. */
  private record Family(
      String table, String name, AskedFamily asked, Map<String, List<StoreFile>> stores) {
    String label() {
      return table.isEmpty() ? name : table + ", " + name;
    }
  }

  /** An entry of the JSON document. */
  private record Entry(
      String filter,
      String setting,
      long bytes,
      double bitsPerKey,
      double falseReadsPerAbsentGet,
      Double buildNanosPerKey,
      Double samplingError) {}

  /** The part of the JSON document that a family has, and the whole. */
  private static final class Part {
    String table;
    String family;
    long files;
    long keys;
    double keysAfterCompaction;
    int storesRead;
    Entry now;

    /** After a major compaction. */
    List<Entry> filters;

    /** If each file were written again as it is. */
    List<Entry> filtersAsFilesLie;

    String alter;
    List<Part> families;
  }

  private PrintStream out;
  private PrintStream err;
  private Arguments arguments;

  @Override
  public int run(Configuration conf, PrintStream output, PrintStream errors, String... args)
      throws IOException, InterruptedException {
    out = output;
    err = errors;
    arguments =
        Arguments.parseWithOperands(
            List.of(),
            List.of("sample", "block-cache", "memory", "false-reads", "threads", "json"),
            args);
    arguments.exclude("memory", "false-reads");
    if (arguments.operands().isEmpty()) {
      throw new IllegalArgumentException("name a table, or a path of store files");
    }
    List<Family> families = new ArrayList<>();
    for (String operand : arguments.operands()) {
      families.addAll(families(conf, operand));
    }
    Advice all = new Advice();
    List<Part> parts = new ArrayList<>();
    try (Counting counting = Counting.of(err, "bytes of cells")) {
      for (Family family : families) {
        Advice advice = advice(conf, family, counting);
        if (advice.readStores() > 0) {
          all.add(advice);
          parts.add(tell(family, advice));
        }
      }
    }
    if (all.readStores() == 0) {
      throw new IOException("there is no store file with keys that a filter could have");
    }
    Part whole = part(all);
    whole.families = parts;
    if (parts.size() > 1) {
      out.print(table("in all", all, whole).text());
    }
    if (arguments.has("json")) {
      Files.writeString(
          arguments.path("json"),
          new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(whole)
              + "\n");
    }
    return DONE;
  }

  /** A table if there is one of that name, else what lies at a path. */
  private static List<Family> families(Configuration conf, String operand) throws IOException {
    Path path = new Path(operand.contains("/") ? operand : "./" + operand);
    FileSystem fs = path.getFileSystem(conf);
    if (operand.contains("/") || fs.exists(path)) {
      return ofPath(conf, path);
    }
    HBaseTable table = HBaseTable.named(conf, operand);
    Map<String, Family> families = new LinkedHashMap<>();
    for (ColumnFamilyDescriptor family : table.descriptor().getColumnFamilies()) {
      if (family.getBloomFilterType() != BloomType.NONE) {
        String name = Bytes.toStringBinary(family.getName());
        families.put(
            name,
            new Family(
                table.name(),
                name,
                AskedFamily.of(conf, table.descriptor(), family),
                new TreeMap<>()));
      }
    }
    for (StoreFile file : table.files(conf)) {
      Family family = families.get(file.family());
      if (family != null && !file.isHalf()) {
        family.stores().computeIfAbsent(file.store(), key -> new ArrayList<>()).add(file);
      }
    }
    return List.copyOf(families.values());
  }

  private static List<Family> ofPath(Configuration conf, Path path) throws IOException {
    Map<String, Family> families = new TreeMap<>();
    for (StoreFile file : StoreFile.under(conf, path)) {
      if (file.isHalf()) {
        continue;
      }
      BloomType type;
      try (OpenFile open = OpenFile.open(conf, file.data())) {
        type = open.type() == BloomType.NONE ? BloomType.ROW : open.type();
      }
      families
          .computeIfAbsent(
              file.family() + " " + type,
              key -> new Family("", file.family(), AskedFamily.of(conf, type), new TreeMap<>()))
          .stores()
          .computeIfAbsent(file.path().getParent().toString(), key -> new ArrayList<>())
          .add(file);
    }
    return List.copyOf(families.values());
  }

  private Advice advice(Configuration conf, Family family, Counting counting)
      throws IOException, InterruptedException {
    Advice advice = new Advice();
    for (List<StoreFile> store : family.stores().values()) {
      long keys = 0;
      for (StoreFile file : store) {
        try (OpenFile open = OpenFile.open(conf, file.data())) {
          keys += open.general() == null ? open.cells() : open.general().keys();
        }
      }
      advice.counted(store.size(), keys);
    }
    ExecutorService threads = Executors.newFixedThreadPool(threads());
    try {
      List<Future<StoreAdvice.Outcome>> outcomes = new ArrayList<>();
      for (List<StoreFile> store : sample(family)) {
        outcomes.add(threads.submit(() -> read(conf, family.asked(), store, counting)));
      }
      for (Future<StoreAdvice.Outcome> outcome : outcomes) {
        advice.read(outcome.get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      if (e.getCause() instanceof IllegalArgumentException wrong) {
        throw new IOException(family.label() + ": " + wrong.getMessage(), wrong);
      }
      throw new IOException(family.label() + ": " + e.getCause(), e);
    } finally {
      threads.shutdownNow();
    }
    return advice;
  }

  private int threads() {
    return (int) arguments.whole("threads", Runtime.getRuntime().availableProcessors(), 1, 256);
  }

  private List<List<StoreFile>> sample(Family family) {
    List<List<StoreFile>> stores = new ArrayList<>(family.stores().values());
    if (!arguments.has("sample")) {
      return stores;
    }
    long wanted = arguments.whole("sample", 1, 1, 1e9);
    Collections.shuffle(stores, new Random(20130529)); // the same ones each time
    List<List<StoreFile>> some = new ArrayList<>();
    long files = 0;
    for (List<StoreFile> store : stores) {
      if (files < wanted) {
        some.add(store);
        files += store.size();
      }
    }
    return some;
  }

  private static StoreAdvice.Outcome read(
      Configuration conf, AskedFamily family, List<StoreFile> store, Counting counting)
      throws IOException {
    List<OpenFile> files = new ArrayList<>();
    try {
      for (StoreFile file : store) {
        OpenFile open = OpenFile.open(conf, file.data());
        files.add(open);
        counting.expect(open.reader().getTrailer().getTotalUncompressedBytes());
      }
      return StoreAdvice.of(family, files, counting::add);
    } finally {
      for (OpenFile file : files) {
        file.close();
      }
    }
  }

  private Part tell(Family family, Advice advice) {
    Part part = part(advice);
    part.table = family.table();
    part.family = family.name();
    out.print(table(family.label(), advice, part).text());
    Map<String, String> settings = new LinkedHashMap<>(Choice.BUMPED_RIBBON.configuration());
    double wish = wish(family, advice);
    if (!Double.isNaN(wish)) {
      String rate = String.format(Locale.ROOT, "%.4g", wish);
      settings.put("winnow.store.error.rate", rate);
      double bytes = advice.expectedBytes(family.asked(), wish);
      out.printf(
          Locale.ROOT,
          "With winnow.store.error.rate = %s, after a major compaction: about %,.0f bytes (%.2f of"
              + " HBase's own), %s false reads per Get of an absent row.%n",
          rate,
          bytes,
          bytes / advice.afterCompaction().get(Choice.BLOOM).bytes(),
          rate);
    }
    String list = String.join(", ", settings.entrySet().stream().map(Advise::quoted).toList());
    part.alter =
        "alter '%s', {NAME => '%s', CONFIGURATION => {%s}}"
            .formatted(family.table(), family.name(), list);
    if (!family.table().isEmpty()) {
      out.println("  " + part.alter);
      out.println("  major_compact '" + family.table() + "'");
    }
    out.println();
    return part;
  }

  private static String quoted(Map.Entry<String, String> setting) {
    return "'" + setting.getKey() + "' => '" + setting.getValue() + "'";
  }

  /** The rate that meets what the user wants; not a number if nothing is wanted. */
  private double wish(Family family, Advice advice) {
    if (arguments.has("false-reads")) {
      return arguments.number("false-reads", 0.01, 1e-6, 1);
    }
    if (!arguments.has("memory")) {
      return Double.NaN;
    }
    double share = arguments.number("memory", 1, 0.01, 10);
    double bytes = share * advice.afterCompaction().get(Choice.BLOOM).bytes();
    double low = 1e-6;
    double high = 0.5;
    for (int i = 0; i < 60; i++) { // the higher the rate, the fewer bytes
      double middle = Math.sqrt(low * high);
      if (advice.expectedBytes(family.asked(), middle) > bytes) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private Part part(Advice advice) {
    Part part = new Part();
    part.files = advice.files();
    part.keys = advice.keys();
    part.keysAfterCompaction = advice.keysOfStores();
    part.storesRead = advice.readStores();
    part.now = entry("now", "as they are", advice.now(), advice.keys(), Double.NaN);
    part.filters = new ArrayList<>();
    part.filtersAsFilesLie = new ArrayList<>();
    advice
        .afterCompaction()
        .forEach(
            (choice, sum) ->
                part.filters.add(
                    entry(
                        choice.filter(),
                        choice.setting(),
                        sum,
                        advice.keysOfStores(),
                        advice.samplingError(choice))));
    advice
        .asFilesLie()
        .forEach(
            (choice, sum) ->
                part.filtersAsFilesLie.add(
                    entry(choice.filter(), choice.setting(), sum, advice.keys(), Double.NaN)));
    return part;
  }

  private static Entry entry(
      String filter, String setting, StoreAdvice.Sum sum, double keys, double error) {
    return new Entry(
        filter,
        setting,
        Math.round(sum.bytes()),
        8 * sum.bytes() / Math.max(1, keys),
        sum.falseReads(),
        sum.buildNanos() == 0 ? null : sum.buildNanos() / Math.max(1, keys),
        Double.isNaN(error) || error == 0 ? null : error);
  }

  private Table table(String label, Advice advice, Part part) {
    String title =
        "%s: %,d files, %,d keys in their filters, %,.0f distinct in their stores%s"
            .formatted(
                label,
                part.files,
                part.keys,
                part.keysAfterCompaction,
                advice.isSample() ? "; " + part.storesRead + " stores were read" : "");
    List<String> header =
        new ArrayList<>(
            List.of(
                "filter, setting",
                "bytes",
                "bits per key",
                "of now",
                "false reads per absent Get",
                "build, ns per key"));
    if (arguments.has("block-cache")) {
      header.add("of the block cache freed");
    }
    if (advice.isSample()) {
      header.add("bytes may be off by");
    }
    Table table = new Table(title, header.toArray(String[]::new));
    row(table, advice, part.now, part.now, "");
    part.filters.forEach(entry -> row(table, advice, part.now, entry, "compacted: "));
    if (part.files > part.storesRead) {
      part.filtersAsFilesLie.forEach(entry -> row(table, advice, part.now, entry, "as it lies: "));
    }
    return table;
  }

  private void row(Table table, Advice advice, Entry now, Entry entry, String when) {
    List<String> cells =
        new ArrayList<>(
            List.of(
                when + entry.filter() + ", " + entry.setting(),
                Table.number(entry.bytes(), 0),
                Table.number(entry.bitsPerKey(), 3),
                Table.number(
                    now.bytes() == 0 ? Double.NaN : (double) entry.bytes() / now.bytes(), 2),
                String.format(Locale.ROOT, "%.5f", entry.falseReadsPerAbsentGet()),
                entry.buildNanosPerKey() == null
                    ? "-"
                    : Table.number(entry.buildNanosPerKey(), 0)));
    if (arguments.has("block-cache")) {
      double cache = bytes(arguments.text("block-cache"));
      cells.add(String.format(Locale.ROOT, "%.1f %%", 100 * (now.bytes() - entry.bytes()) / cache));
    }
    if (advice.isSample()) {
      cells.add(
          entry.samplingError() == null
              ? "-"
              : String.format(Locale.ROOT, "%.1f %%", 196 * entry.samplingError()));
    }
    table.row(cells.toArray(String[]::new));
  }

  private static double bytes(String size) {
    try {
      return StringUtils.TraditionalBinaryPrefix.string2long(size);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--block-cache " + size + " is no size such as 20g", e);
    }
  }
}

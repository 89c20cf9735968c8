package io.winnow.hbase.command;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeReader;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What {@code ./winnow cascade inspect} runs: what there is in the directories of cascade filters,
 * which may be open, and whether all of it can be read.
 */
@Command(name = "winnow cascade inspect")
public final class CascadeInspect extends Program {
  /** There is damage. */
  private static final int FOUND = 3;

  private static final double[] LOOKUPS_PER_INSERT = {0, 0.01, 0.1, 1, 10};

  @Option(names = "--verify")
  private boolean verifies;

  @Option(names = "--json")
  private Path json;

  @Parameters private List<String> named = List.of();

  /** A directory, as it stands in the JSON document. */
  record Seen(
      String directory,
      String keyHash,
      int fingerprintBits,
      boolean deletes,
      int pageBytes,
      long entries,
      long bytesOnFlash,
      double bitsPerEntry,
      double expectedRate,
      double doubtfulShare,
      int fanOut,
      long memoryEntries,
      List<SeenLevel> levels,
      List<CascadeReader.Log> logs,
      List<Suited> fanOuts,
      Verified verified) {}

  record SeenLevel(
      String file,
      int rank,
      long entries,
      long capacity,
      double fill,
      long pages,
      long bytes,
      double bitsPerEntry) {}

  /** The fan-out for a mix, and what it comes to. */
  record Suited(double lookupsPerInsert, int fanOut, double pagesPerLookup, double writesPerKey) {}

  record Verified(long pages, List<CascadeReader.Damage> damaged) {}

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(new CascadeInspect().run(System.out, System.err, arguments));
  }

  @Override
  protected void check() {
    if (named.isEmpty()) {
      throw new IllegalArgumentException("name the directory of a cascade filter");
    }
  }

  @Override
  protected int work() throws IOException {
    UserFiles.requireWritable(json);
    List<Seen> all = new ArrayList<>();
    boolean damaged = false;
    List<Path> directories = new ArrayList<>();
    for (String name : named) {
      directories.addAll(filters(Path.of(name)));
    }
    try (Progress progress = Progress.counting(err, "pages")) {
      for (Path directory : directories) {
        try (CascadeReader reader = CascadeReader.open(directory)) {
          Seen seen = look(reader, verifies, progress);
          all.add(seen);
          out.print(text(seen));
          damaged |= seen.verified != null && !seen.verified.damaged().isEmpty();
        }
      }
    }
    if (json != null) {
      ObjectMapper mapper =
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              // What the library tells is in plain classes, whose accessors are no getters.
              .setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
      Files.writeString(json, mapper.writeValueAsString(all) + "\n");
    }
    return damaged ? FOUND : DONE;
  }

  /** A directory, or the generations of a window, oldest first. */
  private static List<Path> filters(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    if (Files.notExists(directory.resolve("WINDOW"))) {
      return List.of(directory);
    }
    try (Stream<Path> generations = Files.list(directory)) {
      return generations
          .filter(path -> path.getFileName().toString().matches("generation-[0-9]{1,18}"))
          .sorted(Comparator.comparingLong(CascadeInspect::number))
          .toList();
    }
  }

  private static long number(Path generation) {
    return Long.parseLong(generation.getFileName().toString().replace("generation-", ""));
  }

  private static Seen look(CascadeReader reader, boolean verifies, Progress progress) {
    CascadeStatistics statistics = reader.statistics();
    List<SeenLevel> levels = new ArrayList<>();
    long entries = statistics.memoryEntries();
    for (CascadeStatistics.Level level : statistics.levels()) {
      entries += level.entries();
      levels.add(
          new SeenLevel(
              "level-" + level.file(),
              level.rank(),
              level.entries(),
              level.capacity(),
              level.fill(),
              level.pages(),
              level.bytes(),
              8.0 * level.bytes() / level.entries()));
    }
    long pages = levels.stream().mapToLong(SeenLevel::pages).sum();
    Verified verified = null;
    if (verifies) {
      progress.expect(pages);
      verified = new Verified(pages, reader.verify(progress::add));
    }
    return new Seen(
        reader.path().toString(),
        reader.keyHash().label(),
        reader.fingerprintBits(),
        reader.deletes(),
        reader.pageBytes(),
        entries,
        statistics.bytesOnFlash(),
        8.0 * statistics.bytesOnFlash() / Math.max(1, entries - statistics.memoryEntries()),
        statistics.expectedRate(),
        statistics.doubtfulShare(),
        statistics.fanOut(),
        statistics.memoryCapacity(),
        levels,
        reader.logs(),
        suited((double) entries / statistics.memoryCapacity()),
        verified);
  }

  private static List<Suited> suited(double memories) {
    List<Suited> suited = new ArrayList<>();
    for (double lookups : LOOKUPS_PER_INSERT) {
      int fanOut = CascadeMix.of(lookups).fanOut(memories);
      suited.add(
          new Suited(
              lookups,
              fanOut,
              CascadeMix.pages(fanOut, memories),
              CascadeMix.writes(fanOut, memories)));
    }
    return suited;
  }

  // ---- For people ----

  private static String text(Seen seen) {
    StringBuilder text = new StringBuilder(seen.directory).append('\n');
    line(
        text,
        "fingerprints of %d bits, keys hashed by %s, %s, pages of %,d bytes",
        seen.fingerprintBits,
        seen.keyHash,
        seen.deletes ? "deletes" : "no deletes",
        seen.pageBytes);
    line(
        text,
        "%,d entries, %,d bytes on flash, %.2f bits for each entry there",
        seen.entries,
        seen.bytesOnFlash,
        seen.bitsPerEntry);
    line(text, "false positives expected: %.3g %% of absent keys", 100 * seen.expectedRate);
    if (seen.doubtfulShare > 0) {
      line(
          text,
          "IN DOUBT since pages were lost: %.5f %% of all keys are answered \"present\";"
              + " insert all keys into a new directory",
          100 * seen.doubtfulShare);
    }
    line(
        text,
        "last written with a fan-out of %d and %,d entries in memory",
        seen.fanOut,
        seen.memoryEntries);
    text.append(levels(seen)).append(logs(seen)).append(fanOuts(seen));
    Verified verified = seen.verified;
    if (verified != null) {
      line(text, "verified: %,d pages, %,d damaged", verified.pages, verified.damaged.size());
      verified.damaged.forEach(
          damage ->
              line(text, "  page %,d of %s: %s", damage.page(), damage.file(), damage.reason()));
    }
    return text.append('\n').toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String levels(Seen seen) {
    if (seen.levels.isEmpty()) {
      return "  no levels on flash\n";
    }
    Table table =
        new Table(
            "  levels, newest first",
            "  file",
            "rank",
            "entries",
            "capacity",
            "fill",
            "pages",
            "bytes",
            "bits per entry");
    for (SeenLevel level : seen.levels) {
      table.row(
          "  " + level.file,
          Table.number(level.rank, 0),
          Table.number(level.entries, 0),
          Table.number(level.capacity, 0),
          Table.number(100 * level.fill, 1) + " %",
          Table.number(level.pages, 0),
          Table.number(level.bytes, 0),
          Table.number(level.bitsPerEntry, 2));
    }
    return table.text();
  }

  private static String logs(Seen seen) {
    if (seen.logs.isEmpty()) {
      return "  no logs: all of it is in levels\n";
    }
    Table table = new Table("  logs, oldest first", "  file", "operations", "bytes", "end");
    for (CascadeReader.Log log : seen.logs) {
      table.row(
          "  log-" + log.number(),
          Table.number(log.operations(), 0),
          Table.number(log.bytes(), 0),
          log.torn() ? "cut by a crash, or being written" : "whole");
    }
    return table.text();
  }

  private static String fanOuts(Seen seen) {
    Table table =
        new Table(
            "  fan-outs that suit a mix, with so many entries, in batches (docs/cascade.md)",
            "  lookups per insert",
            "fan-out",
            "pages per lookup",
            "writes per key");
    for (Suited suited : seen.fanOuts) {
      table.row(
          "  " + Table.exact(suited.lookupsPerInsert),
          Table.number(suited.fanOut, 0),
          Table.number(suited.pagesPerLookup, 2),
          Table.number(suited.writesPerKey, 1));
    }
    return table.text();
  }
}

package io.winnow.hbase.tools;

import io.winnow.hbase.FamilyFilters;
import io.winnow.hbase.command.Arguments;
import io.winnow.hbase.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** Which filters the files of tables have, and which their families ask for. */
final class Audit implements Tool {
  private static final int THREADS = 16;

  /** Files with the same filter of a family. */
  private static final class Group {
    final String table;
    final String family;
    final String filter;
    final String asked;
    long files;
    long fileBytes;
    long filterBytes;
    long keys;
    long notAsAsked;

    Group(String table, String family, String filter, String asked) {
      this.table = table;
      this.family = family;
      this.filter = filter;
      this.asked = asked;
    }
  }

  /** The whole, as it stands in the JSON document. */
  private static final class Outcome {
    long files;
    long filesNotAsAsked;
    long filesThatNeedTheAgent;
    long familiesThatAskForWinnow;
    boolean nothingLeft;
    final List<Group> groups = new ArrayList<>();
    final List<String> wrongSettings = new ArrayList<>();
    final List<String> unreadable = new ArrayList<>();
  }

  /** What was seen of one file. */
  private record Seen(
      String filter, long fileBytes, long filterBytes, long keys, boolean asAsked) {}

  @Override
  public String help() {
    return """
        usage: winnow audit TABLE... | --all [OPTION...]

        which filters the files of tables have, and which their families ask for

        Reads the trailer and the filter's meta block of each store file, and the tables' descriptors, under
        hbase.rootdir. No server is asked. A file that a flush or a compaction wrote since the last change of
        its family has the filter that the family asks for; the others get it when they are compacted.

          --all             all tables, HBase's own among them
          --before-removal  counts as left also what asks for a Winnow filter, or has one: before the agent is
                            taken off
          --list            names each file that has another filter than its family asks for (or that needs
                            the agent, with --before-removal)
          --json FILE       writes the outcome as JSON

        A file with a Winnow filter needs the agent: a server without it reads all rows, without the filter.
        Exit codes: 0 nothing is left, 3 something is, 1 a file could not be read, 64 wrong options.
        """;
  }

  @Override
  public int run(Configuration conf, PrintStream out, PrintStream err, String... args)
      throws IOException, InterruptedException {
    Arguments arguments =
        Arguments.parseWithOperands(
            List.of("all", "before-removal", "list"), List.of("json"), args);
    if (arguments.has("all") != arguments.operands().isEmpty()) {
      throw new IllegalArgumentException("name tables, or say --all");
    }
    List<HBaseTable> tables = new ArrayList<>();
    for (String name : arguments.operands()) {
      tables.add(HBaseTable.named(conf, name));
    }
    if (arguments.has("all")) {
      tables.addAll(HBaseTable.all(conf));
    }
    boolean isRemoval = arguments.has("before-removal");
    Outcome outcome = new Outcome();
    List<String> left = new ArrayList<>();
    try (Counting counting = Counting.of(err, "files")) {
      for (HBaseTable table : tables) {
        audit(conf, table, isRemoval, outcome, left, counting);
      }
    }
    outcome.nothingLeft =
        outcome.filesNotAsAsked == 0
            && (!isRemoval
                || (outcome.filesThatNeedTheAgent == 0 && outcome.familiesThatAskForWinnow == 0));
    out.print(text(outcome, isRemoval));
    if (arguments.has("list")) {
      left.forEach(out::println);
    }
    if (arguments.has("json")) {
      Path file = arguments.path("json");
      Files.writeString(
          file, new GsonBuilder().setPrettyPrinting().create().toJson(outcome) + "\n");
    }
    if (!outcome.unreadable.isEmpty()) {
      outcome.unreadable.forEach(line -> err.println("winnow audit: " + line));
      return FAILED;
    }
    return outcome.nothingLeft ? DONE : FOUND;
  }

  private static void audit(
      Configuration conf,
      HBaseTable table,
      boolean isRemoval,
      Outcome outcome,
      List<String> left,
      Counting counting)
      throws IOException, InterruptedException {
    Map<String, FamilyFilters> asked = new TreeMap<>();
    for (ColumnFamilyDescriptor family : table.descriptor().getColumnFamilies()) {
      FamilyFilters filters = FamilyFilters.of(conf, table.descriptor(), family);
      String name = Bytes.toStringBinary(family.getName());
      asked.put(name, filters);
      outcome.familiesThatAskForWinnow += filters.asksForWinnow() ? 1 : 0;
      if (filters.problem() != null) {
        outcome.wrongSettings.add(table.name() + ", " + name + ": " + filters.problem());
      }
    }
    Map<String, Group> groups = new TreeMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<StoreFile> files = table.files(conf);
      counting.expect(files.size());
      List<Future<Seen>> all = new ArrayList<>();
      for (StoreFile file : files) {
        FamilyFilters filters = asked.get(file.family());
        all.add(threads.submit(() -> look(conf, file, filters)));
      }
      for (int i = 0; i < files.size(); i++) {
        StoreFile file = files.get(i);
        try {
          Seen seen = all.get(i).get();
          boolean needsAgent = FamilyFilters.isWinnow(seen.filter());
          outcome.files++;
          outcome.filesNotAsAsked += seen.asAsked() ? 0 : 1;
          outcome.filesThatNeedTheAgent += needsAgent ? 1 : 0;
          if (!seen.asAsked() || (isRemoval && needsAgent)) {
            left.add(seen.filter() + " " + file.path());
          }
          FamilyFilters filters = asked.get(file.family());
          add(
              groups.computeIfAbsent(
                  file.family() + " " + seen.filter(),
                  key -> new Group(table.name(), file.family(), seen.filter(), words(filters))),
              seen);
        } catch (ExecutionException e) {
          outcome.unreadable.add(String.valueOf(e.getCause().getMessage()));
        }
        counting.add(1);
      }
    } finally {
      threads.shutdownNow();
    }
    outcome.groups.addAll(groups.values());
  }

  private static void add(Group group, Seen seen) {
    group.files++;
    group.fileBytes += seen.fileBytes();
    group.filterBytes += seen.filterBytes();
    group.keys += seen.keys();
    group.notAsAsked += seen.asAsked() ? 0 : 1;
  }

  private static Seen look(Configuration conf, StoreFile file, FamilyFilters asked)
      throws IOException {
    try (OpenFile open = OpenFile.open(conf, file.data())) {
      return new Seen(
          open.filter(),
          open.reader().length(),
          open.filterBytes(),
          open.general() == null ? 0 : open.general().keys(),
          asked == null || isAsAsked(open, asked));
    }
  }

  private static boolean isAsAsked(OpenFile file, FamilyFilters asked) throws IOException {
    if (file.cells() == 0) {
      return true; // no keys, no filter
    }
    if (file.filter().equals(FamilyFilters.NONE) && asked.mayHaveNone()) {
      return true;
    }
    return file.filter().equals(wanted(file, asked));
  }

  private static String wanted(OpenFile file, FamilyFilters asked) throws IOException {
    if (file.isOfMajorCompaction() || file.isBulkLoaded()) {
      return asked.otherwise();
    }
    return file.isOfCompaction() ? asked.minorCompaction() : asked.flush();
  }

  private static String words(FamilyFilters asked) {
    if (asked == null) {
      return "unknown";
    }
    String text = asked.otherwise();
    if (!asked.minorCompaction().equals(asked.otherwise())) {
      text += ", minor compactions " + asked.minorCompaction();
    }
    return asked.flush().equals(asked.otherwise()) ? text : text + ", flushes " + asked.flush();
  }

  private static String text(Outcome outcome, boolean isRemoval) {
    Table table =
        new Table(
            "filters",
            "table, family",
            "asks for",
            "filter",
            "files",
            "file bytes",
            "filter bytes",
            "keys",
            "not as asked");
    for (Group group : outcome.groups) {
      table.row(
          group.table + ", " + group.family,
          group.asked,
          group.filter,
          Table.number(group.files, 0),
          Table.number(group.fileBytes, 0),
          Table.number(group.filterBytes, 0),
          Table.number(group.keys, 0),
          Table.number(group.notAsAsked, 0));
    }
    StringBuilder text = new StringBuilder(table.text());
    outcome.wrongSettings.forEach(line -> text.append("wrong setting: ").append(line).append('\n'));
    text.append(
        "%,d files: %,d have another filter than their family asks for; %,d have a Winnow filter.%n"
            .formatted(outcome.files, outcome.filesNotAsAsked, outcome.filesThatNeedTheAgent));
    if (outcome.nothingLeft) {
      text.append("Nothing is left to do.\n");
    } else if (outcome.filesNotAsAsked > 0) {
      text.append("Left: major_compact these tables.\n");
    } else if (isRemoval) {
      text.append(
          "Left: alter the families to 'winnow.filter' => 'bloom', then major_compact the tables.\n");
    }
    return text.toString();
  }
}

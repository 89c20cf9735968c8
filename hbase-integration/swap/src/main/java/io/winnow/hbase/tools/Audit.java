package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.ForeignReaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which filters the files of tables have, and which their families ask for. */
@Command(name = "winnow audit")
final class Audit extends Tool {
  private static final long SECONDS_BETWEEN_LOOKS = 2;

  /** The whole, as it stands in the JSON document. */
  private static final class Outcome {
    long files;
    long fileBytes;
    long filterBytes;
    long filesNotAsAsked;
    long filesThatNeedTheAgent;
    long bytesThatNeedTheAgent;
    long familiesThatAskForWinnow;

    /** Left out of all that is counted above. */
    long filesReplaced;

    boolean nothingLeft;
    final List<TableAudit.Group> groups = new ArrayList<>();
    final List<String> wrongSettings = new ArrayList<>();
    final List<String> unreadable = new ArrayList<>();

    /** Families whose prefixes may gain nothing. */
    final List<String> foreignReaders = new ArrayList<>();

    /** With {@code --list}. */
    List<TableAudit.Left> left;
  }

  @Option(names = "--all")
  private boolean all;

  @Option(names = "--before-removal")
  private boolean isRemoval;

  @Option(names = "--list")
  private boolean lists;

  @Option(names = "--wait")
  private boolean waits;

  @Option(names = "--minutes")
  @Range(min = 1, max = 100_000)
  private long minutes = 60;

  @Parameters private List<String> names = List.of();

  @Override
  protected void check() {
    if (all != names.isEmpty()) {
      throw new IllegalArgumentException("name tables, or say --all");
    }
    if (has("minutes") && !waits) {
      throw new IllegalArgumentException("--minutes is for --wait");
    }
  }

  @Override
  int look() throws IOException, InterruptedException {
    List<TableAudit.Left> left = new ArrayList<>();
    Outcome outcome = waits ? awaited(left) : looked(left);
    out.print(text(outcome));
    if (lists) {
      outcome.left = left;
      left.forEach(
          file ->
              out.println(
                  String.format(
                      "%s (%s, %s asks for %s) %s",
                      file.filter(), file.table(), file.family(), file.asked(), file.file())));
    }
    write(outcome);
    if (!outcome.unreadable.isEmpty()) {
      outcome.unreadable.forEach(line -> err.println("winnow audit: " + line));
      return FAILED;
    }
    return outcome.nothingLeft ? DONE : FOUND;
  }

  private Outcome looked(List<TableAudit.Left> left) throws IOException, InterruptedException {
    Outcome outcome = new Outcome();
    left.clear();
    try (Crew crew = Crew.of(Crew.TO_LOOK);
        Progress counting = Progress.counting(err, "files looked at")) {
      for (HBaseTable table : tables(crew, counting)) {
        TableAudit audit = TableAudit.of(conf, table, crew, counting);
        add(audit, outcome);
        outcome.foreignReaders.addAll(ForeignReaders.withPrefixes(conf, table.descriptor()));
        left.addAll(isRemoval ? audit.needingTheAgent() : audit.notAsAsked());
      }
    }
    outcome.nothingLeft =
        outcome.unreadable.isEmpty()
            && outcome.filesNotAsAsked == 0
            && (!isRemoval
                || (outcome.filesThatNeedTheAgent == 0 && outcome.familiesThatAskForWinnow == 0));
    return outcome;
  }

  /** Looks again and again, as long as HBase has something to do, and does something. */
  private Outcome awaited(List<TableAudit.Left> left) throws IOException, InterruptedException {
    String before = "";
    long since = System.nanoTime();
    while (true) {
      Outcome outcome = looked(left);
      boolean isDone = outcome.nothingLeft && outcome.filesReplaced == 0;
      if (isDone || !outcome.unreadable.isEmpty()) {
        return outcome;
      }
      String now =
          String.format(
              Locale.ROOT,
              "%s to compact, %s to remove",
              Table.counted(outcome.filesNotAsAsked, "file"),
              Table.counted(outcome.filesReplaced, "file"));
      if (!now.equals(before)) {
        err.println("waiting for HBase: " + now);
        before = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > TimeUnit.MINUTES.toNanos(minutes)) {
        err.println("winnow audit: HBase changed nothing for " + Table.counted(minutes, "minute"));
        return outcome;
      }
      TimeUnit.SECONDS.sleep(SECONDS_BETWEEN_LOOKS);
    }
  }

  private List<HBaseTable> tables(Crew crew, Progress counting)
      throws IOException, InterruptedException {
    if (all) {
      return HBaseTable.all(conf, crew, counting);
    }
    List<HBaseTable> tables = new ArrayList<>();
    for (String name : new LinkedHashSet<>(names)) {
      tables.add(HBaseTable.named(conf, name));
    }
    return tables;
  }

  private static void add(TableAudit audit, Outcome outcome) {
    outcome.filesNotAsAsked += audit.notAsAsked().size();
    outcome.filesThatNeedTheAgent += audit.needingTheAgent().size();
    outcome.filesReplaced += audit.replaced();
    outcome.groups.addAll(audit.groups());
    outcome.unreadable.addAll(audit.unreadable());
    for (TableAudit.Group group : audit.groups()) {
      outcome.files += group.files;
      outcome.fileBytes += group.fileBytes;
      outcome.filterBytes += group.filterBytes;
      outcome.bytesThatNeedTheAgent += group.filterlessWithoutAgent > 0 ? group.fileBytes : 0;
    }
    audit
        .asked()
        .forEach(
            (family, filters) -> {
              outcome.familiesThatAskForWinnow += filters.asksForWinnow() ? 1 : 0;
              if (filters.problem() != null) {
                outcome.wrongSettings.add(
                    audit.table().name() + ", " + family + ": " + filters.problem());
              }
            });
  }

  private String text(Outcome outcome) {
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
            "not as asked",
            "filterless without the agent");
    for (TableAudit.Group group : outcome.groups) {
      table.row(
          group.table + ", " + group.family,
          group.asked,
          group.filter,
          Table.number(group.files, 0),
          Table.number(group.fileBytes, 0),
          Table.number(group.filterBytes, 0),
          Table.number(group.keys, 0),
          Table.number(group.notAsAsked, 0),
          Table.number(group.filterlessWithoutAgent, 0));
    }
    StringBuilder text = new StringBuilder(answer(outcome)).append('\n');
    if (outcome.filesReplaced > 0) {
      text.append(Table.counted(outcome.filesReplaced, "more file"))
          .append(outcome.filesReplaced == 1 ? " was" : " were")
          .append(" compacted already: HBase removes ")
          .append(outcome.filesReplaced == 1 ? "it" : "them")
          .append(" soon.\n");
    }
    if (outcome.filesThatNeedTheAgent > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "Without the agent, a server reads %s, of %,d bytes, without %s.%n",
              Table.counted(outcome.filesThatNeedTheAgent, "file"),
              outcome.bytesThatNeedTheAgent,
              outcome.filesThatNeedTheAgent == 1 ? "its filter" : "their filters"));
    }
    outcome.foreignReaders.forEach(line -> text.append(line).append('\n'));
    outcome.wrongSettings.forEach(line -> text.append("wrong setting: ").append(line).append('\n'));
    return text.append(table.isEmpty() ? "" : table.text()).toString();
  }

  /** Whether something is left to do, and how to do it. */
  private String answer(Outcome outcome) {
    if (!outcome.unreadable.isEmpty()) {
      return Table.counted(outcome.unreadable.size(), "file")
          + " could not be read: nobody knows which filters "
          + (outcome.unreadable.size() == 1 ? "it has." : "they have.");
    }
    if (outcome.filesNotAsAsked > 0) {
      StringBuilder text =
          new StringBuilder(
              String.format(
                  Locale.ROOT,
                  "%,d of %s %s another filter than asked for. In the HBase shell:",
                  outcome.filesNotAsAsked,
                  Table.counted(outcome.files, "file"),
                  outcome.filesNotAsAsked == 1 ? "has" : "have"));
      outcome.groups.stream()
          .filter(group -> group.notAsAsked > 0)
          .map(group -> group.table)
          .distinct()
          .forEach(table -> text.append("\n  major_compact '").append(table).append("'"));
      return text.toString();
    }
    if (!outcome.nothingLeft) {
      return "Winnow's filters are still asked for: alter the families to 'winnow.filter' =>"
          + " 'bloom', then major_compact the tables.";
    }
    return "Nothing is left to do: "
        + (isRemoval
            ? "no family asks for a Winnow filter, and no file has one."
            : outcome.files == 0
                ? "there are no files."
                : "each file has the filter that its family asks for.");
  }
}

package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.ForeignReaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code audit}: reports the filters that the files of tables have, and the filters
 * that the settings of their families select.
 */
@Command(name = "winnow audit")
final class Audit extends Tool {
  private static final long SECONDS_BETWEEN_AUDITS = 2;

  /** Findings of the command {@code audit}, as they stand in its JSON document. */
  private static final class Outcome {
    long files;
    long fileBytes;
    long filterBytes;
    long filesNotAsAsked;
    long filesThatNeedTheAgent;
    long bytesThatNeedTheAgent;
    long familiesThatAskForWinnow;

    /**
     * Number of store files that a compaction replaced and HBase has not removed yet. No other
     * number of this document counts them.
     */
    long filesReplaced;

    boolean nothingLeft;
    final List<TableAudit.Group> groups = new ArrayList<>();
    final List<String> wrongSettings = new ArrayList<>();
    final List<String> settingsInMetadata = new ArrayList<>();

    /**
     * Sentences on families that select a filter and get none, each with the reason and the line
     * for the HBase shell that changes it.
     */
    final List<String> withoutFilter = new ArrayList<>();

    /** Lines for the HBase shell after which no family selects a Winnow filter. */
    final List<String> alters = new ArrayList<>();

    /** True if a family selects a Winnow filter because hbase-site.xml does. */
    transient boolean siteAsks;

    final List<String> unreadable = new ArrayList<>();

    /**
     * Sentences on families in which prefixes of rows or key segments gain nothing, each with the
     * line for the HBase shell that removes them.
     */
    final List<String> foreignReaders = new ArrayList<>();

    /**
     * Store files that a compaction or {@code convert} must still rewrite; null without {@code
     * --list}.
     */
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
  int execute() throws IOException, InterruptedException {
    List<TableAudit.Left> left = new ArrayList<>();
    Outcome outcome = waits ? auditUntilDone(left) : auditOnce(left);
    out.print(text(outcome));
    if (lists) {
      outcome.left = left;
      left.forEach(
          file ->
              out.println(
                  String.format(
                      "%s (%s, %s asks for %s) %s",
                      file.filter, file.table, file.family, file.asked, file.file)));
    }
    write(outcome);
    if (!outcome.unreadable.isEmpty()) {
      outcome.unreadable.forEach(line -> err.println("winnow audit: " + line));
      return FAILED;
    }
    return outcome.nothingLeft ? DONE : FOUND;
  }

  private Outcome auditOnce(List<TableAudit.Left> left) throws IOException, InterruptedException {
    Outcome outcome = new Outcome();
    left.clear();
    try (Crew crew = new Crew(Crew.FOR_META_READS);
        Progress counting = Progress.counting(err, "files opened")) {
      for (HBaseTable table : tables(crew, counting)) {
        TableAudit audit = TableAudit.of(conf, table, crew, counting);
        add(audit, outcome);
        for (ForeignReaders.Useless found : ForeignReaders.withPrefixes(conf, table.descriptor)) {
          Map<String, String> none = new LinkedHashMap<>();
          found.keys.forEach(key -> none.put(key, PrefixRule.NO_RULE));
          String alter = audit.alters.get(found.family).line(none);
          outcome.foreignReaders.add(found.sentence + ": " + alter);
        }
        left.addAll(isRemoval ? audit.needingTheAgent : audit.notAsAsked);
      }
    }
    outcome.nothingLeft =
        outcome.unreadable.isEmpty()
            && outcome.filesNotAsAsked == 0
            && (isRemoval
                ? outcome.filesThatNeedTheAgent == 0 && outcome.familiesThatAskForWinnow == 0
                : outcome.withoutFilter.isEmpty());
    return outcome;
  }

  /**
   * Repeats the audit of tables until HBase has nothing left to compact or to remove, or until
   * nothing has changed for {@code --minutes}.
   */
  private Outcome auditUntilDone(List<TableAudit.Left> left)
      throws IOException, InterruptedException {
    String before = "";
    long since = System.nanoTime();
    while (true) {
      Outcome outcome = auditOnce(left);
      boolean isDone = outcome.filesNotAsAsked == 0 && outcome.filesReplaced == 0;
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
      TimeUnit.SECONDS.sleep(SECONDS_BETWEEN_AUDITS);
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
    outcome.filesNotAsAsked += audit.notAsAsked.size();
    outcome.filesThatNeedTheAgent += audit.needingTheAgent.size();
    outcome.filesReplaced += audit.replaced;
    outcome.groups.addAll(audit.groups());
    outcome.unreadable.addAll(audit.unreadable);
    outcome.settingsInMetadata.addAll(audit.inMetadata);
    for (TableAudit.Group group : audit.groups()) {
      outcome.files += group.files;
      outcome.fileBytes += group.fileBytes;
      outcome.filterBytes += group.filterBytes;
      outcome.bytesThatNeedTheAgent += group.filterlessWithoutAgent > 0 ? group.fileBytes : 0;
    }
    audit.familyFilters.forEach(
        (family, filters) -> {
          Alter alter = audit.alters.get(family);
          String label = audit.table.name() + ", " + family + ": ";
          if (filters.asksForWinnow()) {
            outcome.familiesThatAskForWinnow++;
            outcome.alters.add(alter.lineToStock());
            String place = audit.places.get(family);
            outcome.siteAsks |= FamilyConfiguration.SITE.equals(place);
          }
          if (filters.lack != null) {
            outcome.withoutFilter.add(label + filters.lack + ": " + alter.lineWithRow(Map.of()));
          }
          if (filters.problem != null) {
            outcome.wrongSettings.add(
                label + filters.problem + ": " + alter.removal(filters.wrongKey));
          }
        });
  }

  private String text(Outcome outcome) {
    Table table =
        new Table(
            "filters",
            "table, family",
            "asks for",
            "set in",
            "filter",
            "files",
            "file bytes",
            "filter bytes",
            "keys",
            "not as asked",
            "filterless without the agent",
            "why their rates");
    for (TableAudit.Group group : outcome.groups) {
      table.row(
          group.table + ", " + group.family,
          group.asked,
          group.setIn == null ? "-" : group.setIn,
          group.filter,
          Table.number(group.files, 0),
          Table.number(group.fileBytes, 0),
          Table.number(group.filterBytes, 0),
          Table.number(group.keys, 0),
          Table.number(group.notAsAsked, 0),
          Table.number(group.filterlessWithoutAgent, 0),
          group.whyTheirRates.entrySet().stream()
              .map(reason -> reason.getKey() + " " + reason.getValue())
              .collect(Collectors.joining(", ")));
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
    outcome.settingsInMetadata.forEach(line -> text.append(line).append('\n'));
    return text.append(table.isEmpty() ? "" : table.text()).toString();
  }

  /** Returns the sentences that say which files must still be rewritten and how to do that. */
  private String answer(Outcome outcome) {
    List<String> parts = new ArrayList<>();
    if (isRemoval && outcome.familiesThatAskForWinnow > 0) {
      parts.add(
          String.format(
              Locale.ROOT,
              "%,d %s for a Winnow filter. In the HBase shell:%s%s",
              outcome.familiesThatAskForWinnow,
              outcome.familiesThatAskForWinnow == 1 ? "family still asks" : "families still ask",
              lines(outcome.alters.stream()),
              outcome.siteAsks ? "\nAlso remove winnow.filter from hbase-site.xml." : ""));
    }
    if (!outcome.unreadable.isEmpty()) {
      parts.add(
          Table.counted(outcome.unreadable.size(), "file")
              + " could not be read: "
              + (outcome.unreadable.size() == 1 ? "its" : "their")
              + " filters are unknown.");
      return String.join("\n", parts);
    }
    if (!isRemoval && !outcome.withoutFilter.isEmpty()) {
      parts.addAll(outcome.withoutFilter);
    }
    if (isRemoval && outcome.filesThatNeedTheAgent > 0) {
      parts.add(
          String.format(
              Locale.ROOT,
              "%,d of %s %s a Winnow filter. %s:%s",
              outcome.filesThatNeedTheAgent,
              Table.counted(outcome.files, "file"),
              outcome.filesThatNeedTheAgent == 1 ? "has" : "have",
              parts.isEmpty() ? "In the HBase shell" : "Then",
              compactions(
                  outcome,
                  group ->
                      group.filterlessWithoutAgent > 0
                          || outcome.familiesThatAskForWinnow == 0 && group.notAsAsked > 0)));
    } else if (outcome.filesNotAsAsked > 0
        && !(isRemoval && outcome.familiesThatAskForWinnow > 0)) {
      parts.add(
          String.format(
              Locale.ROOT,
              "%,d of %s %s another filter than asked for. In the HBase shell:%s",
              outcome.filesNotAsAsked,
              Table.counted(outcome.files, "file"),
              outcome.filesNotAsAsked == 1 ? "has" : "have",
              compactions(outcome, group -> group.notAsAsked > 0)));
    }
    if (!parts.isEmpty()) {
      return String.join("\n", parts);
    }
    return "Nothing is left to do: "
        + (isRemoval
            ? "no family asks for a Winnow filter, and no file has one."
            : outcome.files == 0
                ? "there are no files."
                : "each file has the filter that its family asks for.");
  }

  private static String compactions(Outcome outcome, Predicate<TableAudit.Group> isLeft) {
    return lines(
        outcome.groups.stream()
            .filter(isLeft)
            .map(group -> "major_compact '" + group.table + "'")
            .distinct());
  }

  private static String lines(Stream<String> lines) {
    return lines.map(line -> "\n  " + line).collect(Collectors.joining());
  }
}

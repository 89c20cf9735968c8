package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.FamilyFilters;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The command {@code plan}: reports the steps that bring Winnow's filters to a table, or remove
 * them, from the present state of the table.
 */
@Command(name = "winnow plan")
final class Plan extends Tool {
  private static final String RECOMMENDED = "bumped-ribbon";

  /**
   * Step of a roll-out or a roll-back of Winnow's filters, as it stands in the JSON document of
   * {@code plan}. The command may be a line of a server's log to wait for.
   */
  private static final class Step {
    final String does;
    final String command;

    Step(String does, String command) {
      this.does = does;
      this.command = command;
    }
  }

  /** State of a table and the steps to take, as they stand in the JSON document of {@code plan}. */
  private static final class Outcome {
    String table;
    String direction;
    List<TableAudit.Group> groups;
    List<String> wrongSettings = new ArrayList<>();
    List<String> settingsInMetadata;
    List<String> unreadable;
    List<Step> steps = new ArrayList<>();
  }

  private final Outcome outcome = new Outcome();

  @Parameters private List<String> operands = List.of();

  @Override
  protected void check() {
    if (operands.size() != 2 || !List.of("roll-out", "roll-back").contains(operands.get(0))) {
      throw new IllegalArgumentException("say roll-out or roll-back, and name a table");
    }
  }

  @Override
  int execute() throws IOException, InterruptedException {
    HBaseTable table = HBaseTable.named(conf, operands.get(1));
    TableAudit audit;
    try (Crew crew = new Crew(Crew.FOR_META_READS);
        Progress counting = Progress.counting(err, "files opened")) {
      audit = TableAudit.of(conf, table, crew, counting);
    }
    outcome.table = table.name();
    outcome.direction = operands.get(0);
    outcome.groups = audit.groups();
    outcome.unreadable = audit.unreadable;
    outcome.settingsInMetadata = audit.inMetadata;
    reportState(audit);
    fixSettings(audit);
    if (operands.get(0).equals("roll-out")) {
      rollOut(audit);
    } else {
      rollBack(audit);
    }
    write(outcome);
    if (!audit.unreadable.isEmpty()) {
      audit.unreadable.forEach(line -> err.println("winnow plan: " + line));
      return FAILED;
    }
    return DONE;
  }

  private void reportState(TableAudit audit) {
    out.println("Table " + audit.table.name() + " now:");
    audit.familyFilters.forEach(
        (family, filters) ->
            out.println(
                "  family "
                    + family
                    + " asks for "
                    + filters.inWords()
                    + place(audit.places.get(family))
                    + (filters.problem == null ? "" : ", as " + filters.problem)
                    + (filters.lack == null ? "" : ": " + filters.lack)));
    for (TableAudit.Group group : audit.groups()) {
      out.printf(
          Locale.ROOT,
          "  family %s: %s, %,d bytes, %s%n",
          group.family,
          Table.counted(group.files, "file"),
          group.fileBytes,
          group.filter.equals(FamilyFilters.NONE)
              ? "without filters"
              : String.format(
                  Locale.ROOT, "with %s filters of %,d bytes", group.filter, group.filterBytes));
    }
    audit.inMetadata.forEach(line -> out.println("  " + line));
    out.println();
  }

  private static String place(String place) {
    return place == null ? "" : ", set in " + place;
  }

  /**
   * Adds a step to correct each wrong setting of the table's families. Such a family gets HBase's
   * own filters, whatever else is altered.
   */
  private void fixSettings(TableAudit audit) {
    audit.familyFilters.forEach(
        (family, filters) -> {
          if (filters.problem != null) {
            outcome.wrongSettings.add(family + ": " + filters.problem);
            step(
                "In the HBase shell, as " + filters.problem + ":",
                audit.alters.get(family).removal(filters.wrongKey));
          }
        });
  }

  private void rollOut(TableAudit audit) {
    String name = audit.table.name();
    step("See what it saves:", "hbase io.winnow.hbase.tools.Winnow advise '" + name + "'");
    step(
        "Give the agent to every master, region server and tool, and restart them one after the"
            + " other (docs/roll-out.md). Each says at its start:",
        "Winnow: INFO: version ... is active in HBase ...");
    boolean any = false;
    for (Map.Entry<String, FamilyFilters> family : audit.familyFilters.entrySet()) {
      Alter alter = audit.alters.get(family.getKey());
      Map<String, String> recommended = Map.of(Setting.FILTER.key, RECOMMENDED);
      if (family.getValue().lack != null) {
        any = true;
        step(
            String.format(
                "In the HBase shell, for family %s: %s:", family.getKey(), family.getValue().lack),
            alter.lineWithRow(recommended));
      } else if (family.getValue().otherwise.equals(FamilyFilters.NONE)) {
        out.println(
            "   Family "
                + family.getKey()
                + " has BLOOMFILTER => 'NONE': it has no filters, and keeps none.");
      } else if (family.getValue().otherwise.equals(RECOMMENDED)) {
        out.println("   Family " + family.getKey() + " asks for " + RECOMMENDED + " already.");
      } else {
        any = true;
        step("In the HBase shell, for family " + family.getKey() + ":", alter.line(recommended));
      }
    }
    boolean hasFiles = !audit.groups().isEmpty();
    if (hasFiles && (any || !audit.notAsAsked.isEmpty())) {
      step(
          "New files have the filter from now on. To bring it to the old ones, when the cluster has"
              + " time to write "
              + size(audit)
              + ":",
          "major_compact '" + name + "'");
    }
    step(
        "See that all is done (exit code 0):",
        "hbase io.winnow.hbase.tools.Winnow audit '" + name + "'");
  }

  private void rollBack(TableAudit audit) {
    String name = audit.table.name();
    boolean asks = false;
    for (Map.Entry<String, FamilyFilters> family : audit.familyFilters.entrySet()) {
      if (family.getValue().asksForWinnow()) {
        asks = true;
        step(
            "In the HBase shell, for family " + family.getKey() + ":",
            audit.alters.get(family.getKey()).lineToStock());
      }
    }
    if (asks || !audit.needingTheAgent.isEmpty()) {
      step(
          "New files have HBase's own filter from now on. To bring it to the old ones, when the"
              + " cluster has time to write "
              + size(audit)
              + ":",
          "major_compact '" + name + "'");
    } else {
      out.println("No family asks for a Winnow filter, and no file has one.");
    }
    step(
        "See that nothing is left (exit code 0):",
        "hbase io.winnow.hbase.tools.Winnow audit --before-removal '" + name + "'");
    step(
        "The same for all tables, before the agent is taken off. Snapshots and archived files keep"
            + " their filters; a server without the agent reads them without:",
        "hbase io.winnow.hbase.tools.Winnow audit --before-removal --all");
  }

  private static String size(TableAudit audit) {
    long bytes = audit.groups().stream().mapToLong(group -> group.fileBytes).sum();
    return bytes < 1e9
        ? String.format(Locale.ROOT, "%,.0f MB", Math.max(1, bytes / 1e6))
        : String.format(Locale.ROOT, "%,.1f GB", bytes / 1e9);
  }

  private void step(String words, String command) {
    outcome.steps.add(new Step(words, command));
    out.printf("%d. %s%n   %s%n", outcome.steps.size(), words, command);
  }
}

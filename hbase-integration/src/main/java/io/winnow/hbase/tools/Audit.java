package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** Which filters the files of tables have, and which their families ask for. */
final class Audit implements Tool {
  /** The whole, as it stands in the JSON document. */
  private static final class Outcome {
    long files;
    long filesNotAsAsked;
    long filesThatNeedTheAgent;
    long familiesThatAskForWinnow;
    boolean nothingLeft;
    final List<TableAudit.Group> groups = new ArrayList<>();
    final List<String> wrongSettings = new ArrayList<>();
    final List<String> unreadable = new ArrayList<>();
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
    List<TableAudit.Left> left = new ArrayList<>();
    try (Counting counting = Counting.of(err, "files")) {
      for (HBaseTable table : tables) {
        TableAudit audit = TableAudit.of(conf, table, counting);
        add(audit, outcome);
        left.addAll(isRemoval ? audit.needingTheAgent() : audit.notAsAsked());
      }
    }
    outcome.nothingLeft =
        outcome.filesNotAsAsked == 0
            && (!isRemoval
                || (outcome.filesThatNeedTheAgent == 0 && outcome.familiesThatAskForWinnow == 0));
    out.print(text(outcome));
    if (arguments.has("list")) {
      left.forEach(file -> out.println(file.filter() + " " + file.path()));
    }
    if (arguments.has("json")) {
      Files.writeString(
          arguments.path("json"),
          new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(outcome)
              + "\n");
    }
    if (!outcome.unreadable.isEmpty()) {
      outcome.unreadable.forEach(line -> err.println("winnow audit: " + line));
      return FAILED;
    }
    return outcome.nothingLeft ? DONE : FOUND;
  }

  private static void add(TableAudit audit, Outcome outcome) {
    outcome.files += audit.files();
    outcome.filesNotAsAsked += audit.notAsAsked().size();
    outcome.filesThatNeedTheAgent += audit.needingTheAgent().size();
    outcome.groups.addAll(audit.groups());
    outcome.unreadable.addAll(audit.unreadable());
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

  private static String text(Outcome outcome) {
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
    for (TableAudit.Group group : outcome.groups) {
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
    } else {
      text.append(
          "Left: alter the families to 'winnow.filter' => 'bloom', then major_compact the tables.\n");
    }
    return text.toString();
  }
}

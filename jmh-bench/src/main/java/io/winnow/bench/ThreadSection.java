package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** What a question costs when several threads ask. */
final class ThreadSection {
  private ThreadSection() {}

  static Section of(Results results) {
    Section section =
        new Section(
            "Threads that ask the same file",
            """
            CPU time per question, in nanoseconds, when so many threads ask the filter of one store file, all
            of it in the block cache; half of the rows are present. A counter that all threads write would
            make it rise with the threads. *Running* is how many threads ran at the same time, on average.
            """);
    Table table =
        new Table("a question, ns of CPU", "", "threads", "ns", "to one thread", "running");
    for (String filter : results.values(ThreadCost.NAME, "filter")) {
      OptionalDouble one = median(results, ThreadCost.CPU, filter, "1");
      for (String threads : results.values(ThreadCost.NAME, "threads")) {
        OptionalDouble time = median(results, ThreadCost.CPU, filter, threads);
        table.row(
            filter,
            threads,
            Table.number(time, 0),
            Table.number(Table.divided(time, one), 2),
            Table.number(median(results, ThreadCost.RUNNING, filter, threads), 1));
      }
    }
    section.add(table);
    return section;
  }

  private static OptionalDouble median(
      Results results, String metric, String filter, String threads) {
    return results.median(ThreadCost.NAME, metric, "filter", filter, "threads", threads);
  }
}

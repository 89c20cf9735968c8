package io.winnow.ycsb;

import io.winnow.hbase.contest.Case;
import io.winnow.hbase.contest.Contest;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;

/** The servers, tables and contest that all measurements of a run share. */
final class Workbench implements Closeable {
  /** Approximate seconds of a restart of the servers. */
  static final double RESTART_SECONDS = 20;

  /**
   * Number of rounds that are compared with as many earlier ones, to detect that the JIT has
   * compiled the servers' code. After a restart rounds do not count until rows per second of the
   * servers' CPU time no longer rise.
   */
  static final int FIRST_ROUNDS_COMPARED = 2;

  /**
   * Maximum number of rounds after a restart of the servers that do not count; the results record
   * whether it was reached.
   */
  static final int MAX_FIRST_ROUNDS = 12;

  final Ycsb options;
  final Deployment deployment;
  final RunTables tables;
  final Contest contest;
  final PrintStream out;

  /** The sizes of the servers' block caches, summed up; {@code null} before they were set. */
  ServerCache cache;

  private boolean codeIsWarm;

  Workbench(Ycsb options, Deployment deployment, Contest contest, PrintStream out) {
    this.options = options;
    this.deployment = deployment;
    this.tables = new RunTables(deployment, contest.progress(), out);
    this.contest = contest;
    this.out = out;
  }

  /**
   * Sets the sizes of the servers' block caches; restarts the servers if the sizes differ from
   * before.
   */
  void setCache(ServerCache wanted) throws IOException, InterruptedException {
    if (wanted.equals(cache)) {
      return;
    }
    deployment.restart(wanted.of(deployment.size()));
    cache = wanted;
    codeIsWarm = false;
    contest.progress().step(RESTART_SECONDS, "restart", wanted.text());
  }

  /** Runs rounds of a case that do not count, unless the JIT has compiled the servers' code. */
  void warmCode(Case<?> one) throws IOException, InterruptedException {
    if (!codeIsWarm) {
      contest.warmUp(one, FIRST_ROUNDS_COMPARED, MAX_FIRST_ROUNDS);
      codeIsWarm = true;
    }
  }

  @Override
  public void close() {
    tables.close();
  }
}

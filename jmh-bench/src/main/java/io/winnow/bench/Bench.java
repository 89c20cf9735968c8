package io.winnow.bench;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow bench}: runs all benchmarks or a part, prints tables and writes
 * plots; or writes {@code docs/benchmarks.md} from earlier results.
 */
@Command(name = "winnow bench")
public final class Bench extends BenchCommand {
  private static final String[] PARTS = {
    HeatPlan.LINDORM,
    HeatPlan.PEERS,
    HeatPlan.KERNELS,
    WritePath.NAME,
    QueryBench.NAME,
    Quotients.NAME,
    Space.NAME,
    ChunkRates.NAME
  };

  /** The option for a full run, which is the default and needs no option. */
  @Option(names = "--full")
  private boolean full;

  Bench(Path home) {
    super(home, "benchmarks", "", PARTS);
  }

  public static void main(String[] arguments) {
    main(() -> new Bench(home()), arguments);
  }

  @Override
  protected void check() {
    super.check();
    exclude("quick", "full");
  }

  @Override
  protected Part part(String name, Run run) {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    return switch (name) {
      case WritePath.NAME -> new WritePath(effort, run);
      case QueryBench.NAME -> new QueryBench(effort, run);
      case Quotients.NAME -> new Quotients(effort, run);
      case Space.NAME -> new Space(effort, run);
      case ChunkRates.NAME -> new ChunkRates(effort, run);
      default -> new JmhRuns(name, effort, run);
    };
  }

  @Override
  public String variant() {
    return (quick ? "_quick" : "") + partsSuffix();
  }
}

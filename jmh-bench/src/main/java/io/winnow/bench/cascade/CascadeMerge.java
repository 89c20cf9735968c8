package io.winnow.bench.cascade;

import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeReader;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.cascade.CascadeUnion;
import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.command.Help;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What {@code ./winnow cascade merge} runs: makes one directory of several cascade filters'
 * directories, which it only reads.
 */
public final class CascadeMerge {
  private static final int FAILED = 1;

  /** Pages were damaged, and what they had is in doubt. */
  private static final int FOUND = 3;

  private static final int WRONG_USAGE = 64;

  private CascadeMerge() {}

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(run(arguments, System.out, System.err));
  }

  /** The exit code. */
  static int run(String[] words, PrintStream out, PrintStream err) {
    List<Path> sources;
    Path target;
    try {
      Arguments arguments = Arguments.parseWithOperands(List.of(), List.of("into"), words);
      if (arguments.has("help")) {
        out.println(Help.of("cascade"));
        return 0;
      }
      sources = arguments.operands().stream().map(Path::of).toList();
      target = arguments.path("into");
      if (sources.isEmpty()) {
        throw new IllegalArgumentException("name the directories of cascade filters");
      }
      if (target == null) {
        throw new IllegalArgumentException("--into says which directory to make");
      }
    } catch (IllegalArgumentException e) {
      err.println("winnow cascade merge: " + e.getMessage() + "\n" + Help.of("cascade"));
      return WRONG_USAGE;
    }
    try {
      check(sources, target);
      return merge(sources, target, out, err);
    } catch (IOException | IllegalArgumentException e) { // which FilterFormatException is
      err.println("winnow cascade merge: " + UserFiles.sentence(e));
      return FAILED;
    }
  }

  /** Each source counts once, and nothing is written into one of them. */
  private static void check(List<Path> sources, Path target) throws IOException {
    Path realTarget = real(target);
    List<Path> seen = new ArrayList<>();
    for (Path source : sources) {
      if (!Files.isDirectory(source)) {
        throw new NotDirectoryException(source.toString());
      }
      if (Files.exists(source.resolve("WINDOW"))) {
        throw new IOException(source + " is a window: name its generations");
      }
      Path real = source.toRealPath();
      if (seen.contains(real)) {
        throw new IOException(source + " is named twice, and its keys would count twice");
      }
      if (realTarget.startsWith(real)) {
        throw new IOException(target + " is in " + source + ", which is only to be read");
      }
      seen.add(real);
    }
  }

  /** Behind all links, of a path that need not be there. */
  private static Path real(Path path) throws IOException {
    Path there = path;
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    return there.toRealPath().resolve(there.relativize(path)).normalize();
  }

  private static int merge(List<Path> sources, Path target, PrintStream out, PrintStream err)
      throws IOException {
    List<CascadeReader> readers = new ArrayList<>();
    long before = 0;
    try (Progress progress = Progress.counting(err, "entries")) {
      for (Path source : sources) {
        CascadeReader reader = CascadeReader.open(source);
        readers.add(reader);
        before += entries(reader);
      }
      boolean twice = readers.get(0).deletes() && readers.size() > 1; // each, and then all
      progress.expect(twice ? 2 * before : before);
      CascadeUnion.of(target, readers, CascadeOptions.defaults(), progress::add);
      return tell(target, sources.size(), before, out, progress.seconds());
    } finally {
      for (CascadeReader reader : readers) {
        reader.close();
      }
    }
  }

  private static int tell(Path target, int sources, long before, PrintStream out, double seconds)
      throws IOException {
    try (CascadeReader made = CascadeReader.open(target)) {
      CascadeStatistics now = made.statistics();
      out.printf(
          Locale.ROOT,
          "%s: %,d entries, of %,d in %,d directories; %,d bytes; %.1f s%n"
              + "  false positives expected: %.3g %% of absent keys%n",
          target,
          entries(made),
          before,
          sources,
          now.bytesOnFlash(),
          seconds,
          100 * now.expectedRate());
      if (now.doubtfulShare() == 0) {
        return 0;
      }
      out.printf(
          Locale.ROOT,
          "  IN DOUBT since pages were lost: %.5f %% of all keys are answered \"present\";"
              + " insert all keys into a new directory%n",
          100 * now.doubtfulShare());
      return FOUND;
    }
  }

  private static long entries(CascadeReader reader) {
    CascadeStatistics statistics = reader.statistics();
    return statistics.memoryEntries()
        + statistics.levels().stream().mapToLong(CascadeStatistics.Level::entries).sum();
  }
}

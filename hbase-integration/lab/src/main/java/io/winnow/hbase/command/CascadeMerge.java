package io.winnow.hbase.command;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeReader;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.cascade.CascadeUnion;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow cascade merge}: merges the directories of several cascade filters
 * into a new one. The source directories are only read.
 */
@Command(name = "winnow cascade merge")
public final class CascadeMerge extends Program {
  /**
   * Exit code if a merge of cascade filters found damaged pages, so it is not known which keys
   * these pages had.
   */
  private static final int FOUND = 3;

  @Parameters private List<String> named = List.of();

  @Option(names = "--into")
  private Path target;

  private List<Path> sources;

  public static void main(String[] arguments) {
    main(CascadeMerge::new, arguments);
  }

  @Override
  protected void check() {
    sources = named.stream().map(Path::of).toList();
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("name the directories of cascade filters");
    }
    if (target == null) {
      throw new IllegalArgumentException("--into must name the directory to make");
    }
  }

  @Override
  protected int work() throws IOException {
    checkDirectories();
    return merge();
  }

  /**
   * Checks that each cascade filter to merge is named only once and that the target is not inside
   * one of them.
   */
  private void checkDirectories() throws IOException {
    Path realTarget = real(target);
    List<Path> seen = new ArrayList<>();
    for (Path source : sources) {
      if (!Files.isDirectory(source)) {
        throw new NotDirectoryException(source.toString());
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

  /** Returns a file's absolute path with all links resolved. The path itself need not exist. */
  private static Path real(Path path) throws IOException {
    Path there = path;
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    return there.toRealPath().resolve(there.relativize(path)).normalize();
  }

  private int merge() throws IOException {
    List<CascadeReader> readers = new ArrayList<>();
    long before = 0;
    try (Progress progress = Progress.counting(err, "entries")) {
      for (Path source : sources) {
        CascadeReader reader = CascadeReader.open(source);
        readers.add(reader);
        before += entries(reader);
      }
      progress.expect(before);
      CascadeUnion.of(target, readers, CascadeOptions.defaults(), progress::add);
      return report(before, progress.seconds());
    } finally {
      for (CascadeReader reader : readers) {
        reader.close();
      }
    }
  }

  private int report(long before, double seconds) throws IOException {
    try (CascadeReader made = CascadeReader.open(target)) {
      CascadeStatistics now = made.statistics();
      out.printf(
          Locale.ROOT,
          "%s: %,d entries, of %,d in %,d directories; %,d bytes; %.1f s%n"
              + "  false positives expected: %.3g %% of absent keys%n",
          target,
          entries(made),
          before,
          sources.size(),
          now.get(CascadeCount.FLASH_BYTES),
          seconds,
          100 * now.expectedRate());
      if (now.doubtfulShare() == 0) {
        return DONE;
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
    CascadeStatistics now = reader.statistics();
    return now.get(CascadeCount.MEMORY_ENTRIES) + now.get(CascadeCount.FLASH_ENTRIES);
  }
}

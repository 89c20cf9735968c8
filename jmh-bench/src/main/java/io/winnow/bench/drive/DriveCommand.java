package io.winnow.bench.drive;

import io.winnow.bench.BenchCommand;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The common part of the commands that measure structures on a drive. */
abstract class DriveCommand extends BenchCommand {
  @Option(names = "--dir")
  private Path directory;

  /** The directory of the run, which is deleted afterwards. */
  Path scratch;

  /** True if reads go to the drive, past the page cache. */
  boolean direct;

  private final String name;
  private final String smaller;

  /**
   * Makes the command {@code ./winnow NAME bench}.
   *
   * @param smaller advice for the user on how to need less space
   * @param parts the parts of a whole run
   */
  DriveCommand(Path home, String name, String smaller, String... parts) {
    super(home, name + "-bench", name + "_", parts);
    this.name = name;
    this.smaller = smaller;
  }

  /** A measurement of a structure in a directory of its own. */
  interface InDirectory {
    void run(Path directory) throws IOException, InterruptedException;
  }

  /** Makes a directory, runs a measurement in it, and deletes it. */
  final void in(String ofStructure, InDirectory work) throws IOException, InterruptedException {
    Path own = Files.createDirectory(scratch.resolve(ofStructure));
    try {
      work.run(own);
    } finally {
      ScratchDirectory.delete(own);
    }
  }

  /** Returns the space in bytes that the run takes on the drive, with some room to spare. */
  abstract double neededBytes();

  @Override
  protected final String conditions() {
    return direct
        ? " I/O: direct, past the page cache."
        : " I/O: buffered, since this file system has no direct I/O: figures are those of memory.";
  }

  @Override
  protected final int measure() throws IOException, InterruptedException {
    Path parent = directory != null ? directory : home.toAbsolutePath().resolve("jmh-bench/target");
    scratch = ScratchDirectory.create(parent, name + "-bench-");
    try {
      double room = Files.getFileStore(parent).getUsableSpace();
      if (room < neededBytes()) {
        throw new IOException(
            "%s has room for %s, and this takes up to %s: choose another --dir, or %s"
                .formatted(parent, Table.size(room), Table.size(neededBytes()), smaller));
      }
      direct = Drive.isDirect(scratch);
      return super.measure();
    } finally {
      ScratchDirectory.delete(scratch);
    }
  }
}

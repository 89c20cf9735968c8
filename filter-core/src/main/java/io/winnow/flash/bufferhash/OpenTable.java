package io.winnow.flash.bufferhash;

import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** An open table: its file, its super tables and its counters, which all parts of it share. */
final class OpenTable implements Closeable {
  final Path directory;
  final Geometry geometry;
  final BufferHashOptions options;
  final BufferHashLayout layout;
  final SuperTables superTables;
  final TableFile file;
  final TableCounters counters = new TableCounters();
  final IoCounters io = new IoCounters();

  /** Nothing that is on flash is taken in yet. */
  OpenTable(
      Path directory, Geometry geometry, BufferHashOptions options, boolean direct, boolean toWrite)
      throws IOException {
    this.directory = directory;
    this.geometry = geometry;
    this.options = options;
    this.layout = new BufferHashLayout(geometry, options);
    this.superTables = new SuperTables(geometry, layout, options);
    this.file = TableFile.open(options.access, directory, geometry, direct, toWrite, io);
  }

  /** The name of a thread of this table. */
  String threadName(String what) {
    return "winnow-" + directory.getFileName() + "-" + what;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

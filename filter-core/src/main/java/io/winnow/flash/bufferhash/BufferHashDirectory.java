package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How a directory is made, and recognized.
 *
 * <p>A new one gets its manifest last: before that, nothing can have been put. While {@code
 * MANIFEST.new} is there and {@code MANIFEST} is not, it was being made, and is made anew.
 */
final class BufferHashDirectory {
  private BufferHashDirectory() {}

  /** Makes the directory, and those above it, if they are not there, safe from a power failure. */
  static void make(FileAccess access, Path path) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    Path at = path.toAbsolutePath();
    while (at != null && !Files.isDirectory(at)) {
      missing.push(at);
      at = at.getParent();
    }
    for (Path next : missing) {
      Files.createDirectories(next); // another process may be faster
      access.forceDirectory(next.getParent());
    }
  }

  /** What the directory was made with; a new one is made as the options say. */
  static Geometry readOrBegin(Path directory, BufferHashOptions options) throws IOException {
    if (Files.exists(directory.resolve(Manifest.NAME))) {
      Geometry geometry = Manifest.read(directory);
      checkOptions(directory, geometry, options);
      return geometry;
    }
    FileAccess access = options.fileAccess();
    List<String> names = access.list(directory);
    if (!names.contains(Manifest.TEMPORARY_NAME)
        && names.stream()
            .anyMatch(name -> name.equals(TableFile.NAME) || OperationLog.numberOf(name) > 0)) {
      throw new FilterFormatException(
          directory
              + " has a table or logs and no "
              + Manifest.NAME
              + ": put that back from a copy of the whole directory, or begin a new one");
    }
    Geometry geometry = BufferHashLayout.geometry(options);
    BufferHashLayout.of(geometry, options); // is there memory for it? else nothing is made
    access.delete(directory.resolve(TableFile.NAME)); // of an attempt that was cut short
    access.forceDirectory(directory);
    Manifest.prepare(access, directory, geometry);
    access.forceDirectory(directory); // it is there before the table is
    TableFile.prepare(access, directory, geometry);
    TableFile.commit(access, directory);
    Manifest.commit(access, directory);
    return geometry;
  }

  private static void checkOptions(Path directory, Geometry is, BufferHashOptions options) {
    check(directory, "byte[] keys", is.keyed() ? 1 : 0, options.keyed() ? 1 : 0);
    check(directory, "the longest key", is.maxKeyBytes(), options.maxKeyBytes());
    check(directory, "the longest value", is.maxValueBytes(), options.maxValueBytes());
    checkGiven(directory, "bytes of flash", is.flashBytes(), options.flashBytesOrZero());
    checkGiven(directory, "page size", is.pageBytes(), options.pageBytesOrZero());
    checkGiven(directory, "erase block", is.eraseBlockBytes(), options.eraseBlockBytesOrZero());
    checkGiven(directory, "super tables", is.superTables(), options.superTablesOrZero());
    int block = is.eraseBlockBytes();
    long incarnation = options.incarnationBytesOrZero();
    checkGiven(
        directory,
        "bytes of an incarnation",
        is.incarnationBytes(),
        (incarnation + block - 1) / block * block);
  }

  private static void checkGiven(Path directory, String what, long is, long given) {
    if (given != 0) {
      check(directory, what, is, given);
    }
  }

  private static void check(Path directory, String what, long is, long given) {
    if (is != given) {
      throw new IllegalArgumentException(
          directory
              + " was made with another option, "
              + what
              + ": "
              + is
              + ", and the options say "
              + given
              + ": open it with what it was made with, or begin a new one");
    }
  }

  /** Deletes what was left when it was made. */
  static void clean(FileAccess access, Path directory) throws IOException {
    access.delete(directory.resolve(Manifest.TEMPORARY_NAME));
    access.delete(directory.resolve(TableFile.TEMPORARY_NAME));
  }
}

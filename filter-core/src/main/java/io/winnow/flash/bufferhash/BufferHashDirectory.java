package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.base.Arguments;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.drive.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Creates and recognizes the directory of a BufferHash.
 *
 * <p>Its manifest has the geometry and never changes. A new directory gets it last: before that
 * nothing can have been put. If {@code MANIFEST.new} exists but {@code MANIFEST} does not, the
 * creation was interrupted and is repeated.
 */
final class BufferHashDirectory {
  static final String MANIFEST = "MANIFEST";

  /** Kind of a BufferHash's directory. */
  static final FlashDirectory.Kind KIND =
      new FlashDirectory.Kind(
          "a BufferHash", MANIFEST, BufferHashDirectory::isOurs, TableFile.REMEDY, false);

  private static final String KIND_OF_MANIFEST = "winnow-bufferhash";
  private static final int VERSION = 2;

  private BufferHashDirectory() {}

  /** Returns the text of a BufferHash's manifest, which has its geometry. */
  static String text(Geometry geometry) {
    return new TextFile.Writer(KIND_OF_MANIFEST, VERSION)
        .line("id", TextFile.hex(geometry.id))
        .line("keys", geometry.keyed ? 1 : 0)
        .line("max-key-bytes", geometry.maxKeyBytes)
        .line("max-value-bytes", geometry.maxValueBytes)
        .line("flash-bytes", geometry.flashBytes)
        .line("page-bytes", geometry.pageBytes)
        .line("erase-block-bytes", geometry.eraseBlockBytes)
        .line("incarnation-bytes", geometry.incarnationBytes)
        .line("super-tables", geometry.superTables)
        .line("incarnations", geometry.slots)
        .line("index-pages", geometry.indexPages)
        .text();
  }

  /**
   * Reads the geometry from the manifest of a BufferHash's directory.
   *
   * @throws FilterFormatException if it is damaged or of another version
   */
  static Geometry read(Path directory) throws IOException {
    return TextFile.read(
        directory.resolve(MANIFEST),
        KIND_OF_MANIFEST,
        VERSION,
        TableFile.REMEDY,
        BufferHashDirectory::parse,
        BufferHashDirectory::text);
  }

  /** Returns the geometry in the lines of a manifest. */
  private static Geometry parse(TextFile.Reader lines) {
    Geometry geometry = new Geometry();
    geometry.id = lines.id("id");
    geometry.keyed = lines.number("keys") == 1;
    geometry.maxKeyBytes = (int) lines.number("max-key-bytes");
    geometry.maxValueBytes = (int) lines.number("max-value-bytes");
    geometry.flashBytes = lines.number("flash-bytes");
    geometry.pageBytes = (int) lines.number("page-bytes");
    geometry.eraseBlockBytes = (int) lines.number("erase-block-bytes");
    geometry.incarnationBytes = (int) lines.number("incarnation-bytes");
    geometry.superTables = (int) lines.number("super-tables");
    geometry.slots = (int) lines.number("incarnations");
    geometry.indexPages = (int) lines.number("index-pages");
    return geometry.checked();
  }

  /**
   * Returns the options that a BufferHash's directory was created with, and defaults for the
   * others.
   */
  static BufferHashOptions optionsOf(Geometry geometry) {
    return BufferHashOptions.of(geometry.keyed, geometry.maxKeyBytes, geometry.maxValueBytes);
  }

  /** Reads the geometry of an existing BufferHash, or creates an empty one as the options say. */
  static Geometry readOrBegin(FlashDirectory files, BufferHashOptions options) throws IOException {
    Path directory = files.path;
    if (KIND.isIn(directory)) {
      Geometry geometry = read(directory);
      checkOptions(directory, geometry, options);
      return geometry;
    }
    FileAccess access = files.access;
    List<String> names = FlashDirectory.names(directory);
    if (!names.contains(TextFile.temporary(MANIFEST))
        && names.stream().anyMatch(name -> isOurs(name) && !isTemporary(name))) {
      throw files.damaged(directory + " has a table or logs but no " + MANIFEST, null);
    }
    Geometry geometry = BufferHashLayout.geometry(options);
    new BufferHashLayout(
        geometry, options); // throws before a file is created if memory is too small
    access.delete(directory.resolve(TableFile.NAME)); // left by an interrupted creation
    access.forceDirectory(directory);
    TextFile.prepare(access, directory, MANIFEST, text(geometry)); // must exist before the table
    TableFile.prepare(files, geometry);
    TextFile.commit(access, directory, TableFile.NAME);
    TextFile.commit(access, directory, MANIFEST);
    return geometry;
  }

  /** Returns whether a file's name is one that a BufferHash uses. */
  private static boolean isOurs(String name) {
    return RecordLog.numberOf(name) > 0 || name.equals(TableFile.NAME) || isTemporary(name);
  }

  /** Returns whether a file of this name exists only while a BufferHash is created. */
  private static boolean isTemporary(String name) {
    return name.equals(TextFile.temporary(MANIFEST)) || name.equals(TableFile.TEMPORARY_NAME);
  }

  /** Checks that the options match the geometry of an existing BufferHash. */
  private static void checkOptions(Path directory, Geometry is, BufferHashOptions options) {
    check(directory, "keys are byte[]", is.keyed, options.keyed);
    check(directory, "the longest key", is.maxKeyBytes, options.maxKeyBytes);
    check(directory, "the longest value", is.maxValueBytes, options.maxValueBytes);
    checkGiven(directory, "bytes of flash", is.flashBytes, options.flashBytes);
    checkGiven(directory, "page size", is.pageBytes, options.pageBytes);
    checkGiven(directory, "erase block", is.eraseBlockBytes, options.eraseBlockBytes);
    checkGiven(directory, "super tables", is.superTables, options.superTables);
    int block = is.eraseBlockBytes;
    long incarnation = options.incarnationBytes;
    checkGiven(
        directory,
        "bytes of an incarnation",
        is.incarnationBytes,
        (incarnation + block - 1) / block * block);
  }

  /** Checks that an option, if it was set, is the one that the BufferHash was created with. */
  private static void checkGiven(Path directory, String what, long is, long given) {
    if (given != 0) {
      check(directory, what, is, given);
    }
  }

  /**
   * Checks that an option is the one that the BufferHash was created with.
   *
   * @throws IllegalArgumentException if it differs
   */
  private static void check(Path directory, String what, Object is, Object given) {
    Arguments.check(
        is.equals(given),
        String.format(
            "%s was made with another option, %s: %s, but the given options say %s: open it"
                + " without options, or with those that it was made with, or create a new one",
            directory, what, is, given));
  }

  /**
   * Deletes files that an interrupted creation of a BufferHash left, and logs before the first one
   * that is needed.
   */
  static void clean(FlashDirectory directory, long firstLog) throws IOException {
    for (String name : FlashDirectory.names(directory.path)) {
      long log = RecordLog.numberOf(name);
      if (isTemporary(name) || log > 0 && log < firstLog) {
        directory.access.delete(directory.path.resolve(name));
      }
    }
  }
}

package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.cascade.CascadeWindow.Generation;
import io.winnow.cascade.CascadeWindow.Row;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.TextFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The generations of a window: which there are, on the drive and for who uses them, and how a
 * rotation changes that.
 *
 * <p>A rotation makes the new generation's directory, switches the {@link Named} to one that names
 * it and the oldest one no more, and deletes that. So a crash leaves one or the other, and
 * directories that are not named, which the next opening deletes. Nothing is inserted into the new
 * generation before the switch is safe.
 */
final class Generations implements Closeable {
  private static final String WHAT = "a window of cascade filters";
  private static final String PREFIX = "generation-";

  private final Path path;
  private final FileAccess access;
  private final CascadeOptions options;
  private final int most;
  private final DirectoryLock lock;

  /** One rotation, snapshot or close at a time. */
  private final Object rotating = new Object();

  /** As they are now; null when closed. */
  private volatile Row row = new Row(List.of());

  /**
   * Which generations a directory has: those from the oldest to the newest, or none if that is one
   * less. Lines of text, the last of them a checksum, switched as a {@link Manifest}.
   * Schema-critical.
   */
  static final class Named {
    static final String NAME = "WINDOW";

    private static final String KIND = "winnow-cascade-window";
    private static final int VERSION = 1;

    private final long oldest;
    private final long newest;

    Named(long oldest, long newest) {
      this.oldest = oldest;
      this.newest = newest;
    }

    long oldest() {
      return oldest;
    }

    long newest() {
      return newest;
    }

    String text() {
      return new TextFile.Writer(KIND, VERSION)
          .line("oldest", oldest)
          .line("newest", newest)
          .text();
    }

    boolean has(long number) {
      return oldest <= number && number <= newest;
    }

    /** As {@link TextFile#replace}. */
    boolean write(FileAccess access, Path directory) throws IOException {
      return TextFile.replace(access, directory, NAME, text());
    }

    static boolean isThere(Path directory) {
      return Files.exists(directory.resolve(NAME));
    }

    static Named read(Path directory) throws IOException {
      TextFile.Reader lines =
          TextFile.read(directory.resolve(NAME), KIND, VERSION, Manifest.WHAT_TO_DO);
      long oldest = lines.number("oldest", 1, Long.MAX_VALUE / 2);
      Named named = new Named(oldest, lines.number("newest", oldest - 1, Long.MAX_VALUE / 2));
      lines.checkSame(named.text());
      return named;
    }
  }

  private Generations(Path path, int most, CascadeOptions options, DirectoryLock lock) {
    this.path = path;
    this.access = options.fileAccess();
    this.options = options;
    this.most = most;
    this.lock = lock;
  }

  /**
   * Opens those that a directory names, or begins with one.
   *
   * @param most how many there are to be, from the next rotation on
   */
  static Generations open(Path directory, int most, CascadeOptions options) throws IOException {
    FlashDirectory.make(options.fileAccess(), directory, WHAT, Named.NAME, Generations::isOurs);
    DirectoryLock lock = DirectoryLock.of(directory);
    Generations opened = new Generations(directory, most, options, lock);
    try {
      opened.recover();
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      try {
        opened.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static boolean isOurs(String name) {
    return name.equals(TextFile.temporary(Named.NAME)) || TextFile.numberOf(name, PREFIX) > 0;
  }

  private void recover() throws IOException {
    Named named = Named.isThere(path) ? Named.read(path) : beginWindow();
    access.forceDirectory(path);
    for (long number = named.oldest(); number <= named.newest(); number++) {
      if (!Manifest.isThere(path(number))) {
        throw new FilterFormatException(
            path(number) + " is missing, so keys would be lost: " + Manifest.WHAT_TO_DO);
      }
    }
    clean(named);
    for (long number = named.oldest(); number <= named.newest(); number++) {
      boolean isNewest = number == named.newest();
      CascadeSet keys = isNewest ? CascadeFilter.open(path(number), options) : onFlash(number);
      change(with(new Generation(number, keys), open().generations()));
    }
    if (open().generations().isEmpty()) {
      rotate();
    }
  }

  /**
   * Deletes generations that are not named any more, or not yet. An earlier file may name them, and
   * come back with a power failure: so this one is written once more, since an fsync after one that
   * failed may do nothing.
   */
  private void clean(Named named) throws IOException {
    List<Long> left =
        access.list(path).stream()
            .map(name -> TextFile.numberOf(name, PREFIX))
            .filter(number -> number > 0 && !named.has(number))
            .collect(Collectors.toList());
    if (left.isEmpty()) {
      return;
    }
    try {
      switchTo(named);
    } catch (IOException e) {
      return; // a full drive can be read
    }
    for (long number : left) {
      delete(number);
    }
  }

  private Named beginWindow() throws IOException {
    for (String name : access.list(path)) {
      if (TextFile.numberOf(name, PREFIX) > 0) {
        throw new FilterFormatException(
            path + " has generations and no " + Named.NAME + ": " + Manifest.WHAT_TO_DO);
      }
    }
    Named nothing = new Named(1, 0);
    switchTo(nothing);
    return nothing;
  }

  /**
   * A crash may have left logs: what they have would be in memory as long as the window is open.
   */
  private CascadeReader onFlash(long number) throws IOException {
    CascadeReader reader = CascadeReader.open(path(number), options);
    if (reader.logs().stream().allMatch(log -> log.operations() == 0)) {
      return reader;
    }
    reader.close();
    try (CascadeFilter filter = CascadeFilter.open(path(number), options)) {
      filter.settle();
    }
    return CascadeReader.open(path(number), options);
  }

  private static List<Generation> with(Generation newest, List<Generation> others) {
    return Stream.concat(Stream.of(newest), others.stream()).collect(Collectors.toList());
  }

  private Path path(long number) {
    return path.resolve(PREFIX + number);
  }

  // ---- Who uses them ----

  /** The generations as they are, for who releases them. Waits for nobody. */
  Row hold() {
    Row now = open();
    while (!now.tryHold()) {
      now = open();
    }
    return now;
  }

  private Row open() {
    Row now = row;
    if (now == null) {
      throw new IllegalStateException(path + " is closed");
    }
    return now;
  }

  /**
   * Lets everybody use others from now on, or nobody any, and returns when nobody uses those of
   * before any more: then no insert is on its way into one that takes none from now on.
   */
  private void change(List<Generation> to) {
    Row was = row;
    row = to == null ? null : new Row(to);
    was.release();
    was.awaitEnd();
  }

  // ---- Rotations ----

  /** As {@link CascadeWindow#rotate}. */
  void rotate() throws IOException {
    synchronized (rotating) {
      List<Generation> now = open().generations();
      long newest = now.isEmpty() ? 1 : now.get(0).number() + 1;
      List<Generation> kept = now.subList(0, Math.min(now.size(), most - 1));
      CascadeFilter next = CascadeFilter.open(path(newest), options);
      try {
        long oldest = kept.isEmpty() ? newest : kept.get(kept.size() - 1).number();
        switchTo(new Named(oldest, newest));
      } catch (IOException | RuntimeException | Error e) {
        next.close(); // its directory stays there, empty: it may be named
        throw e;
      }
      change(with(new Generation(newest, next), kept));
      now.subList(kept.size(), now.size()).forEach(this::drop);
      settle();
    }
  }

  private void switchTo(Named next) throws IOException {
    lock.check();
    if (!next.write(access, path)) {
      throw new IOException(
          "rename or fsync in " + path + " failed: a power failure may find the rotation done");
    }
  }

  /** Nobody uses it any more, and nobody will. */
  private void drop(Generation dropped) {
    try {
      dropped.keys().close();
      delete(dropped.number());
    } catch (IOException e) {
      // a leftover, for the next opening
    }
  }

  private void delete(long number) throws IOException {
    for (String name : access.list(path(number))) {
      access.delete(path(number).resolve(name));
    }
    try {
      access.delete(path(number));
    } catch (DirectoryNotEmptyException e) {
      // somebody put a file there meanwhile: it is theirs
    }
  }

  /** Makes readers of the filters that take no inserts any more. What fails is tried next time. */
  private void settle() {
    List<Generation> now = open().generations();
    for (int i = 1; i < now.size(); i++) {
      Generation generation = now.get(i);
      CascadeFilter filter = generation.filter();
      if (filter != null) {
        try {
          filter.settle();
          CascadeReader reader = CascadeReader.open(path(generation.number()), options);
          List<Generation> next = new ArrayList<>(open().generations());
          next.set(i, new Generation(generation.number(), reader));
          change(next);
          filter.close();
        } catch (IOException | RuntimeException e) {
          // it answers as it is, and its statistics say what failed
        }
      }
    }
  }

  // ---- While it runs, and at the end ----

  /** As {@link CascadeWindow#snapshot}. */
  void snapshot(Path target) throws IOException {
    synchronized (rotating) {
      List<Generation> now = open().generations();
      FlashDirectory.make(access, target, WHAT);
      if (!access.list(target).isEmpty()) {
        throw new FileAlreadyExistsException(target.toString(), null, "it is not empty");
      }
      for (Generation generation : now) {
        generation.keys().snapshot(target.resolve(PREFIX + generation.number()));
      }
      Named file = new Named(now.get(now.size() - 1).number(), now.get(0).number());
      if (!file.write(access, target)) {
        throw new IOException(target + " cannot be made safe");
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (rotating) {
      if (row == null) {
        return;
      }
      List<Generation> last = row.generations();
      change(null);
      IOException failure = null;
      try (lock) {
        for (Generation generation : last) {
          try {
            generation.keys().close();
          } catch (IOException e) {
            failure = failure == null ? e : failure;
          }
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}

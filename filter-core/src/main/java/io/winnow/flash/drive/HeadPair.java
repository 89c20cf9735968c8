package io.winnow.flash.drive;

import io.winnow.FilterFormatException;
import io.winnow.base.Arguments;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A pair of head pages at the start of a file, of which the newer one is valid. They are written in
 * turn, so that one of them is whole after any crash. Each has a sequence number at byte 16 of its
 * payload (8 bytes), from 1: even ones in page 0, odd ones in page 1; the higher one is valid. The
 * rest of the page belongs to the structure. Schema-critical.
 *
 * <p>Not thread-safe.
 */
public final class HeadPair implements Closeable {
  /**
   * Offset in a head page of the payload's first part, which is the 16 bytes before the sequence
   * number.
   */
  public static final int FIRST = PageStore.HEADER_BYTES;

  /** Offset in a head page of the payload's second part, after the sequence number. */
  public static final int SECOND = FIRST + 24;

  private static final int VERSION = FIRST + 8;
  private static final int SEQUENCE = FIRST + 16;

  private final PageStore store;
  private final PageFrame frame;
  private long sequence;

  /**
   * Creates an object that reads and writes the pair of head pages of a store, and reads nothing
   * yet. Closing the pair closes the store.
   */
  public HeadPair(PageStore store) {
    this.store = store;
    this.frame = PageFrames.allocate(1, store.pageBytes);
  }

  /**
   * Parsed contents of the two head pages; null stands for a damaged one.
   *
   * @param <T> the content of a head
   */
  public static final class Read<T> {
    /** Content of the newer head page, or null if both are damaged. */
    public final T newer;

    /**
     * Content of the older head page, or null if one of the two is damaged: the damaged one may
     * have been newer.
     */
    public final T older;

    private Read(T newer, T older) {
      this.newer = newer;
      this.older = older;
    }
  }

  /**
   * Reads and parses the two head pages.
   *
   * @param parser returns the content of a page, of which the payload is laid out as described
   *     above, or null if it is invalid
   */
  public <T> Read<T> read(Function<ByteBuffer, T> parser) throws IOException {
    T even = read(0, parser);
    long ofEven = even == null ? 0 : sequence();
    T odd = read(1, parser);
    long ofOdd = odd == null ? 0 : sequence();
    sequence = Math.max(ofEven, ofOdd);
    return ofOdd > ofEven ? new Read<>(odd, even) : new Read<>(even, odd);
  }

  private <T> T read(int page, Function<ByteBuffer, T> parser) throws IOException {
    try {
      readChecked(page);
    } catch (DamagedPageException e) {
      return null;
    }
    return parser.apply(frame.bytes);
  }

  /**
   * Reads the two head pages of a filter, which begin with a magic number and a version, and checks
   * that they belong together.
   *
   * @param kind the kind of filter with its article, for messages
   * @param parser returns the content of a page; throws an IllegalArgumentException if it is none
   * @param same returns whether two contents are of the same filter
   * @throws FilterFormatException if the file has no valid heads of such a filter
   */
  public <T> Read<T> readFilter(
      long magic,
      int minVersion,
      int maxVersion,
      String kind,
      Function<ByteBuffer, T> parser,
      BiPredicate<T, T> same)
      throws IOException {
    if (store.pages() < 2) {
      throw refused(store.name(), "it has no heads", null);
    }
    Read<T> found =
        read(
            head -> {
              checkKind(head, magic, minVersion, maxVersion, kind);
              try {
                return parser.apply(head);
              } catch (IllegalArgumentException e) {
                throw refused(store.name(), "a head has " + e.getMessage(), e);
              }
            });
    if (found.newer == null) {
      throw refused(store.name(), "both of its heads are damaged", null);
    }
    if (found.older != null && !same.test(found.newer, found.older)) {
      throw refused(store.name(), "its two heads are of different filters", null);
    }
    return found;
  }

  private void checkKind(ByteBuffer head, long magic, int minVersion, int maxVersion, String kind) {
    if (head.getLong(FIRST) != magic) {
      throw refused(store.name(), "it is not " + kind, null);
    }
    int version = head.getInt(VERSION);
    if (version < minVersion || version > maxVersion) {
      String reads = ", but this release reads versions " + minVersion + " to " + maxVersion;
      throw refused(store.name(), "it is of version " + version + reads, null);
    }
  }

  /** Checks that a head page has zeros after its last field; throws if it has others. */
  public static void checkEnd(ByteBuffer head, int end) {
    for (int i = end; i < head.capacity(); i += Long.BYTES) {
      Arguments.check(head.getLong(i) == 0, "bytes after its last field");
    }
  }

  /** Returns an exception that says why a filter's file cannot be used, and the remedy. */
  public static FilterFormatException refused(String file, String reason, Throwable cause) {
    return new FilterFormatException(
        file
            + " cannot be used ("
            + reason
            + "): put it back from a copy, or insert the keys into a new filter; nothing was"
            + " changed",
        cause);
  }

  /** Reads the two head pages, and checks that each belongs to this file and to its place. */
  public List<DamagedPageException> verify() throws IOException {
    return PageStore.damaged(0, 2, this::readChecked);
  }

  /** Reads a head page, and checks that its sequence number belongs to its place. */
  private void readChecked(long page) throws IOException {
    store.read(page, frame);
    if (sequence() < 1 || (sequence() & 1) != page) {
      throw new DamagedPageException(store.name(), page, "its sequence is " + sequence());
    }
  }

  private long sequence() {
    return frame.bytes.getLong(SEQUENCE);
  }

  /**
   * Writes the next head page over the older one. After a failure the next attempt writes the same
   * place.
   *
   * @param content writes the content into a page of zeros
   * @param sync whether to sync the file
   */
  public void write(Consumer<ByteBuffer> content, boolean sync) throws IOException {
    writeAhead(content);
    if (sync) {
      store.force();
    }
    sequence++;
  }

  /**
   * Writes the next head page over the older one, and lets the next write overwrite it again. The
   * head before it is kept, and is valid if a power failure damages this one: so it needs no sync.
   *
   * @param content writes the content into a page of zeros
   */
  public void writeAhead(Consumer<ByteBuffer> content) throws IOException {
    frame.fill(0, 0, 0);
    content.accept(frame.bytes);
    frame.bytes.putLong(SEQUENCE, sequence + 1);
    store.write(sequence + 1 & 1, 1, frame);
  }

  /**
   * Writes the newer head page again in its place and syncs the file: the page may be one that was
   * never synced, and the next write replaces the other one.
   */
  public void writeAgain() throws IOException {
    store.read(sequence & 1, frame);
    store.write(sequence & 1, 1, frame);
    store.force();
  }

  @Override
  public void close() throws IOException {
    frame.close();
    store.close();
  }
}

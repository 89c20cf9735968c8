package io.winnow.flash.drive;

import io.winnow.FilterFormatException;
import io.winnow.base.Arguments;
import io.winnow.base.Buffers;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * A pair of head pages at the start of a file, of which the newer one is valid. They are written in
 * turn, so that one of them is whole after any crash. Each has a sequence number at byte 16 of its
 * payload (8 bytes), from 1: even ones in page 0, odd ones in page 1; the higher one is valid. The
 * rest of the page belongs to the structure. Schema-critical.
 *
 * <p>Not thread-safe.
 *
 * @param <T> the content of a head
 */
public final class HeadPair<T> implements Closeable {
  /** Offset in the payload of a head page of the part after the sequence number. */
  public static final int SECOND = 24;

  /** Advice to the user in messages about a damaged file of a filter. */
  public static final String REMEDY =
      "put it back from a copy, or insert the keys into a new filter";

  private static final int SEQUENCE = PageStore.HEADER_BYTES + 16;

  private final PageStore store;
  private final Function<ByteBuffer, T> parser;
  private final BiConsumer<T, ByteBuffer> writer;
  private final PageFrame frame;
  private long sequence;
  private T newest;

  /** Content of the older head page when they were read, or null if one of the two was damaged. */
  private T older;

  /**
   * Creates an object that reads and writes the pair of head pages of a store, and reads nothing
   * yet. Closing the pair closes the store.
   *
   * @param parser returns the content of a head page from its payload, a little-endian buffer; or
   *     null if the page counts as damaged. Throws an IllegalArgumentException if it is none
   * @param writer writes a content into the payload of a head page, which has zeros
   */
  public HeadPair(
      PageStore store, Function<ByteBuffer, T> parser, BiConsumer<T, ByteBuffer> writer) {
    this.store = store;
    this.parser = parser;
    this.writer = writer;
    this.frame = PageFrames.allocate(1, store.pageBytes);
  }

  /** Returns the content of the head page that was written last, or else of the newer one. */
  public T newest() {
    return newest;
  }

  /**
   * Returns whether one of the two head pages was damaged when they were read: it may have been
   * newer.
   */
  public boolean isAlone() {
    return older == null;
  }

  /**
   * Reads the two head pages.
   *
   * @return the content of the newer one, or null if both are damaged
   * @throws FilterFormatException if the parser throws an IllegalArgumentException
   */
  public T read() throws IOException {
    T even = read(0);
    long ofEven = even == null ? 0 : sequence();
    T odd = read(1);
    long ofOdd = odd == null ? 0 : sequence();
    sequence = Math.max(ofEven, ofOdd);
    newest = ofOdd > ofEven ? odd : even;
    older = ofOdd > ofEven ? even : odd;
    return newest;
  }

  private T read(int page) throws IOException {
    try {
      readChecked(page);
      return parser.apply(payload());
    } catch (DamagedPageException e) {
      return null;
    } catch (IllegalArgumentException e) {
      throw refused(store.name(), "a head has " + e.getMessage(), e);
    }
  }

  /**
   * Reads the two head pages of a filter, and checks that they belong together.
   *
   * @param same returns whether two contents are of the same filter
   * @return the content of the newer one
   * @throws FilterFormatException if the file has no valid heads of such a filter
   */
  public T readFilter(BiPredicate<T, T> same) throws IOException {
    if (store.pages() < 2) {
      throw refused(store.name(), "it has no heads", null);
    }
    if (read() == null) {
      throw refused(store.name(), "both of its heads are damaged", null);
    }
    if (older != null && !same.test(newest, older)) {
      throw refused(store.name(), "its two heads are of different filters", null);
    }
    return newest;
  }

  /**
   * Reads the magic number and the version with which a head page of a filter begins.
   *
   * @param kind the kind of filter with its article, for messages
   * @return the version
   * @throws IllegalArgumentException if the page is of another kind of file, or of another version
   */
  public static int readVersion(
      ByteBuffer head, long magic, int minVersion, int maxVersion, String kind) {
    Arguments.check(head.getLong() == magic, "another magic number: it is not " + kind);
    int version = head.getInt();
    Arguments.check(
        version >= minVersion && version <= maxVersion,
        String.format(
            "version %s, but this release reads versions %s to %s",
            version, minVersion, maxVersion));
    return version;
  }

  /** Checks that a head page has zeros after the last field that was read; throws otherwise. */
  public static void checkEnd(ByteBuffer head) {
    while (head.hasRemaining()) {
      Arguments.check(head.getLong() == 0, "bytes after its last field");
    }
  }

  /** Returns an exception that says why a filter's file cannot be used, and the remedy. */
  public static FilterFormatException refused(String file, String reason, Throwable cause) {
    return FlashDirectory.damaged(file + " cannot be used (" + reason + ")", REMEDY, cause);
  }

  /** Reads the two head pages, and checks that each belongs to this file and to its place. */
  public List<DamagedPageException> verify() throws IOException {
    return PageStore.damaged(0, 2, this::readChecked);
  }

  /** Reads a head page, and checks that its sequence number belongs to its place. */
  private void readChecked(long page) throws IOException {
    store.read(page, frame);
    if (sequence() < 1 || (sequence() & 1) != page) {
      throw store.damaged(page, "its sequence is " + sequence());
    }
  }

  private long sequence() {
    return frame.bytes.getLong(SEQUENCE);
  }

  /** Returns the payload of the page that was read last, or will be written. */
  private ByteBuffer payload() {
    int bytes = store.pageBytes - PageStore.HEADER_BYTES;
    return Buffers.slice(frame.bytes, PageStore.HEADER_BYTES, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Writes the next head page over the older one. After a failure the next attempt writes the same
   * place.
   *
   * @param sync whether to sync the file
   */
  public void write(T next, boolean sync) throws IOException {
    writeAhead(next);
    if (sync) {
      store.force();
    }
    sequence++;
    newest = next;
  }

  /**
   * Writes the next head page over the older one, and lets the next write overwrite it again. The
   * head before it is kept, and is valid if a power failure damages this one: so it needs no sync.
   */
  public void writeAhead(T next) throws IOException {
    frame.fill(0, 0, 0);
    writer.accept(next, payload());
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

package io.winnow.flash.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The first two pages of a file, which are written in turn, so that one of them is whole whatever
 * happens. Each has a sequence at byte 16 of its payload (8 bytes): 1 and up, an even one in page
 * 0, an odd one in page 1; the higher one counts. What else is in it is its owner's.
 * Schema-critical.
 *
 * <p>One thread at a time.
 */
public final class HeadPair implements Closeable {
  /** Where the payload begins in the page: the owner has 16 bytes, and those after the sequence. */
  public static final int FIRST = PageStore.HEADER_BYTES;

  public static final int SECOND = FIRST + 24;
  private static final int SEQUENCE = FIRST + 16;

  private final PageStore store;
  private final PageFrame frame;
  private long sequence;

  /** The heads of a store, which it closes when it is closed; none is read yet. */
  public HeadPair(PageStore store) {
    this.store = store;
    this.frame = PageFrames.allocate(1, store.pageBytes());
  }

  /** What both heads say; null of one that is damaged. */
  public static final class Read<T> {
    private final T even;
    private final T odd;
    private final boolean oddIsNewer;

    private Read(T even, T odd, boolean oddIsNewer) {
      this.even = even;
      this.odd = odd;
      this.oddIsNewer = oddIsNewer;
    }

    /** What the one that counts says; null if both are damaged. */
    public T newer() {
      return odd == null || even != null && !oddIsNewer ? even : odd;
    }

    /** What the other one says, or null: then it is damaged, and may have been the newer one. */
    public T older() {
      return even == null || odd == null ? null : oddIsNewer ? even : odd;
    }
  }

  /**
   * Reads both heads.
   *
   * @param parser what a page says, in a payload as above; null if it cannot be
   */
  public <T> Read<T> read(Function<ByteBuffer, T> parser) throws IOException {
    T even = read(0, parser);
    long ofEven = even == null ? 0 : sequence();
    T odd = read(1, parser);
    long ofOdd = odd == null ? 0 : sequence();
    sequence = Math.max(ofEven, ofOdd);
    return new Read<>(even, odd, ofOdd > ofEven);
  }

  private <T> T read(int page, Function<ByteBuffer, T> parser) throws IOException {
    try {
      store.read(page, frame);
    } catch (DamagedPageException e) {
      return null;
    }
    return sequence() >= 1 && (sequence() & 1) == page ? parser.apply(frame.bytes()) : null;
  }

  /** Reads both heads, and checks that each is a page of this structure and of its place. */
  public List<Damage> verify() throws IOException {
    List<Damage> found = new ArrayList<>();
    for (int page = 0; page < 2; page++) {
      try {
        store.read(page, frame);
        if (sequence() < 1 || (sequence() & 1) != page) {
          found.add(new Damage(store.name(), page, "its sequence is " + sequence()));
        }
      } catch (DamagedPageException e) {
        found.add(Damage.of(store.name(), page, e));
      }
    }
    return found;
  }

  private long sequence() {
    return frame.bytes().getLong(SEQUENCE);
  }

  /**
   * Writes the next head over the older one. If it fails, the next attempt is in the same place.
   *
   * @param content writes it into a page of zeros
   * @param safe whether it is to be safe when this returns
   */
  public void write(Consumer<ByteBuffer> content, boolean safe) throws IOException {
    writeAhead(content);
    if (safe) {
      store.force();
    }
    sequence++;
  }

  /**
   * Writes a head that counts while it is there, and need never be safe: the next one is written
   * over it. So a power failure leaves the head before it, whatever becomes of the two.
   */
  public void writeAhead(Consumer<ByteBuffer> content) throws IOException {
    frame.fill(0, 0, 0);
    content.accept(frame.bytes());
    frame.bytes().putLong(SEQUENCE, sequence + 1);
    store.write(sequence + 1 & 1, 1, frame);
  }

  /**
   * Writes the head that counts once more in its place, safe when this returns: it may be one that
   * nobody made safe, and the next write takes the place of the other one.
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

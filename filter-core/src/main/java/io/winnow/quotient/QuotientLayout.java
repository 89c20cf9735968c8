package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * What the header of a quotient filter says. The type's 16 bytes in it are slots (u32), remainder
 * bits (u8), scheme (u8), reserved (u16), universe (u64): schema-critical.
 *
 * <p>Immutable and thread-safe.
 */
public final class QuotientLayout implements FilterLayout {
  /** Blocks at most, so that a slot's number is an int: schema-critical. */
  static final int MAX_BLOCKS = (1 << 25) - 1;

  private final FilterHeader header;
  private final TableReader reader;

  private QuotientLayout(FilterHeader header, QuotientShape shape, int blocks) {
    this.header = header;
    this.reader = TableReader.of(shape, blocks);
  }

  /**
   * Checks the shape that a header states.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  public static QuotientLayout of(FilterHeader header) {
    long slots = header.shape0() & 0xFFFF_FFFFL;
    int remainderBits = (int) (header.shape0() >>> 32 & 0xFF);
    int schemeId = (int) (header.shape0() >>> 40 & 0xFF);
    int reserved = (int) (header.shape0() >>> 48);
    long universe = header.shape1();
    if (reserved != 0) {
      throw new FilterFormatException("reserved bytes are " + reserved + ", must be 0");
    }
    QuotientScheme scheme = QuotientScheme.ofId(schemeId);
    if (!QuotientShape.fits(universe, slots)) {
      throw new FilterFormatException(universe + " fingerprints in " + slots + " slots");
    }
    QuotientShape shape = QuotientShape.ofUniverse(scheme, universe, (int) slots);
    if (shape.remainderBits() != remainderBits) {
      throw new FilterFormatException(
          "remainders of " + remainderBits + " bits, must be " + shape.remainderBits());
    }
    if ((long) shape.baseBlocks() * shape.blockBytes() > Integer.MAX_VALUE) {
      throw new FilterFormatException("a table of more than 2 GiB, " + shape);
    }
    if (header.payloadLength() == 0) {
      if (header.keyCount() != 0 && header.estimatedRate() != 1) {
        throw new FilterFormatException(
            "no table for " + header.keyCount() + " keys at a rate of " + header.estimatedRate());
      }
      return new QuotientLayout(header, shape, 0);
    }
    long blocks = shape.blocks(header.payloadLength());
    if (blocks < shape.baseBlocks() || blocks > MAX_BLOCKS) {
      throw new FilterFormatException(
          String.format(
              "payload of %d bytes, not of %d blocks of %d or a few more",
              header.payloadLength(), shape.baseBlocks(), shape.blockBytes()));
    }
    return new QuotientLayout(header, shape, (int) blocks);
  }

  /** The first 8 of the type's bytes in a header; the others are the universe. */
  static long shape0(QuotientShape shape) {
    return shape.slots() | (long) shape.remainderBits() << 32 | (long) shape.scheme().id() << 40;
  }

  /** Writes the header in front of a payload, and gives its layout. */
  static QuotientLayout write(
      byte[] image,
      QuotientShape shape,
      int hashId,
      long keyCount,
      double configuredRate,
      double estimatedRate) {
    FilterHeader.write(
        image,
        FilterType.QUOTIENT,
        hashId,
        keyCount,
        configuredRate,
        estimatedRate,
        shape0(shape),
        shape.universe());
    return of(FilterHeader.read(ByteAccess.ARRAY, image, 0, image.length));
  }

  /** Whether this filter has no table and answers {@code true} to everything. */
  private boolean acceptsAll() {
    return reader.blocks == 0 && keyCount() > 0;
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    // Through the constants the JIT sees which bytes are read; a parameter it has to ask.
    if (access == ByteAccess.ARRAY) {
      return probe(ByteAccess.ARRAY, (byte[]) image, payload, keyHash);
    }
    if (access == ByteAccess.BUFFER) {
      return probe(ByteAccess.BUFFER, (ByteBuffer) image, payload, keyHash);
    }
    return probe(access, image, payload, keyHash);
  }

  /** Looks a hash up in the table whose first block is at {@code payload}. */
  <T> boolean probe(ByteAccess<T> access, T image, int payload, long keyHash) {
    if (reader.blocks == 0) {
      return acceptsAll();
    }
    return reader.contains(access, image, payload, reader.shape.place(keyHash));
  }

  /**
   * The fingerprints in order, of the table whose first block is at {@code payload}.
   *
   * @throws FilterFormatException if there is no table because everything is answered {@code true}
   */
  <T> TableCursor<T> fingerprints(ByteAccess<T> access, T image, int payload) {
    if (acceptsAll()) {
      throw new FilterFormatException("no table of fingerprints: every answer is true");
    }
    return TableCursor.of(access, image, payload, reader);
  }

  public QuotientShape shape() {
    return reader.shape;
  }

  @Override
  public FilterHeader header() {
    return header;
  }

  @Override
  public String describe() {
    return acceptsAll() ? "everything" : reader.shape.toString();
  }
}

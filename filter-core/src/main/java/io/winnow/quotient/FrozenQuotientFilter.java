package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.Filters;
import io.winnow.MembershipFilter;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * A quotient filter that does not change, probed in place in its serialized image.
 *
 * <p>No false negatives. A probe reads one block's metadata and a few remainders, one or two
 * adjacent cache lines in most cases. Its fingerprints can be read in order, for a merge; {@link
 * #thaw} makes a filter of it that changes. Immutable and thread-safe.
 */
public final class FrozenQuotientFilter implements MembershipFilter {
  private static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  private final QuotientLayout layout;
  private final ByteBuffer image;
  private final byte[] array;
  private final int arrayOffset;

  private FrozenQuotientFilter(QuotientLayout layout, ByteBuffer image) {
    this.layout = layout;
    this.image = image;
    this.array = image.hasArray() ? image.array() : null;
    this.arrayOffset = image.hasArray() ? image.arrayOffset() : 0;
  }

  /**
   * Opens the filter whose image fills the buffer from position to limit, in place.
   *
   * @throws FilterFormatException if the bytes are not such a filter
   */
  public static FrozenQuotientFilter open(ByteBuffer image) {
    MembershipFilter filter = Filters.open(image);
    if (filter instanceof FrozenQuotientFilter quotient) {
      return quotient;
    }
    throw new FilterFormatException("a " + filter.type().label() + " filter, not a quotient");
  }

  /** Over a layout that was read from the image that starts at this buffer's position. */
  public static FrozenQuotientFilter of(QuotientLayout layout, ByteBuffer image) {
    if (image.remaining() < layout.sizeInBytes()) {
      throw new IllegalArgumentException(
          "image of " + image.remaining() + " bytes, its layout says " + layout.sizeInBytes());
    }
    return new FrozenQuotientFilter(layout, ByteAccess.littleEndianSlice(image));
  }

  @Override
  public boolean mightContain(long keyHash) {
    return array != null
        ? layout.probe(ByteAccess.ARRAY, array, arrayOffset + PAYLOAD, keyHash)
        : layout.probe(ByteAccess.BUFFER, image, PAYLOAD, keyHash);
  }

  @Override
  public long mightContain(long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    long answers = 0;
    for (int i = 0; i < count; i++) {
      answers |= (mightContain(keyHashes[from + i]) ? 1L : 0L) << i;
    }
    return answers;
  }

  /**
   * The fingerprints in ascending order, repeats after each other. Going to the next one throws
   * {@link FilterFormatException} where the bytes contradict themselves.
   */
  public FingerprintCursor fingerprints() {
    return array != null
        ? layout.fingerprints(ByteAccess.ARRAY, array, arrayOffset + PAYLOAD)
        : layout.fingerprints(ByteAccess.BUFFER, image, PAYLOAD);
  }

  /**
   * A filter that changes, with the same fingerprints: one copy, made anew from them.
   *
   * @throws FilterFormatException if the bytes contradict themselves
   */
  public QuotientFilter thaw() {
    return QuotientFilter.thawed(layout.shape(), fingerprints()).hashedBy(layout.hashId());
  }

  @Override
  public QuotientLayout layout() {
    return layout;
  }
}

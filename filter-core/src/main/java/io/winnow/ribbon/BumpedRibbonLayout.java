package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.MembershipFilter;

/**
 * Layout and probe of a bumped Ribbon filter (BuRR), the smallest type of filter, from its header
 * and its layer table.
 *
 * <p>No false negatives; the rate is at most the configured one. About 6.75 bits per key at 1 %;
 * the minimum for columns of whole bits is 6.72. A probe reads a 2-bit threshold and one or two
 * adjacent blocks; for about one key in twenty it reads a second layer. Immutable and thread-safe.
 *
 * <p>Dillinger, Hübschle-Schneider, Sanders and Walzer, "Fast Succinct Retrieval and Approximate
 * Membership using Ribbon", arXiv 2109.01892. Deviation: the last layer is homogeneous, and so
 * cannot fail.
 *
 * <p>Schema-critical, little-endian. The type's 16 bytes in the header: {@code u32 seed, u8 bumped
 * layers, u8 columns, u16 zero, u32 CRC32C of the layer table, u32 zero}. The payload: the layer
 * table, that is {@code u32 blocks, u32 lowerBlocks} for each bumped layer and the 16 bytes of a
 * {@link RibbonShape} for the last layer; then for each bumped layer its thresholds and its
 * solution; then the last layer's solution.
 */
final class BumpedRibbonLayout extends FilterLayout {
  /** Maximum of layers of a bumped Ribbon filter, without the homogeneous last one. */
  static final int MAX_LAYERS = 8;

  private final long seedMask;
  private final BumpedLayer first;

  /** Layers of the filter in the order of probes, without the homogeneous last one. */
  final BumpedLayer[] layers;

  /** Size of the last layer, which is a homogeneous Ribbon filter: its blocks and columns. */
  final RibbonShape last;

  /** Byte offset of the bumped Ribbon filter's last solution from the end of the image's header. */
  final int lastSolution;

  private BumpedRibbonLayout(
      FilterHeader header, BumpedLayer[] layers, RibbonShape last, int lastSolution) {
    super(header);
    this.seedMask = RibbonHasher.seedMask((int) header.shape0());
    this.first = layers[0];
    this.layers = layers;
    this.last = last;
    this.lastSolution = lastSolution;
  }

  /**
   * Reads and checks the table of layers of the bumped Ribbon filter's image at {@code offset}.
   *
   * @param header the header of this image
   * @throws FilterFormatException if table and header contradict each other or the payload's length
   */
  static <T> BumpedRibbonLayout of(FilterHeader header, ByteAccess<T> access, T bytes, int offset) {
    int layerCount = (int) (header.shape0() >>> 32) & 0xFF;
    int columns = (int) (header.shape0() >>> 40) & 0xFF;
    if (header.shape0() >>> 48 != 0 || header.shape1() >>> 32 != 0) {
      throw new FilterFormatException("reserved bytes of the shape are not zero");
    }
    if (layerCount < 1 || layerCount > MAX_LAYERS) {
      throw new FilterFormatException(layerCount + " bumped layers, must be 1 to " + MAX_LAYERS);
    }
    if (columns < 1 || columns > RibbonShape.MAX_COLUMNS) {
      throw new FilterFormatException("ribbon of " + columns + " columns");
    }
    int tableLength = tableLength(layerCount);
    if (header.payloadLength() < tableLength) {
      throw new FilterFormatException(
          String.format(
              "payload of %d bytes, must have at least its table of %d",
              header.payloadLength(), tableLength));
    }
    int table = offset + FilterHeader.SIZE_IN_BYTES;
    int crc = access.crc32c(bytes, table, tableLength);
    if (crc != (int) header.shape1()) {
      throw new FilterFormatException(
          String.format(
              "layer table checksum is 0x%08X, must be 0x%08X", crc, (int) header.shape1()));
    }
    BumpedLayer[] layers = new BumpedLayer[layerCount];
    long end = tableLength;
    for (int i = 0; i < layerCount; i++) {
      long blocks = Integer.toUnsignedLong(access.getInt(bytes, table + 8 * i));
      long lowerBlocks = Integer.toUnsignedLong(access.getInt(bytes, table + 8 * i + 4));
      if (blocks < 1 || blocks > Integer.MAX_VALUE / 64 || lowerBlocks > blocks) {
        throw new FilterFormatException(
            "layer of " + blocks + " blocks, " + lowerBlocks + " of them lower");
      }
      long layerEnd = end + BumpedLayer.sizeInBytes(blocks, lowerBlocks, columns);
      if (layerEnd > header.payloadLength()) {
        throw new FilterFormatException(
            String.format(
                "layer of %d blocks does not fit into %d bytes", blocks, header.payloadLength()));
      }
      layers[i] = new BumpedLayer((int) blocks, (int) lowerBlocks, columns, (int) end);
      end = layerEnd;
    }
    RibbonShape last =
        RibbonShape.of(
            access.getLong(bytes, table + 8 * layerCount),
            access.getLong(bytes, table + 8 * layerCount + 8),
            header.payloadLength() - end);
    return new BumpedRibbonLayout(header, layers, last, (int) end);
  }

  /** Returns the size in bytes of the table of a bumped Ribbon filter's layers. */
  static int tableLength(int layerCount) {
    return 8 * layerCount + RibbonShape.SIZE_IN_BYTES;
  }

  /**
   * Returns the first 8 of the bytes in a header that only bumped Ribbon filters have: seed, number
   * of layers and columns.
   */
  static long shape0(int seed, int layerCount, int columns) {
    return Integer.toUnsignedLong(seed) | ((long) layerCount << 32) | ((long) columns << 40);
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    long mixed = RibbonHasher.mix(keyHash, seedMask);
    return probeMixed(access, image, imageOffset + FilterHeader.SIZE_IN_BYTES, mixed);
  }

  /**
   * Returns whether a key, given by its mixed hash, may be in the bumped Ribbon filter's set.
   *
   * @param mixed its hash, mixed for the first layer
   */
  <T> boolean probeMixed(ByteAccess<T> access, T image, int payload, long mixed) {
    return miss(access, image, payload, mixed) == 0;
  }

  @Override
  public <T> long mightContain(
      ByteAccess<T> access, T image, int imageOffset, long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    long answers = 0;
    for (int i = 0; i < count; i++) {
      long mixed = RibbonHasher.mix(keyHashes[from + i], seedMask);
      answers |= (miss(access, image, payload, mixed) ^ 1) << i;
    }
    return answers;
  }

  /** Returns 0 for a key that may be in the bumped Ribbon filter's set, otherwise 1. */
  private <T> long miss(ByteAccess<T> access, T image, int payload, long mixed) {
    int start = RibbonHasher.plainStart(mixed, first.starts);
    if (first.isBumped(access, image, payload, start)) { // about one key in twenty
      return missBumped(access, image, payload, mixed);
    }
    return first.miss(access, image, payload, start, mixed);
  }

  /**
   * Returns 0 for a key that the first layer bumped and that may be in the bumped Ribbon filter's
   * set, otherwise 1.
   */
  private <T> long missBumped(ByteAccess<T> access, T image, int payload, long mixed) {
    long x = mixed;
    for (int i = 1; i < layers.length; i++) {
      x = RibbonHasher.mix(x, RibbonHasher.LAYER_MASK);
      int start = RibbonHasher.plainStart(x, layers[i].starts);
      if (!layers[i].isBumped(access, image, payload, start)) {
        return layers[i].miss(access, image, payload, start, x);
      }
    }
    return last.probe(access, image, payload + lastSolution, x) ? 0 : 1;
  }

  @Override
  public String describe() {
    StringBuilder slots = new StringBuilder();
    for (BumpedLayer layer : layers) {
      slots.append(layer.blocks * 64L).append(" + ");
    }
    return String.format(
        "width 64, %d bumped %s and a homogeneous one, %s%d slots, %d columns, one fewer in"
            + " %.0f %%",
        layers.length,
        layers.length == 1 ? "layer" : "layers",
        slots,
        last.slots(),
        first.columns,
        100.0 * first.lowerBlocks / first.blocks);
  }
}

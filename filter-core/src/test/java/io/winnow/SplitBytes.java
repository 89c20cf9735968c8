package io.winnow;

/**
 * Bytes in pieces of equal length (the last one may be shorter), read byte by byte: the plainest
 * {@link ByteAccess} over a split buffer. Every read is checked against the bounds that it is
 * given.
 */
public final class SplitBytes implements ByteAccess<byte[][]> {
  private final int from;
  private final int to;

  /** Allows reads in {@code [from, to)} only. */
  public SplitBytes(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** Cuts bytes, which {@code offset} others precede and follow, into pieces. */
  public static byte[][] split(byte[] bytes, int offset, int pieceLength) {
    byte[] padded = new byte[bytes.length + 2 * offset];
    System.arraycopy(bytes, 0, padded, offset, bytes.length);
    byte[][] pieces = new byte[(padded.length + pieceLength - 1) / pieceLength][];
    for (int i = 0; i < pieces.length; i++) {
      int begin = i * pieceLength;
      pieces[i] = new byte[Math.min(pieceLength, padded.length - begin)];
      System.arraycopy(padded, begin, pieces[i], 0, pieces[i].length);
    }
    return pieces;
  }

  @Override
  public byte getByte(byte[][] pieces, int index) {
    if (index < from || index >= to) {
      throw new AssertionError("read at " + index + ", outside " + from + " to " + to);
    }
    int pieceLength = pieces[0].length;
    return pieces[index / pieceLength][index % pieceLength];
  }

  @Override
  public int getInt(byte[][] pieces, int index) {
    int result = 0;
    for (int i = 3; i >= 0; i--) {
      result = result << 8 | Byte.toUnsignedInt(getByte(pieces, index + i));
    }
    return result;
  }

  @Override
  public long getLong(byte[][] pieces, int index) {
    return Integer.toUnsignedLong(getInt(pieces, index)) | (long) getInt(pieces, index + 4) << 32;
  }
}

package io.winnow.hbase.read;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;

/**
 * Stream of a filter's meta block whose version number was read and put back: HBase's own stream
 * has no mark and reset.
 */
public final class PeekedMeta extends DataInputStream {

  /** The version number of the filter's meta block. */
  public final int version;

  private PeekedMeta(int version, InputStream all) {
    super(all);
    this.version = version;
  }

  /**
   * Reads the version number of a filter's meta block from a stream, which must not be used any
   * more.
   *
   * @throws IOException if reading fails, or there are fewer than four bytes
   */
  public static PeekedMeta of(DataInput meta) throws IOException {
    int version = meta.readInt();
    byte[] head = ByteBuffer.allocate(Integer.BYTES).putInt(version).array();
    InputStream rest = meta instanceof InputStream ? (InputStream) meta : new Rest(meta);
    return new PeekedMeta(version, new SequenceInputStream(new ByteArrayInputStream(head), rest));
  }

  /** Stream of the bytes that a {@code DataInput} has not returned yet. */
  private static final class Rest extends InputStream {
    private final DataInput in;

    Rest(DataInput in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      try {
        return in.readUnsignedByte();
      } catch (EOFException e) {
        return -1;
      }
    }
  }
}

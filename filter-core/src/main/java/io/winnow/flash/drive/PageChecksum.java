package io.winnow.flash.drive;

import io.winnow.flash.store.DamagedPageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads and writes the headers of pages; see {@link PageStore} for their format, which is
 * schema-critical. With the salt of its store a checksum shows that a page belongs to another
 * store.
 */
public final class PageChecksum {
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer number = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);

  /** Creates an object that writes and checks the headers of pages, for one thread. */
  public PageChecksum() {}

  /**
   * Writes the headers, with checksums, of the first {@code count} pages of a frame (page buffer).
   */
  public void stamp(PageFrame frame, long salt, long firstPage, int count) {
    ByteBuffer bytes = frame.bytes;
    for (int i = 0; i < count; i++) {
      int offset = i * frame.pageBytes;
      frame.setVersion(i, frame.version(i) & 0xFFFF);
      bytes.putInt(offset, of(frame, salt ^ firstPage + i, i));
    }
  }

  /**
   * Checks the headers, with checksums, of the first {@code count} pages of a frame (page buffer).
   *
   * @throws DamagedPageException if a checksum does not match
   */
  public void check(String file, PageFrame frame, long salt, long firstPage, int count)
      throws DamagedPageException {
    ByteBuffer bytes = frame.bytes;
    for (int i = 0; i < count; i++) {
      int offset = i * frame.pageBytes;
      int stored = bytes.getInt(offset);
      int computed = of(frame, salt ^ firstPage + i, i);
      if (stored != computed || frame.version(i) >>> 16 != 0) {
        throw new DamagedPageException(
            file,
            firstPage + i,
            String.format("its checksum is %08x, that of its bytes %08x", stored, computed));
      }
    }
  }

  /**
   * Returns the checksum of a page, which covers its number and version too. Pages without versions
   * have version 0.
   */
  private int of(PageFrame frame, long saltedPage, int i) {
    crc.reset();
    crc.update(number.putLong(0, saltedPage ^ (long) frame.version(i) << 48).rewind());
    ByteBuffer payload = frame.bytes.duplicate();
    payload.limit((i + 1) * frame.pageBytes).position(frame.payloadOffset(i));
    crc.update(payload);
    return (int) crc.getValue();
  }
}

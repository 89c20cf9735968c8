package io.winnow.flash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The header of a page: schema-critical, see {@link PageStore}. The salt is the store's: a page of
 * another store, in the right place, is taken for damaged.
 */
final class PageChecksum {
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer number = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);

  /** Writes the headers of the first {@code count} pages of a frame. */
  void stamp(PageFrame frame, long salt, long firstPage, int count) {
    ByteBuffer bytes = frame.bytes();
    for (int i = 0; i < count; i++) {
      int offset = i * frame.pageBytes();
      bytes.putInt(offset, of(frame, salt ^ firstPage + i, i));
      bytes.putInt(offset + 4, 0);
    }
  }

  /** Checks the headers of the first {@code count} pages of a frame. */
  void check(String file, PageFrame frame, long salt, long firstPage, int count)
      throws DamagedPageException {
    ByteBuffer bytes = frame.bytes();
    for (int i = 0; i < count; i++) {
      int offset = i * frame.pageBytes();
      int stored = bytes.getInt(offset);
      int computed = of(frame, salt ^ firstPage + i, i);
      if (stored != computed || bytes.getInt(offset + 4) != 0) {
        throw new DamagedPageException(
            file,
            firstPage + i,
            String.format("its checksum is %08x, that of its bytes %08x", stored, computed));
      }
    }
  }

  private int of(PageFrame frame, long saltedPage, int i) {
    crc.reset();
    crc.update(number.putLong(0, saltedPage).rewind());
    ByteBuffer payload = frame.bytes().duplicate();
    payload.limit((i + 1) * frame.pageBytes()).position(frame.payloadOffset(i));
    crc.update(payload);
    return (int) crc.getValue();
  }
}

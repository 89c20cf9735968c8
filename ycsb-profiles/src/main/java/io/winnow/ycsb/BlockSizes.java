package io.winnow.ycsb;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.KeyValue;

/**
 * Approximate sizes of a table's data blocks and index blocks, in bytes.
 *
 * @param data bytes of a data block, the family's {@code BLOCKSIZE}
 * @param index bytes of a block of the index of data blocks; each hot row needs one of them, too
 */
record BlockSizes(int data, int index) {
  /** HBase's default sizes of data blocks and index blocks. */
  static final BlockSizes DEFAULT = new BlockSizes(64 << 10, 128 << 10);

  /**
   * Sizes of data blocks and index blocks that are smaller than HBase's, so that a small table has
   * many blocks. With them a cache of which filters take 40 % holds a thousand hot rows, each in a
   * block of its own, of tables that are loaded in a minute.
   */
  static final BlockSizes SMALL = new BlockSizes(8 << 10, 4 << 10);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,4})k");
  private static final int MAX_KILOBYTES = 1 << 10;

  /** Number of bytes after each cell of a store file that was not flushed by a server: a zero. */
  private static final int SEQUENCE_ID_BYTES = 1;

  /**
   * Parses a size of data blocks such as {@code 64k}. HBase's own size of data blocks comes with
   * HBase's own index blocks; others come with index blocks of half their size.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static BlockSizes parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
    int kilobytes = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    if (kilobytes < 1 || kilobytes > MAX_KILOBYTES) {
      throw new IllegalArgumentException(
          "data blocks have 1k to %dk, not %s".formatted(MAX_KILOBYTES, text));
    }
    int data = kilobytes << 10;
    return data == DEFAULT.data ? DEFAULT : new BlockSizes(data, data / 2);
  }

  /**
   * Returns the size of data blocks for row keys of a length, in bytes. Small blocks hold whole
   * rows, so that no row goes beyond the end of its block, and entries of the index are short.
   */
  int dataOf(int keyLength) {
    if (equals(DEFAULT)) {
      return data;
    }
    int cell =
        (int)
            KeyValue.getKeyValueDataStructureSize(
                keyLength,
                RunTables.FAMILY.length,
                RowValues.qualifier(0).length,
                RowValues.VALUE_LENGTH);
    int row = RowValues.COLUMNS * (cell + SEQUENCE_ID_BYTES);
    return row * Math.max(1, Math.round((float) data / row));
  }
}

package io.winnow.ycsb;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.KeyValue;

/**
 * The sizes of a table's blocks, about.
 *
 * @param data of data blocks, the family's {@code BLOCKSIZE}
 * @param index of the blocks of the index of data blocks; each hot row needs one of them too
 */
record BlockSizes(int data, int index) {
  /** As HBase comes. */
  static final BlockSizes DEFAULT = new BlockSizes(64 << 10, 128 << 10);

  /**
   * With small blocks a cache of which filters take 40 % holds a thousand hot rows, a block each,
   * of tables that are loaded in a minute.
   */
  static final BlockSizes SMALL = new BlockSizes(8 << 10, 4 << 10);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,4})k");
  private static final int MOST_KILOBYTES = 1 << 10;

  /** Behind each cell of a file that was not flushed by a server: a zero. */
  private static final int SEQUENCE_ID_BYTES = 1;

  /**
   * Reads {@code 64k}: HBase's own data blocks have its own index blocks; others have index blocks
   * of half their size.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static BlockSizes parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
    int kilobytes = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    if (kilobytes < 1 || kilobytes > MOST_KILOBYTES) {
      throw new IllegalArgumentException(
          "data blocks are of 1k to %dk, not %s".formatted(MOST_KILOBYTES, text));
    }
    int data = kilobytes << 10;
    return data == DEFAULT.data ? DEFAULT : new BlockSizes(data, data / 2);
  }

  /**
   * Of data blocks. Small ones have whole rows, so that no row goes over the end of its block, and
   * that what is in the index is short.
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

package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;

/**
 * Where each chunk of a store file's filter is, what is in it, and its first key.
 *
 * <p>The first keys stay where they were read, in one array; a look-up is a binary search that
 * allocates nothing, mostly over {@link FirstKeyWords}. Immutable and thread-safe. The layout of an
 * entry is schema-critical: {@code docs/format/hfile-meta-v2.md}.
 *
 * <pre>
 *  0          8             12           16          20        24              28
 * +----------+-------------+------------+-----------+---------+---------------+-----------
 * |offset    |size on disk |image size  |key count  |image's  |first key size | first key
 * |u64       |u32          |u32         |u32        |CRC32C   |u32            |  ...
 * +----------+-------------+------------+-----------+---------+---------------+-----------
 * </pre>
 */
public final class ChunkIndex {
  private static final int ON_DISK_SIZE_OFFSET = 8;
  private static final int IMAGE_SIZE_OFFSET = 12;
  private static final int KEY_COUNT_OFFSET = 16;
  private static final int IMAGE_CRC_OFFSET = 20;
  private static final int FIRST_KEY_SIZE_OFFSET = 24;

  /** Bytes of an entry before its first key. */
  public static final int ENTRY_SIZE_IN_BYTES = 28;

  private final KeyKind kind;
  private final byte[] bytes;
  private final int[] entries;

  /** For rows; null where the index is of other keys. */
  private final FirstKeyWords words;

  private ChunkIndex(KeyKind kind, byte[] bytes, int[] entries, FirstKeyWords words) {
    this.kind = kind;
    this.bytes = bytes;
    this.entries = entries;
    this.words = words;
  }

  /**
   * Reads the {@code count} entries that fill {@code bytes} between {@code from} and {@code to},
   * keeping the array.
   *
   * @param endOfChunks the file offset that no chunk reaches beyond
   * @throws FilterFormatException if an entry does not fit, is not of its form, or stands out of
   *     order by offset or by first key
   */
  static ChunkIndex read(
      KeyKind kind, byte[] bytes, int from, int to, int count, long endOfChunks) {
    if (count < 1 || count > (to - from) / ENTRY_SIZE_IN_BYTES) {
      throw new FilterFormatException(
          "chunk count " + count + " in an index of " + (to - from) + " bytes");
    }
    ChunkIndex index = new ChunkIndex(kind, bytes, new int[count + 1], null);
    int position = from;
    long endOfPrevious = 0;
    for (int chunk = 0; chunk < count; chunk++) {
      int left = to - position - ENTRY_SIZE_IN_BYTES;
      int keySize = left < 0 ? -1 : index.intAt(position + FIRST_KEY_SIZE_OFFSET);
      if (keySize < 0 || keySize > left) {
        throw new FilterFormatException(
            "index entry of chunk " + chunk + " does not fit: first key of " + keySize + " bytes");
      }
      index.entries[chunk] = position;
      position += ENTRY_SIZE_IN_BYTES + keySize;
      index.entries[chunk + 1] = position;
      endOfPrevious = index.checkEntry(chunk, endOfPrevious, endOfChunks);
    }
    if (position != to) {
      throw new FilterFormatException((to - position) + " bytes after the last index entry");
    }
    return kind.hasQualifier()
        ? index
        : new ChunkIndex(kind, bytes, index.entries, index.firstKeyWords());
  }

  private FirstKeyWords firstKeyWords() {
    int[] from = new int[size()];
    int[] to = new int[size()];
    Arrays.setAll(from, this::firstKey);
    Arrays.setAll(to, this::endOfKey);
    return new FirstKeyWords(bytes, from, to);
  }

  /** Checks the entry against its predecessor and returns where the chunk ends in the file. */
  private long checkEntry(int chunk, long endOfPrevious, long endOfChunks) {
    long offset = offset(chunk);
    int onDiskSize = onDiskSize(chunk);
    if (offset < endOfPrevious || onDiskSize <= 0 || offset > endOfChunks - onDiskSize) {
      throw new FilterFormatException(
          ("chunk " + chunk + " of " + onDiskSize + " bytes at offset " + offset)
              + (", must lie between " + endOfPrevious + " and " + endOfChunks));
    }
    if (imageSizeInBytes(chunk) < FilterHeader.SIZE_IN_BYTES || keyCount(chunk) < 1) {
      throw new FilterFormatException(
          ("chunk " + chunk + " has an image of " + imageSizeInBytes(chunk) + " bytes for ")
              + (keyCount(chunk) + " keys"));
    }
    if (!kind.isIndexKey(bytes, firstKey(chunk), endOfKey(chunk))) {
      throw new FilterFormatException("first key of chunk " + chunk + " is not a " + kind + " key");
    }
    if (chunk > 0
        && kind.compareIndexKeys(
                bytes, firstKey(chunk - 1), endOfKey(chunk - 1), firstKey(chunk), endOfKey(chunk))
            > 0) {
      throw new FilterFormatException(
          "first keys of chunks " + chunk + " and before: not in order");
    }
    return offset + onDiskSize;
  }

  /** The chunk that the key belongs to, or -1 if it stands before the first chunk. */
  public int chunkOf(byte[] key, int offset, int length) {
    if (words != null) {
      int chunk = words.chunkOf(key, offset, length);
      if (chunk != FirstKeyWords.UNDECIDED) {
        return chunk;
      }
    }
    int low = 0;
    int high = size();
    while (low < high) { // the first chunk whose first key is greater
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(
              bytes, firstKey(middle), endOfKey(middle), key, offset, offset + length)
          <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** The chunk that the cell's key belongs to, or -1 if it stands before the first chunk. */
  public int chunkOf(Cell cell) {
    int low = 0;
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (kind.compareToCell(bytes, firstKey(middle), endOfKey(middle), cell) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  public int size() {
    return entries.length - 1;
  }

  /** Where the chunk's block starts in the file. */
  public long offset(int chunk) {
    return ByteAccess.ARRAY.getLong(bytes, entries[chunk]);
  }

  /** The size of the chunk's block in the file, block header included. */
  public int onDiskSize(int chunk) {
    return intAt(entries[chunk] + ON_DISK_SIZE_OFFSET);
  }

  /** The size of the chunk's image, which is the block's content. */
  public int imageSizeInBytes(int chunk) {
    return intAt(entries[chunk] + IMAGE_SIZE_OFFSET);
  }

  /** Distinct keys in the chunk. */
  public int keyCount(int chunk) {
    return intAt(entries[chunk] + KEY_COUNT_OFFSET);
  }

  /** The CRC32C of the chunk's image, which no other chunk can be mistaken for. */
  public int imageCrc(int chunk) {
    return intAt(entries[chunk] + IMAGE_CRC_OFFSET);
  }

  /** The chunk's first key; a copy. */
  public byte[] firstKeyOf(int chunk) {
    return Arrays.copyOfRange(bytes, firstKey(chunk), endOfKey(chunk));
  }

  /** The size of all entries. */
  int sizeInBytes() {
    return entries[size()] - entries[0];
  }

  void writeTo(ByteBuffer out) {
    out.put(bytes, entries[0], sizeInBytes());
  }

  private int firstKey(int chunk) {
    return entries[chunk] + ENTRY_SIZE_IN_BYTES;
  }

  private int endOfKey(int chunk) {
    return entries[chunk + 1];
  }

  private int intAt(int position) {
    return ByteAccess.ARRAY.getInt(bytes, position);
  }

  /** Collects the entries of a file that is being written. Not thread-safe. */
  public static final class Writer {
    private final ByteArrayOutputStream entries = new ByteArrayOutputStream();
    private int size;

    public void add(
        long offset,
        int onDiskSize,
        int imageSizeInBytes,
        int keyCount,
        int imageCrc,
        byte[] firstKey) {
      byte[] entry =
          ByteBuffer.allocate(ENTRY_SIZE_IN_BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(offset)
              .putInt(onDiskSize)
              .putInt(imageSizeInBytes)
              .putInt(keyCount)
              .putInt(imageCrc)
              .putInt(firstKey.length)
              .array();
      entries.writeBytes(entry);
      entries.writeBytes(firstKey);
      size++;
    }

    public int size() {
      return size;
    }

    /** The size of the entries. */
    public int sizeInBytes() {
      return entries.size();
    }

    /**
     * The index of what was added, checked as if it had been read.
     *
     * @throws FilterFormatException if the chunks were not added in order
     */
    public ChunkIndex finish(KeyKind kind) {
      byte[] bytes = entries.toByteArray();
      return read(kind, bytes, 0, bytes.length, size, Long.MAX_VALUE);
    }
  }
}

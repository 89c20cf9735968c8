package io.winnow.hbase.format;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;

/**
 * The list of the chunks in a store file's filter, with the place, sizes, checksum and first key of
 * each.
 *
 * <p>The first keys stay where they were read, in one array. A look-up is a binary search that
 * allocates nothing; mostly {@link FirstKeyWords} decides it. Immutable and thread-safe. The layout
 * of an entry is schema-critical: {@code docs/format/hfile-meta-v2.md}.
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

  /** Size in bytes of a chunk's entry in the chunk index, without its first key. */
  public static final int ENTRY_SIZE_IN_BYTES = 28;

  private final KeyKind kind;
  private final byte[] bytes;
  private final int[] entries;

  /**
   * Search for the chunk of a row by 8 bytes of each chunk's first key; null if the keys have a
   * qualifier.
   */
  private final FirstKeyWords words;

  private ChunkIndex(KeyKind kind, byte[] bytes, int[] entries, FirstKeyWords words) {
    this.kind = kind;
    this.bytes = bytes;
    this.entries = entries;
    this.words = words;
  }

  /**
   * Reads a chunk index with a given number of entries from a part of an array. Keeps the array.
   *
   * @param endOfChunks the file offset at which the last chunk must have ended
   * @throws FilterFormatException if an entry does not fit, is malformed, or is out of order by
   *     offset or by first key
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

  /**
   * Checks a chunk's entry in the chunk index, also against the entry before it.
   *
   * @return the offset in the file at which the chunk ends
   */
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
          "the first key of chunk " + chunk + " sorts before that of the chunk before it");
    }
    return offset + onDiskSize;
  }

  /**
   * Returns the number of the chunk in a filter that a row belongs to.
   *
   * @return the number of the chunk, or -1 if the row sorts before the first chunk
   */
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

  /**
   * Returns the number of the chunk in a filter that the key of a cell belongs to.
   *
   * @return the number of the chunk, or -1 if the key sorts before the first chunk
   */
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

  /** Returns the number of chunks in a store file's filter. */
  public int size() {
    return entries.length - 1;
  }

  /** Returns the offset in the file of the block that has a chunk. */
  public long offset(int chunk) {
    return ByteAccess.ARRAY.getLong(bytes, entries[chunk]);
  }

  /** Returns the size in bytes that a chunk's block has in the file, block header included. */
  public int onDiskSize(int chunk) {
    return intAt(entries[chunk] + ON_DISK_SIZE_OFFSET);
  }

  /** Returns the size in bytes of a chunk's image, which is the content of its block. */
  public int imageSizeInBytes(int chunk) {
    return intAt(entries[chunk] + IMAGE_SIZE_OFFSET);
  }

  /** Returns the number of distinct keys in a chunk, without row prefixes. */
  public int keyCount(int chunk) {
    return intAt(entries[chunk] + KEY_COUNT_OFFSET);
  }

  /**
   * Returns the CRC32C of a chunk's image, by which a reader notices another chunk in its place.
   */
  public int imageCrc(int chunk) {
    return intAt(entries[chunk] + IMAGE_CRC_OFFSET);
  }

  /** Returns a copy of the first key of a chunk, in the form of {@link KeyKind#indexKey}. */
  public byte[] firstKeyOf(int chunk) {
    return Arrays.copyOfRange(bytes, firstKey(chunk), endOfKey(chunk));
  }

  /** Returns the size in bytes of all entries of the chunk index. */
  int sizeInBytes() {
    return entries[size()] - entries[0];
  }

  /** Writes all entries of the chunk index, in the format that {@link #read} parses. */
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

  /** Collector of the chunk-index entries of a file under construction. Not thread-safe. */
  public static final class Writer {
    private final ByteArrayOutputStream entries = new ByteArrayOutputStream();
    private int size;

    /**
     * Adds the entry of the file's next chunk to the chunk index.
     *
     * @param offset the offset in the file of the chunk's block
     * @param onDiskSize the size in bytes of that block, header included
     * @param keyCount the distinct keys of the chunk, without its prefixes
     * @param firstKey the first key, in the form of {@link KeyKind#indexKey}
     */
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

    /** Returns the number of chunks that were added to the chunk index. */
    public int size() {
      return size;
    }

    /** Returns the size in bytes of the entries that were added to the chunk index. */
    public int sizeInBytes() {
      return entries.size();
    }

    /**
     * Returns an index of the chunks that were added, checked like one that is read.
     *
     * @throws FilterFormatException if the chunks were not added in order
     */
    public ChunkIndex finish(KeyKind kind) {
      byte[] bytes = entries.toByteArray();
      return read(kind, bytes, 0, bytes.length, size, Long.MAX_VALUE);
    }
  }
}

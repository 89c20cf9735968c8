package io.winnow.hbase.soak;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/**
 * A reader of a store file that shows a digit where each row of the file has a letter, so that the
 * filter and the key segments of the file are of other rows than a scan finds. Apache Phoenix reads
 * its local indexes with such a reader after a split.
 */
final class LetteredRowsReader extends StoreFileReader {
  /** Index of the byte in a row that is a letter in the file and a digit in what it shows. */
  private static final int AT = 9;

  private static final int TO_LETTER = 'a' - '0';

  /** Name of the column family whose bulk-loaded files are read in this way. */
  static final String FAMILY = "l";

  private static final String BULK_LOADED = "_SeqId_";

  private final StoreFileReader own;

  private LetteredRowsReader(
      StoreFileReader own, ReaderContext context, CacheConfig cache, Configuration settings)
      throws IOException, IllegalAccessException {
    super(context, own.getHFileReader().getHFileInfo(), cache, null, settings);
    this.own = own;
    for (Field field : StoreFileReader.class.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        field.set(this, field.get(own));
      }
    }
  }

  /** A coprocessor that opens the bulk-loaded files of {@link #FAMILY} with this reader. */
  public static final class Observer implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @SuppressWarnings("deprecation") // HBase keeps the method for Phoenix
    @Override
    public StoreFileReader postStoreFileReaderOpen(
        ObserverContext<RegionCoprocessorEnvironment> context,
        FileSystem files,
        Path path,
        FSDataInputStreamWrapper in,
        long size,
        CacheConfig cache,
        Reference half,
        StoreFileReader reader)
        throws IOException {
      boolean isLettered =
          path.getParent().getName().equals(FAMILY) && path.getName().contains(BULK_LOADED);
      if (!isLettered) {
        return reader;
      }
      ReaderContext pread =
          new ReaderContextBuilder()
              .withFileSystem(files)
              .withFilePath(path)
              // HBase's reader has prepared its own wrapper of the stream, which allows that once
              .withInputStreamWrapper(
                  new FSDataInputStreamWrapper(in.getStream(in.shouldUseHBaseChecksum())))
              .withFileSize(size)
              .build();
      try {
        return new LetteredRowsReader(
            reader, pread, cache, context.getEnvironment().getConfiguration());
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
  }

  @SuppressWarnings("deprecation") // HBase calls it
  @Override
  public HFileScanner getScanner(boolean cacheBlocks, boolean pread, boolean isCompaction) {
    HFileScanner inFile = own.getScanner(cacheBlocks, pread, isCompaction);
    return (HFileScanner)
        Proxy.newProxyInstance(
            HFileScanner.class.getClassLoader(),
            new Class<?>[] {HFileScanner.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getNextIndexedKey")) {
                return null; // allowed: HBase then seeks
              }
              if (arguments != null && arguments[0] instanceof Cell key) {
                arguments[0] = withRow(key, LetteredRowsReader::inFile, false);
              }
              try {
                Object result = method.invoke(inFile, arguments);
                boolean hasValue = method.getName().equals("getCell"); // getKey() has none
                return result instanceof Cell cell
                    ? withRow(cell, LetteredRowsReader::shown, hasValue)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Returns true: the first and the last row of the file are not those that the reader shows. */
  @Override
  public boolean passesKeyRangeFilter(Scan scan) {
    return true;
  }

  private static byte[] shown(byte[] row) {
    return moved(row, 'a', -TO_LETTER);
  }

  /**
   * Returns the row that a file has for a row that this reader shows, or the place of another row
   * among those of the file. The order of rows stays.
   */
  static byte[] inFile(byte[] row) {
    return moved(row, '0', TO_LETTER);
  }

  /** Moves one byte of a row if it is one of the ten from {@code first} on, or the next one. */
  private static byte[] moved(byte[] row, char first, int by) {
    if (row.length <= AT || row[AT] < first || row[AT] > first + 10) {
      return row;
    }
    byte[] moved = row.clone();
    moved[AT] += (byte) by;
    return moved;
  }

  @SuppressWarnings("deprecation") // getType() fails for the types of keys of seeks
  private static Cell withRow(Cell cell, UnaryOperator<byte[]> change, boolean hasValue) {
    KeyValue changed =
        new KeyValue(
            change.apply(CellUtil.cloneRow(cell)),
            CellUtil.cloneFamily(cell),
            CellUtil.cloneQualifier(cell),
            cell.getTimestamp(),
            KeyValue.Type.codeToType(cell.getTypeByte()),
            hasValue ? CellUtil.cloneValue(cell) : HConstants.EMPTY_BYTE_ARRAY);
    changed.setSequenceId(((ExtendedCell) cell).getSequenceId());
    return changed;
  }
}

package org.apache.hadoop.hbase.regionserver;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
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
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A reader of a store file that shows each row without its last byte, so that the filter of the
 * file has other keys than the rows that a scan finds. Apache Phoenix reads its local indexes with
 * such a reader after a split. Like that one it stands in HBase's package, which has the
 * constructor.
 */
public final class ShortenedRowsReader extends StoreFileReader {
  /** Number of bytes in each row that the reader shows. */
  public static final int ROW_SIZE = 21;

  /** Byte at the end of each row in the file. */
  public static final byte END = '~';

  /** Name of the column family whose bulk-loaded files are read in this way. */
  public static final String FAMILY = "l";

  private static final String BULK_LOADED = "_SeqId_";

  private final StoreFileReader own;

  private ShortenedRowsReader(StoreFileReader own) throws IllegalAccessException {
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
        StoreFileReader reader) {
      boolean isLonger =
          path.getParent().getName().equals(FAMILY) && path.getName().contains(BULK_LOADED);
      try {
        return isLonger ? new ShortenedRowsReader(reader) : reader;
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
                arguments[0] = withRow(key, ShortenedRowsReader::inFile);
              }
              try {
                Object result = method.invoke(inFile, arguments);
                return result instanceof Cell cell
                    ? withRow(cell, ShortenedRowsReader::shown)
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
    return Bytes.head(row, ROW_SIZE);
  }

  /** Returns a row's place among the rows of the file. */
  public static byte[] inFile(byte[] row) {
    return row.length < ROW_SIZE
        ? row
        : Bytes.add(
            Bytes.head(row, ROW_SIZE), new byte[] {END}, Bytes.tail(row, row.length - ROW_SIZE));
  }

  @SuppressWarnings("deprecation") // getType() fails for the types of keys of seeks
  private static Cell withRow(Cell cell, UnaryOperator<byte[]> change) {
    KeyValue changed =
        new KeyValue(
            change.apply(CellUtil.cloneRow(cell)),
            CellUtil.cloneFamily(cell),
            CellUtil.cloneQualifier(cell),
            cell.getTimestamp(),
            KeyValue.Type.codeToType(cell.getTypeByte()),
            CellUtil.cloneValue(cell));
    changed.setSequenceId(((ExtendedCell) cell).getSequenceId());
    return changed;
  }
}

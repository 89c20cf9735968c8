package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;

/**
 * A reader of a store file that shows other rows than the file has, as Apache Phoenix's {@code
 * IndexHalfStoreFileReader} does: it overrides what HBase queries of a reader, and no more. Like
 * that one it stands in HBase's package.
 */
public class RewritingReader extends StoreFileReader {
  private final StoreFileReader own;
  private final UnaryOperator<byte[]> rows;

  /**
   * @param own HBase's reader of the file
   * @param rows returns the row that is shown for a row of the file; null to hide it
   */
  public RewritingReader(StoreFileReader own, UnaryOperator<byte[]> rows) {
    this.own = own;
    this.rows = rows;
    try {
      for (Field field : StoreFileReader.class.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          field.set(this, field.get(own));
        }
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("deprecation") // so is HBase's own
  @Override
  public HFileScanner getScanner(boolean cacheBlocks, boolean pread, boolean isCompaction) {
    return rewritten(getHFileReader().getScanner(conf, cacheBlocks, pread, isCompaction), rows);
  }

  /** The first and the last row are those of the file. */
  @Override
  public boolean passesKeyRangeFilter(Scan scan) {
    return true;
  }

  /**
   * The same, with a scanner of HBase's class, which takes HBase's reader for its own. Such a
   * reader shows no row that is not between the file's first and last.
   */
  public static StoreFileReader hidden(StoreFileReader own, UnaryOperator<byte[]> rows) {
    return new RewritingReader(own, rows) {
      @Override
      public StoreFileScanner getStoreFileScanner(
          boolean cacheBlocks,
          boolean pread,
          boolean isCompaction,
          long readPoint,
          long order,
          boolean canOptimize) {
        StoreFileScanner scanner =
            own.getStoreFileScanner(
                cacheBlocks, pread, isCompaction, readPoint, order, canOptimize);
        try {
          Field field = StoreFileScanner.class.getDeclaredField("hfs");
          field.setAccessible(true);
          field.set(scanner, rewritten((HFileScanner) field.get(scanner), rows));
        } catch (ReflectiveOperationException e) {
          throw new AssertionError(e);
        }
        return scanner;
      }

      @Override
      public Map<byte[], byte[]> loadFileInfo() throws IOException {
        own.loadFileInfo();
        return super.loadFileInfo();
      }

      @Override
      public void loadBloomfilter(BlockType type, BloomFilterMetrics metrics) {
        own.loadBloomfilter(type, metrics);
        super.loadBloomfilter(type, metrics);
      }

      @Override
      public Optional<Cell> getFirstKey() {
        return own.getFirstKey();
      }
    };
  }

  /** Has all cells of a file in memory. Its interface is not the same in each line of HBase. */
  private static HFileScanner rewritten(HFileScanner own, UnaryOperator<byte[]> rows) {
    List<Cell> cells = new ArrayList<>();
    try {
      for (boolean more = own.seekTo(); more; more = own.next()) {
        Cell cell = own.getCell();
        byte[] row = rows.apply(CellUtil.cloneRow(cell));
        if (row != null) {
          KeyValue shown =
              new KeyValue(
                  row,
                  CellUtil.cloneFamily(cell),
                  CellUtil.cloneQualifier(cell),
                  cell.getTimestamp(),
                  KeyValue.Type.codeToType(cell.getType().getCode()),
                  CellUtil.cloneValue(cell));
          shown.setSequenceId(((ExtendedCell) cell).getSequenceId());
          cells.add(shown);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    cells.sort(CellComparator.getInstance());
    Cells position = new Cells(cells);
    return (HFileScanner)
        Proxy.newProxyInstance(
            HFileScanner.class.getClassLoader(),
            new Class<?>[] {HFileScanner.class},
            (proxy, method, arguments) -> {
              Cell key = arguments != null && arguments[0] instanceof Cell c ? c : null;
              switch (method.getName()) {
                case "seekTo":
                  return key == null ? position.first() : position.seek(key);
                case "reseekTo":
                  return position.reseek(key);
                case "seekBefore":
                  return position.before(key);
                case "next":
                  return position.next();
                case "isSeeked":
                  return position.cell() != null;
                case "getCell":
                case "getKey":
                  return position.cell();
                case "getNextIndexedKey":
                  return null;
                default:
                  try {
                    return method.invoke(own, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
              }
            });
  }

  /** A position in cells, as HBase's scanner of a file has it. */
  private static final class Cells {
    private final List<Cell> cells;
    private int at = -1;

    Cells(List<Cell> cells) {
      this.cells = cells;
    }

    Cell cell() {
      return at < 0 ? null : cells.get(at);
    }

    boolean first() {
      at = cells.isEmpty() ? -1 : 0;
      return at == 0;
    }

    boolean next() {
      at = at >= 0 && at + 1 < cells.size() ? at + 1 : -1;
      return at >= 0;
    }

    private static int compare(Cell one, Cell other) {
      return PrivateCellUtil.compareKeyIgnoresMvcc(CellComparator.getInstance(), one, other);
    }

    /** Goes to the last cell that is at or before the key. */
    int seek(Cell key) {
      at = -1;
      while (at + 1 < cells.size() && compare(cells.get(at + 1), key) <= 0) {
        at++;
      }
      return at < 0 ? -1 : compare(cells.get(at), key) == 0 ? 0 : 1;
    }

    int reseek(Cell key) {
      return at >= 0 && compare(key, cells.get(at)) <= 0 ? compare(key, cells.get(at)) : seek(key);
    }

    boolean before(Cell key) {
      at = -1;
      while (at + 1 < cells.size() && compare(cells.get(at + 1), key) < 0) {
        at++;
      }
      return at >= 0;
    }
  }
}

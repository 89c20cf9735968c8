package io.winnow.hbase;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;

/** A second HBase in this JVM, in a class loader of its own, into which nothing was woven. */
final class StockHBase {
  private final Class<?> inside;

  public StockHBase() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    try {
      for (String entry : path.split(File.pathSeparator)) {
        urls.add(new File(entry).toURI().toURL());
      }
      URLClassLoader loader =
          new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
      inside = loader.loadClass(StockHBase.class.getName() + "$Inside");
    } catch (MalformedURLException | ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object call(String name, Object... arguments) throws IOException {
    for (Method method : inside.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(inside.getClassLoader());
        try {
          method.setAccessible(true);
          return method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
          throw new IOException("in the stock HBase: " + e.getCause(), e.getCause());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(e);
        } finally {
          Thread.currentThread().setContextClassLoader(before);
        }
      }
    }
    throw new IllegalArgumentException(name);
  }

  /** Writes the file that {@link StoreFiles} writes with the same arguments, and tells its path. */
  public String write(String dir, Map<String, String> family, String type, int rows)
      throws IOException {
    return (String) call("write", dir, family, type, rows);
  }

  /** The rows that a scan finds, and whether a filter was loaded: "1000 rows, filter: null". */
  public String read(String path, String type) throws IOException {
    return (String) call("read", path, type);
  }

  /** What runs in the class loader. */
  public static final class Inside {
    private Inside() {}

    static String write(String dir, Map<String, String> family, String type, int rows)
        throws IOException {
      return StoreFiles.write(
              java.nio.file.Path.of(dir),
              StoreFiles.conf(family),
              BloomType.valueOf(type),
              StoreFiles.mixedRows(rows))
          .toString();
    }

    static String read(String path, String type) throws IOException {
      Configuration conf = StoreFiles.conf(Map.of());
      HStoreFile file =
          StoreFiles.open(
              conf,
              new org.apache.hadoop.fs.Path(path),
              BloomType.valueOf(type),
              new BloomFilterMetrics());
      int rows = 0;
      byte[] last = null;
      HFileScanner scanner = file.getReader().getHFileReader().getScanner(conf, false, true, false);
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        Cell cell = scanner.getCell();
        byte[] row = CellUtil.cloneRow(cell);
        if (last == null || !Bytes.equals(row, last)) {
          rows++;
        }
        if (!StoreFileDoor.passes(file.getReader(), row, null)) {
          return "row lost: " + Bytes.toString(row);
        }
        last = row;
      }
      String filter = String.valueOf(StoreFileDoor.generalFilter(file.getReader()));
      file.closeStoreFile(true);
      return rows + " rows, filter: " + filter;
    }
  }
}

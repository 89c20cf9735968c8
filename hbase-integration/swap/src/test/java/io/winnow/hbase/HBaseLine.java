package io.winnow.hbase;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.VersionInfo;

/**
 * The line of HBase that the tests run on. They are compiled against 2.6 and run on other lines,
 * too: what differs for tests is here.
 */
public final class HBaseLine {
  private HBaseLine() {}

  /** HBase's version, as in {@code 2.6.4-hadoop3}. */
  public static String version() {
    return VersionInfo.getVersion();
  }

  /** Whether this is HBase 2.6 or a later one. For the assumption of a test, with the reason. */
  public static boolean isAtLeast26() {
    String[] parts = version().split("[.-]");
    int major = Integer.parseInt(parts[0]);
    return major > 2 || (major == 2 && Integer.parseInt(parts[1]) >= 6);
  }

  public static StoreFileInfo storeFileInfo(Configuration conf, FileSystem fs, Path path)
      throws IOException {
    Constructor<StoreFileInfo> elsewhere;
    try {
      elsewhere =
          StoreFileInfo.class.getConstructor(
              Configuration.class, FileSystem.class, Path.class, boolean.class);
    } catch (NoSuchMethodException e) {
      return StoreFileInfo.createStoreFileInfoForHFile(conf, fs, path, true);
    }
    try {
      return elsewhere.newInstance(conf, fs, path, true);
    } catch (InvocationTargetException e) {
      throw new IOException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}

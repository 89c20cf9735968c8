package io.winnow.hbase.agent;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;

/** The tool of bulk load that splits store files, woven as the agent would, without an agent. */
public final class WovenSplitter {
  private WovenSplitter() {}

  private static final class Woven {
    static final Class<?> TOOL = define();

    private static Class<?> define() {
      try {
        return MethodHandles.privateLookupIn(BulkLoadHFiles.class, MethodHandles.lookup())
            .defineClass(
                WovenFactory.rowOf(target()).weaver.weave(WovenFactory.stockBytes(target())));
      } catch (IllegalAccessException e) {
        throw new LinkageError("cannot define the woven tool", e);
      }
    }
  }

  /** The internal name of the class. */
  static String target() {
    String ofHBase2 = WovenFactory.row("LoadIncrementalHFiles").target();
    return WovenSplitter.class.getClassLoader().getResource(ofHBase2 + ".class") == null
        ? WovenFactory.row("BulkLoadHFilesTool").target()
        : ofHBase2;
  }

  /** The tool itself, with its hook. */
  public static Class<?> tool() {
    return Woven.TOOL;
  }

  /** Copies the rows below a key to one file, and the others to another one. */
  public static void split(
      Class<?> tool,
      Configuration conf,
      Path file,
      ColumnFamilyDescriptor family,
      byte[] splitKey,
      Path bottom,
      Path top)
      throws IOException {
    // It would ask for the host of each region.
    conf.setBoolean("hbase.bulkload.locality.sensitive.enabled", false);
    try {
      for (Method method : tool.getDeclaredMethods()) {
        if (method.getName().equals("splitStoreFile")) {
          if (method.getParameterCount() == 6) {
            method.setAccessible(true);
            method.invoke(null, conf, file, family, splitKey, bottom, top);
            return;
          }
          if (method.getParameterCount() == 7) { // HBase 3
            method.setAccessible(true);
            method.invoke(null, null, conf, file, family, splitKey, bottom, top);
            return;
          }
        }
      }
    } catch (InvocationTargetException e) {
      throw new IOException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("no splitStoreFile in " + tool);
  }
}

package io.winnow.hbase;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, for tests that write many files: without permissions. For each file
 * it would start a process, {@code chmod}, which takes longer than all the rest.
 */
public final class LocalFiles extends LocalFileSystem {
  /** Made by Hadoop. */
  public LocalFiles() {
    super(new WithoutPermissions());
  }

  /** Has it used with this configuration, if no other one of the JVM came before. */
  public static void in(Configuration conf) {
    conf.set("fs.file.impl", LocalFiles.class.getName());
  }

  private static final class WithoutPermissions extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) {}
  }
}

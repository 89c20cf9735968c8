package io.winnow.hbase.hooks;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RewritingReader;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/**
 * What opens the files of a region as a test says. It is no part of the test's class: JUnit looks
 * at the methods of that one before the classes that they name are woven.
 */
public final class OpenedFiles {
  /** What becomes of HBase's reader of a file. */
  private interface Opening {
    /**
     * @param half null for a whole file
     */
    StoreFileReader of(Reference half, StoreFileReader own);
  }

  private static volatile Opening opening;

  private OpenedFiles() {}

  static void asHBaseDoes() {
    opening = (half, own) -> own;
  }

  static void as(RewrittenFiles files) {
    opening =
        (half, own) ->
            (half != null) == files.areHalves() ? new RewritingReader(own, files.rows()) : own;
  }

  /** With scanners and readers of HBase's classes: only the innermost scanner is another. */
  static void asHidden(RewrittenFiles files) {
    opening = (half, own) -> RewritingReader.hidden(own, files.rows());
  }

  /** A reader of another class, which shows the rows of the file. */
  static StoreFileReader another(StoreFileReader own) {
    return new RewritingReader(own, row -> row);
  }

  /** A coprocessor. */
  public static final class Observer implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @SuppressWarnings("deprecation") // it is for Phoenix only
    @Override
    public StoreFileReader postStoreFileReaderOpen(
        ObserverContext<RegionCoprocessorEnvironment> context,
        FileSystem fs,
        Path path,
        FSDataInputStreamWrapper in,
        long size,
        CacheConfig cacheConf,
        Reference half,
        StoreFileReader reader) {
      return opening.of(half, reader);
    }
  }

  /** A store's engine, which gives each file another reader. */
  public static final class Engine extends DefaultStoreEngine {
    @Override
    public HStoreFile createStoreFileAndReader(StoreFileInfo info) throws IOException {
      HStoreFile file = super.createStoreFileAndReader(info);
      try {
        Field reader = HStoreFile.class.getDeclaredField("initialReader");
        reader.setAccessible(true);
        reader.set(file, opening.of(info.getReference(), file.getReader()));
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
      return file;
    }
  }
}

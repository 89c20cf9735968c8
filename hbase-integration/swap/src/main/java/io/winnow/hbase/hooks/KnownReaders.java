package io.winnow.hbase.hooks;

import io.winnow.hbase.HBaseMember;
import io.winnow.hbase.read.WinnowFilterReader;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.SegmentScanner;
import org.apache.hadoop.hbase.regionserver.SnapshotSegmentScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * Checks that a reader, scanner or filter of a store file is of a class of HBase or Winnow, not of
 * a coprocessor's, which may show other rows. For any other class Winnow answers no more than HBase
 * queries.
 *
 * <p>A coprocessor may open a store file with a reader of its own, and this may show other rows
 * than the file has. Apache Phoenix does so with the halves of a local index: there each row begins
 * with the start key of the daughter region, and in the file and its filter with that of the
 * parent. Such a reader overrides what HBase queries, and cannot know what we query.
 *
 * <p>Only classes are compared, and nothing is allocated.
 */
final class KnownReaders {
  private static final MethodHandle READER =
      HBaseMember.SCANNED_READER.getter(StoreFileReader.class, StoreFileScanner.class);

  private static final MethodHandle FILE_SCANNER =
      HBaseMember.FILE_SCANNER.getter(HFileScanner.class, StoreFileScanner.class);

  /** Names of HBase's own classes of HFile scanners, which are not public. */
  private static final Set<String> FILE_SCANNERS =
      Set.of(
          "org.apache.hadoop.hbase.io.hfile.HFileReaderImpl$HFileScannerImpl",
          "org.apache.hadoop.hbase.io.hfile.HFileReaderImpl$EncodedScanner",
          "org.apache.hadoop.hbase.io.HalfStoreFileReader$1");

  private static final ClassValue<Boolean> IS_KNOWN_FILE_SCANNER =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return FILE_SCANNERS.contains(type.getName())
              && type.getClassLoader() == StoreFileReader.class.getClassLoader();
        }
      };

  private KnownReaders() {}

  /**
   * Returns true if a reader is of HBase's own class, and so shows the rows of its file, or of one
   * half of the file.
   */
  static boolean isKnown(StoreFileReader reader) {
    Class<?> type = reader.getClass();
    return type == StoreFileReader.class || type == HalfStoreFileReader.class;
  }

  /**
   * Returns true if a filter is Winnow's or of HBase's own class, and so has the rows of its file
   * as keys.
   */
  static boolean isKnown(BloomFilter filter) {
    return filter instanceof WinnowFilterReader || filter.getClass() == CompoundBloomFilter.class;
  }

  /**
   * Returns true if all scanners of a store are of HBase's own classes, and so show the rows of its
   * files and of its memory. A scanner that is not HBase's own may hide one that is.
   */
  static boolean areKnown(List<?> scanners) throws Throwable {
    for (int i = 0; i < scanners.size(); i++) {
      KeyValueScanner scanner = (KeyValueScanner) scanners.get(i);
      Class<?> type = scanner.getClass();
      if (type != SegmentScanner.class
          && type != SnapshotSegmentScanner.class // a flush's
          && (type != StoreFileScanner.class || !isOfKnown((StoreFileScanner) scanner))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOfKnown(StoreFileScanner scanner) throws Throwable {
    HFileScanner ofFile = (HFileScanner) FILE_SCANNER.invokeExact(scanner);
    return isKnown((StoreFileReader) READER.invokeExact(scanner))
        && IS_KNOWN_FILE_SCANNER.get(ofFile.getClass());
  }
}

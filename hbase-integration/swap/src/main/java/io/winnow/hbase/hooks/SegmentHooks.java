package io.winnow.hbase.hooks;

import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.format.CellOrder;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.metrics.Failures;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.SystemFiles;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import io.winnow.hbase.write.SegmentCollector;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of the writer of an HFile, which sees each cell of each file. They collect the segments of
 * the rows, whatever filter the file has. They throw nothing: if one fails, the file is written
 * without segments.
 */
public final class SegmentHooks {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentHooks.class);

  private static final Failures FAILURES =
      new Failures(
          LOG::error,
          "Cannot collect key segments: a file is written without them",
          ServerMetric.SEGMENTS_ABANDONED,
          RepeatedLog.everyMinutes(10));

  private static final Failures WRONG_SETTINGS =
      new Failures(
          (line, wrong) -> LOG.error("{}: {}", ((WrongSettingException) wrong).inWords(), line),
          "files are written without key segments",
          ServerMetric.SEGMENTS_ABANDONED,
          RepeatedLog.everyMinutes(10));

  private SegmentHooks() {}

  /**
   * Returns the collector of the segments of a new file, for the constructor of {@code
   * HFileWriterImpl}; null if the file gets no segments.
   *
   * @param file null if unknown
   */
  public static Object collector(Configuration conf, Path file, HFileContext context) {
    try {
      SegmentRule rule = WinnowSettings.segmentRule(conf);
      return rule == null
              || context == null
              || !CellOrder.isByBytes(context.getCellComparator())
              || SystemFiles.keepStockFilter(conf, context, file)
          ? null
          : new SegmentCollector(rule);
    } catch (Throwable e) { // a wrong setting, for instance
      failed(e, file);
      return null;
    }
  }

  /**
   * Adds the row of a cell to the segments of a new file.
   *
   * @param collector the result of {@link #collector}
   */
  public static void append(Object collector, Cell cell) {
    if (collector == null) {
      return;
    }
    try {
      ((SegmentCollector) collector).add(cell);
    } catch (Throwable e) {
      failed(e, null);
    }
  }

  /**
   * Puts the segments of a new file into its file info, before that is written.
   *
   * @param collector the result of {@link #collector}
   */
  public static void finish(Object collector, HFile.Writer writer) {
    if (collector == null) {
      return;
    }
    try {
      KeySegment segment = ((SegmentCollector) collector).segments();
      if (segment != null) {
        writer.appendFileInfo(KeySegment.key(), segment.toBytes());
      }
    } catch (Throwable e) {
      failed(e, writer.getPath());
    }
  }

  private static void failed(Throwable cause, Object file) {
    (cause instanceof WrongSettingException ? WRONG_SETTINGS : FAILURES).report(cause, file);
  }
}

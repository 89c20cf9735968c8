package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.WinnowSettings;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of HBase's tools for bulk load, which bring the settings of a family to the files that
 * these tools write. A region server lays the family's CONFIGURATION over hbase-site.xml, but these
 * tools do not.
 *
 * <p>The tool that splits a file over a region boundary has the family's descriptor. A MapReduce
 * task does not have it, so the settings travel in the job's configuration, one property per
 * family.
 *
 * <p>A tool gets the keys {@code winnow.*}, and for a family with one of our filters HBase's own
 * keys of filters too. Segments need no filter of ours. The hooks throw nothing: if one fails, a
 * tool goes on as without it.
 */
public final class BulkLoadHooks {
  private static final Logger LOG = LoggerFactory.getLogger(BulkLoadHooks.class);

  /**
   * Key under which a bulk load's configuration has the name of the family, for messages: the
   * tools' files do not have the name.
   */
  public static final String FAMILY = "winnow.bulkload.family";

  private static final String STOCK = "io.storefile.bloom.";
  private static final String JOB_PREFIX = "winnow.bulkload.of.";

  private BulkLoadHooks() {}

  /**
   * Returns the configuration, with a family's settings, to write half of a file that a bulk load
   * splits. Called by {@code LoadIncrementalHFiles.copyHFileHalf}.
   */
  public static Configuration ofFamily(Configuration conf, ColumnFamilyDescriptor family) {
    try {
      Map<String, String> settings = carried(FamilyConfiguration.ofFamily(family));
      return overlaid(conf, settings, family.getNameAsString());
    } catch (Throwable e) {
      LOG.error(
          "Cannot read the family's filter settings: the tool uses those of hbase-site.xml", e);
      return conf;
    }
  }

  /**
   * Returns the configuration, with a family's settings, to write a file in a MapReduce job for
   * bulk load. Called by the writer of {@code HFileOutputFormat2}.
   */
  public static Configuration ofFamily(Configuration job, byte[] table, byte[] family) {
    try {
      String carried = job.getRaw(jobKey(TableName.valueOf(table), family));
      return overlaid(job, carried == null ? Map.of() : decoded(carried), Bytes.toString(family));
    } catch (Throwable e) {
      LOG.error("Cannot read the family's filter settings: the task uses those of the job", e);
      return job;
    }
  }

  /**
   * Records the settings of a table's families in a MapReduce job for bulk load. Called by {@code
   * HFileOutputFormat2.configureIncrementalLoadMap}.
   */
  public static void record(Configuration job, TableDescriptor table) {
    try {
      for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
        Map<String, String> settings = carried(FamilyConfiguration.ofTable(table));
        settings.putAll(carried(FamilyConfiguration.ofFamily(family)));
        String key = jobKey(table.getTableName(), family.getName());
        if (settings.isEmpty()) {
          job.unset(key);
        } else {
          job.set(key, encoded(settings));
        }
      }
    } catch (Throwable e) {
      LOG.error("Cannot record the families' filter settings in the job", e);
    }
  }

  /**
   * Records the settings of the families of several tables in a MapReduce job for bulk load. Called
   * by {@code HFileOutputFormat2.configureIncrementalLoad}.
   *
   * @param tableInfos objects of a class that HBase does not publish
   */
  public static void record(Configuration job, List<?> tableInfos) {
    try {
      for (Object info : tableInfos) {
        Method descriptor = info.getClass().getMethod("getTableDescriptor");
        descriptor.setAccessible(true); // the class is not public
        record(job, (TableDescriptor) descriptor.invoke(info));
      }
    } catch (Throwable e) {
      LOG.error("Cannot record the families' filter settings in the job", e);
    }
  }

  /** Returns those configuration values of a table or a family that are settings of filters. */
  private static Map<String, String> carried(Map<String, String> values) {
    Map<String, String> settings = new TreeMap<>(values);
    settings
        .keySet()
        .removeIf(
            key ->
                !key.startsWith(Setting.PREFIX)
                    && !key.startsWith(STOCK)
                    && !key.equals(BloomFilterUtil.PREFIX_LENGTH_KEY));
    return settings;
  }

  /**
   * Returns the configuration of a bulk load in which the settings of a family override others. A
   * family without one of our filters gets the stock filter with the settings that it has without
   * Winnow.
   */
  private static Configuration overlaid(
      Configuration conf, Map<String, String> settings, String family) {
    Configuration own = new Configuration(conf);
    settings.forEach(
        (key, value) -> {
          if (key.startsWith(Setting.PREFIX)) {
            own.set(key, value);
          }
        });
    if (WinnowSettings.wantsWinnow(own)) {
      settings.forEach(own::set);
      own.set(FAMILY, family);
      return own;
    }
    return settings.containsKey(Setting.SCAN_SEGMENT.key) || WinnowSettings.wantsWinnow(conf)
        ? own
        : conf;
  }

  private static String jobKey(TableName table, byte[] family) {
    return JOB_PREFIX + encoded(table.getNameAsString()) + '/' + encoded(Bytes.toString(family));
  }

  private static String encoded(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> encoded(setting.getKey()) + '=' + encoded(setting.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static Map<String, String> decoded(String settings) {
    Map<String, String> map = new TreeMap<>();
    for (String setting : settings.split("&")) {
      int equals = setting.indexOf('=');
      map.put(
          decodedWord(setting.substring(0, equals)), decodedWord(setting.substring(equals + 1)));
    }
    return map;
  }

  private static String encoded(String word) {
    return URLEncoder.encode(word, StandardCharsets.UTF_8);
  }

  private static String decodedWord(String word) {
    return URLDecoder.decode(word, StandardCharsets.UTF_8);
  }
}

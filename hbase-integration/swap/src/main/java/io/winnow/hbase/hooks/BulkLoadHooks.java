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
 * Brings a family's settings to the tools that write store files outside a store: a region server
 * lays the family's CONFIGURATION over hbase-site.xml, the tools of bulk load do not.
 *
 * <p>The tool that splits a file over a region boundary has the family's descriptor at hand. A
 * MapReduce task has not: there the settings travel in the job's configuration, one property per
 * family.
 *
 * <p>Only {@code winnow.*} is carried, and for a family that asks for one of our filters what
 * HBase's own keys say about it. Throws nothing: a tool works on as if this were not there.
 */
public final class BulkLoadHooks {
  private static final Logger LOG = LoggerFactory.getLogger(BulkLoadHooks.class);

  /** Whose settings these are, for messages: a tool's files do not tell their family. */
  public static final String FAMILY = "winnow.bulkload.family";

  private static final String STOCK = "io.storefile.bloom.";
  private static final String JOB_PREFIX = "winnow.bulkload.of.";

  private BulkLoadHooks() {}

  /** Asked by {@code LoadIncrementalHFiles.copyHFileHalf}: with what to write the half. */
  public static Configuration ofFamily(Configuration conf, ColumnFamilyDescriptor family) {
    try {
      Map<String, String> settings = carried(FamilyConfiguration.ofFamily(family));
      return overlaid(conf, settings, family.getNameAsString());
    } catch (Throwable e) {
      LOG.error("Cannot tell what filter the family asks for: as hbase-site.xml says", e);
      return conf;
    }
  }

  /** Asked by the record writer of {@code HFileOutputFormat2}: with what to write a file. */
  public static Configuration ofFamily(Configuration job, byte[] table, byte[] family) {
    try {
      String carried = job.getRaw(jobKey(TableName.valueOf(table), family));
      return overlaid(job, carried == null ? Map.of() : decoded(carried), Bytes.toString(family));
    } catch (Throwable e) {
      LOG.error("Cannot tell what filter the family asks for: as the job says", e);
      return job;
    }
  }

  /** Told by {@code HFileOutputFormat2.configureIncrementalLoadMap}. */
  public static void remember(Configuration job, TableDescriptor table) {
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
      LOG.error("Cannot hand the families' filter settings to the job", e);
    }
  }

  /** Told by {@code HFileOutputFormat2.configureIncrementalLoad}, in its own kind of table. */
  public static void remember(Configuration job, List<?> tableInfos) {
    try {
      for (Object info : tableInfos) {
        Method descriptor = info.getClass().getMethod("getTableDescriptor");
        descriptor.setAccessible(true); // the class itself is HBase's own affair
        remember(job, (TableDescriptor) descriptor.invoke(info));
      }
    } catch (Throwable e) {
      LOG.error("Cannot hand the families' filter settings to the job", e);
    }
  }

  /** Those among the values of a table or a family that say something about filters. */
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

  /** A family that does not ask for one of our filters gets what it would have got without us. */
  private static Configuration overlaid(
      Configuration conf, Map<String, String> settings, String family) {
    Configuration own = new Configuration(conf);
    settings.forEach(
        (key, value) -> {
          if (key.startsWith(Setting.PREFIX)) {
            own.set(key, value);
          }
        });
    if (WinnowSettings.askedIn(own)) {
      settings.forEach(own::set);
      own.set(FAMILY, family);
      return own;
    }
    return WinnowSettings.askedIn(conf) ? own : conf;
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

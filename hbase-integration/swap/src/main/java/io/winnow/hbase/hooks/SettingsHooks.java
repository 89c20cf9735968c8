package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.SettingsCheck;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Hook of a master that checks the descriptor of a table for wrong filter settings. */
public final class SettingsHooks {
  private SettingsHooks() {}

  /**
   * Checks the filter settings of a table that is created or altered. Called by {@code
   * TableDescriptorChecker.sanityCheck}.
   *
   * @throws DoNotRetryIOException if a setting of the table has to be refused; nothing else is
   *     thrown
   */
  public static void check(Configuration site, TableDescriptor table) throws DoNotRetryIOException {
    SettingsCheck.check(site, table);
  }
}

/**
 * Settings of a column family, and what follows from them for a file's filter: its kind, its size,
 * and its rate by the rule of {@link io.winnow.hbase.settings.StoreRate}.
 *
 * <p>{@link io.winnow.hbase.settings.Setting} lists the keys, {@link
 * io.winnow.hbase.settings.FilterChoice} the kinds of filter, and {@link
 * io.winnow.hbase.settings.FamilyConfiguration} lays site, table and family over each other. A
 * writer's {@link io.winnow.hbase.settings.WinnowSettings} are read once. The master refuses wrong
 * values; elsewhere they fail no file.
 */
package io.winnow.hbase.settings;

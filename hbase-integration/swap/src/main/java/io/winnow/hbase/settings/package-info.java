/**
 * A column family's settings, and what they make of a file's filter: its kind, its rate by the rule
 * of {@link io.winnow.hbase.settings.StoreRate}, its size.
 *
 * <p>{@link io.winnow.hbase.settings.Setting} lists the keys, {@link
 * io.winnow.hbase.settings.FilterChoice} the kinds of filter, and {@link
 * io.winnow.hbase.settings.FamilyConfiguration} lays site, table and family over each other. A
 * writer's {@link io.winnow.hbase.settings.WinnowSettings} are resolved once. Wrong values are told
 * to the master ({@link io.winnow.hbase.settings.SettingsCheck}) and fail no file.
 */
package io.winnow.hbase.settings;

/**
 * Methods that woven classes of HBase call, except those that handle the failure of such a call.
 * These are in {@code agent.HookFailures}, which must link where a hook does not.
 *
 * <p>A hook throws into HBase only what makes HBase serve a file without its filter, or what
 * refuses a table. The agent names these classes and their methods by text.
 */
package io.winnow.hbase.hooks;

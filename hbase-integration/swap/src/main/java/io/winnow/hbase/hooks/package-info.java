/**
 * The hooks: all methods that woven classes of HBase call, but for the handlers of failures in
 * {@code agent.HookFailures}, which must link where a hook does not.
 *
 * <p>A hook throws into HBase only what makes HBase serve a file without its filter, or what
 * refuses a table. The agent names these classes and their methods by text.
 */
package io.winnow.hbase.hooks;

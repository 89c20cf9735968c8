/**
 * The Java agent, which puts Winnow into a stock HBase and checks that it is in use, or refuses to
 * start.
 *
 * <pre>
 *   Premain        Java 8 and the argument        WovenClass     the table of all that is woven
 *   WinnowAgent    messages, and the exit         Feature        what can be off, or does not fit
 *   Installation   checks, weaves, proves         LinkCheck      every member of HBase that we use
 * </pre>
 */
package io.winnow.hbase.agent;

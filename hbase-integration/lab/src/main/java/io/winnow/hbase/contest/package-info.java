/**
 * The engine of measuring commands: contenders take turns, round after round, under the conditions
 * of a case. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.contest;

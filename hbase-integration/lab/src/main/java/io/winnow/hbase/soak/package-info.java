/**
 * The command {@code ./winnow soak}: a small cluster that is used, altered and killed for hours,
 * with every row checked and its servers watched. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.soak;

/**
 * Results of measuring commands as JSON, and the pages and charts that are made of them. In {@code
 * winnow-lab.jar}.
 */
package io.winnow.hbase.report;

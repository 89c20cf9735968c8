/**
 * What a measuring command shows and keeps: pages, charts, and results as JSON. In {@code
 * winnow-lab.jar}.
 */
package io.winnow.hbase.report;

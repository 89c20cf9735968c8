/** What a measuring command shows and keeps: progress, tables, charts, and results as JSON. */
package io.winnow.hbase.report;

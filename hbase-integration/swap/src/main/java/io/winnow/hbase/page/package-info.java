/** The page {@code /winnow} among a region server's own web pages. */
package io.winnow.hbase.page;

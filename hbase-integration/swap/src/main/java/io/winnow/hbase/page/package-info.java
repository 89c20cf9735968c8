/** The page {@code /winnow} among the web pages of a region server. */
package io.winnow.hbase.page;

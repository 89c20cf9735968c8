/**
 * Filters over byte strings: Ribbon, quotient and Bloom filters, and large sets and tables on
 * flash. Each exported package is for users; what only another module of Winnow calls is exported
 * to that one.
 *
 * <p>{@code io.winnow.cascade} and the packages in {@code io.winnow.flash} need Netty's buffers at
 * run time: a module that uses them requires {@code io.netty.buffer} and {@code io.netty.common}
 * itself.
 */
module io.winnow {
  requires com.dynatrace.hash4j;
  requires org.apache.commons.codec;
  requires static io.netty.buffer;
  requires static io.netty.common;

  exports io.winnow;
  exports io.winnow.image;
  exports io.winnow.quotient;
  exports io.winnow.ribbon;
  exports io.winnow.cascade;
  exports io.winnow.flash;
  exports io.winnow.flash.buffered;
  exports io.winnow.flash.bufferhash;
  exports io.winnow.flash.store;
  exports io.winnow.base to
      io.winnow.hbase;
  exports io.winnow.flash.drive to
      io.winnow.hbase.dedup;
}

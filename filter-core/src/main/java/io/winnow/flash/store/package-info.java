/**
 * What every structure on flash is made of: files, a lock, pages, a log, heads and small text
 * files.
 *
 * <p>A {@link io.winnow.flash.store.PageStore} is an array of pages, each with a checksum over its
 * place and the random id of its structure. All that touches files goes through {@link
 * io.winnow.flash.store.FileAccess}, where tests cut in with failed fsyncs, full drives and power
 * cuts. Direct I/O leaves the page cache out.
 */
package io.winnow.flash.store;

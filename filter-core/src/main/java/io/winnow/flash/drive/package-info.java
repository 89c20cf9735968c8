/**
 * Common parts of all structures on flash: files, a lock, pages, a log, heads and small text files.
 *
 * <p>A {@link io.winnow.flash.drive.PageStore} is an array of pages, each with a checksum over its
 * place and the random id of its structure. All access to files goes through {@link
 * io.winnow.flash.drive.FileAccess}; tests replace it to simulate failed fsyncs, full drives and
 * power cuts. Direct I/O bypasses the page cache.
 */
package io.winnow.flash.drive;

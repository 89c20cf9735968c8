/**
 * The parts of a store file that belong to its filters, beside the filters' images: the meta block,
 * the index of chunks, the row prefixes, and the kinds of keys.
 *
 * <p>A file's filter is a sequence of chunks, each an inline {@code BLOOM_CHUNK} block with one
 * image. A key belongs to the last chunk whose first key is not greater than the key. All of it is
 * a format: {@code docs/format/hfile-meta-v2.md}.
 */
package io.winnow.hbase.format;

/** The serialized form that all filters share: its header, its checks, its checksums. */
package io.winnow.format;

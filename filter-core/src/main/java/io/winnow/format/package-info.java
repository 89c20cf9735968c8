/** The serialized form that all filters share: header, checks and checksums. */
package io.winnow.format;

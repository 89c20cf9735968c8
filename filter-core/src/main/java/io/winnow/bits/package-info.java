/** Absolute reads of bytes in place: in arrays, buffers, and objects of a host. */
package io.winnow.bits;

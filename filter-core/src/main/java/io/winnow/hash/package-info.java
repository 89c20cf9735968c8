/** Hash functions from keys to 64-bit hashes: the only code that reads the bytes of keys. */
package io.winnow.hash;

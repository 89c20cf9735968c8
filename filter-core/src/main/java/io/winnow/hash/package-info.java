/**
 * Keys to 64-bit hashes, and the buffer that collects them. The one place where a key's bytes are
 * looked at.
 */
package io.winnow.hash;

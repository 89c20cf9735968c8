/** Keys to 64-bit hashes. The one place where a key's bytes are looked at. */
package io.winnow.hash;

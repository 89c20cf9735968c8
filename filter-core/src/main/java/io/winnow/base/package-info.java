/** Parts that all other packages may use: keys that wait, scratch memory, checks, mixed hashes. */
package io.winnow.base;

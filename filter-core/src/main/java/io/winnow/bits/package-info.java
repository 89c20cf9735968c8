/** Reading bytes where they lie: arrays, buffers, and what a host brings along. */
package io.winnow.bits;

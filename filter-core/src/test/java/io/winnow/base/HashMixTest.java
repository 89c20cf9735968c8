package io.winnow.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.TestHashes;
import org.junit.jupiter.api.Test;

class HashMixTest {
  /** Known answers: the function is schema-critical. */
  @Test
  void knownAnswers() {
    assertEquals(0, HashMix.mix(0));
    assertEquals(0xD35C43E861EA4056L, HashMix.mix(0xE220A8397B1DCDAFL));
    assertEquals(0xEA4924924924924AL, HashMix.mix(0x12FCC6E7B304DBC8L));
  }

  /** A bijection, and what the tests take for its inverse is it. */
  @Test
  void unmixing() {
    for (int i = 0; i < 100_000; i++) {
      long hash = TestHashes.splitMix(1, i) << i % 64;
      assertEquals(hash, TestHashes.unmix(HashMix.mix(hash)));
      assertEquals(hash, HashMix.mix(TestHashes.unmix(hash)));
    }
  }
}

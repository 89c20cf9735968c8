package io.winnow.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.store.Damage;
import io.winnow.flash.store.IoSnapshot;
import org.junit.jupiter.api.Test;

class FieldTextTest {
  @Test
  void valuesShowTheirFieldsInOrderAndNoConstants() {
    assertEquals(
        "IoSnapshot[reads=1, readBytes=4096, writes=2, writtenBytes=8192]",
        new IoSnapshot(1, 4096, 2, 8192).toString());
    assertEquals("BloomSizing[bits=1000, hashFunctions=7]", new BloomSizing(1000, 7).toString());
    assertEquals(
        "Damage[file=level-1, page=3, reason=null]", new Damage("level-1", 3, null).toString());
  }
}

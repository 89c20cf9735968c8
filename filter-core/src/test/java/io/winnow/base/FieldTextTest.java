package io.winnow.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FieldTextTest {
  @Test
  void valuesShowTheirFieldsInOrderAndNoConstants() {
    assertEquals(
        "IoSnapshot[reads=1, readBytes=4096, writes=2, writtenBytes=8192]",
        new IoSnapshot(1, 4096, 2, 8192).toString());
    assertEquals("BloomSizing[bits=1000, hashFunctions=7]", new BloomSizing(1000, 7).toString());
    assertEquals(
        "FlashStatistics[numbers={}, lastFailure=null, io=null, direct=true]",
        new FlashStatistics<>(Map.<TimeUnit, Long>of(), null, null, true).toString());
  }
}

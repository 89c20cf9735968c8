package io.winnow.flash.bufferhash;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** What a table did since it was opened. */
final class TableCounters {
  final LongAdder puts = new LongAdder();
  final LongAdder deletes = new LongAdder();
  final LongAdder lookups = new LongAdder();
  final LongAdder hits = new LongAdder();
  final LongAdder hitsInMemory = new LongAdder();
  final LongAdder lookupReads = new LongAdder();
  final LongAdder falseReads = new LongAdder();
  final LongAdder failedLookups = new LongAdder();
  final LongAdder incarnationsWritten = new LongAdder();
  final LongAdder incarnationsEvicted = new LongAdder();
  final LongAdder retained = new LongAdder();
  final LongAdder notRetained = new LongAdder();
  final LongAdder reinserted = new LongAdder();
  final LongAdder waits = new LongAdder();
  final LongAdder waitedNanos = new LongAdder();
  final AtomicReference<Throwable> lastFailure = new AtomicReference<>();
}

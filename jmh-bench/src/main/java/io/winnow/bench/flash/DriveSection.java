package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** The drive and the settings of the run: what bounds every figure. */
final class DriveSection {
  private DriveSection() {}

  static Section of(Results results) {
    Figures figures = new Figures(results);
    Table table = new Table("the drive and the settings", "", "");
    row(table, "random reads of 4 KiB per second, one at a time", figures.setup(Drive.READS_1), 0);
    row(table, "random reads of 4 KiB per second, 16 at a time", figures.setup(Drive.READS_16), 0);
    row(table, "reads of 1 MiB, MB/s", figures.setup(Drive.READ_MB), 0);
    row(table, "writes of 1 MiB, MB/s", figures.setup(Drive.WRITTEN_MB), 0);
    row(table, "the longest of them, ms", figures.setup(Drive.LONGEST), 2);
    row(table, "scale", figures.setup("scale"), 2);
    row(table, "entries of a map before it is measured", figures.setup("mapEntries"), 0);
    row(table, "keys of a peer's set", figures.setup("peerKeys"), 0);
    row(table, "BufferHash: super tables", figures.setup("bufferHashSuperTables"), 0);
    row(table, "BufferHash: incarnations of each", figures.setup("bufferHashIncarnations"), 0);
    row(
        table,
        "BufferHash: pages that a lookup reads in vain, by its layout",
        figures.setup("bufferHashFalseReadsByLayout"),
        5);
    row(table, "BufferHash: incarnations evicted", figures.setup("bufferHashEvicted"), 0);
    row(
        table,
        "BufferHash: seconds that inserts waited",
        figures.setup("bufferHashWaitedSeconds"),
        2);
    return new Section(
            "Drive and settings",
            """
            The drive was measured first, with the page store of ours. The structures have the same directory and
            the same memory: buffers, caches, filters and memtables together.

            *Direct I/O*: ours and RocksDB have it, for its flushes and compactions too. JE has none. So the
            bench has the system drop all that JE read from the page cache four times a second (`posix_fadvise`,
            by `dd`), and writes JE's changed pages to the drive once a second, so that they are dropped too.
            What it reads twice within a quarter of a second comes from memory beyond its own, some MiB of it,
            which is in its favour.%s

            *Durability*: no structure syncs in these runs. BufferHash, the cascade and the Bloom filters have no
            log here, RocksDB's is off. JE's log is its data; nothing of it is synced, as with `COMMIT_NO_SYNC`.
            JE has no transactions and no locks here, values within its leaves, reads of 8 KiB so that
            a leaf takes one, and its cleaner and checkpointer running. RocksDB has a quarter of the memory for two memtables; its block cache has the rest, with
            indexes and filters (ten bits per key, Bloom or as good a Ribbon); blocks of 4 KiB, no compression.

            *Licences*: BerkeleyDB Java Edition (`com.sleepycat:je`) is under the Apache License 2.0, RocksDB
            (`org.rocksdb:rocksdbjni`) under the Apache License 2.0 or the GPL 2.0. They are on the class path of
            this benchmark alone, and in no jar that we build.
            """
                .formatted(
                    figures.setup("jeOutOfPageCache").orElse(1) == 1
                        ? ""
                        : " In this run the system did not do so: JE's reads may have come from memory."))
        .add(table);
  }

  private static void row(Table table, String what, OptionalDouble value, int decimals) {
    if (value.isPresent()) {
      table.row(what, Table.number(value, decimals));
    }
  }
}

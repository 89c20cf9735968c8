package io.winnow.hbase;

import static io.winnow.hbase.FaultCasesTest.Seen.ABANDONED;
import static io.winnow.hbase.FaultCasesTest.Seen.GIVEN_UP;
import static io.winnow.hbase.FaultCasesTest.Seen.LOAD_FAILURE;
import static io.winnow.hbase.FaultCasesTest.Seen.NOTHING;
import static io.winnow.hbase.FaultCasesTest.Seen.NOT_OPENED;
import static io.winnow.hbase.FaultCasesTest.Seen.PROBE_FAILURE;
import static io.winnow.hbase.FaultCasesTest.Seen.STOCK_FILTER;
import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.hbase.agent.WithoutHooks;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.read.TamperedReader;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import io.winnow.hbase.write.WinnowChunkWriter;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.SequenceInputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilterWriter;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.InlineBlockWriter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults, a row of a table each: what fails, what is counted of it, and each line in the log.
 * Whatever it is, nothing of HBase's fails for it, and each row that was written passes. {@link
 * FaultEverywhereTest} is the sweep over all calls.
 *
 * <p>No method here, lambdas included, has HBase's reader of a store file as a parameter: JUnit
 * would load that class before it is woven.
 */
class FaultCasesTest {
  private static final int ROWS = 2000;

  private static final String NO_FILTER =
      "ERROR Cannot build the ROW filter of none: the file gets none";
  private static final String STOCK =
      "ERROR Cannot make a Winnow filter\\. The stock Bloom filter is used for [^,]*";
  private static final String CHUNK = "chunk \\d+ at offset \\d+ of the ROW filter of \\w{32} ";
  private static final String DAMAGED =
      "ERROR The " + CHUNK + "is damaged, and is not probed any more: .* \\(chunksGivenUp\\)";
  private static final String NOT_LOADED =
      ("WARN Loading " + CHUNK + "failed: .* The next probe tries again\\. ")
          + "Most later .* \\(loadFailures\\)";
  private static final String PAUSE =
      ("\nWARN Loading " + CHUNK + "failed 4 times in a row: .* The next try is in 1 s, ")
          + "later ones .*";
  private static final String AGAIN =
      "\nINFO Loading " + CHUNK + "works again, after \\d+ failures";
  private static final String FOR_LONG = NOT_LOADED + PAUSE + AGAIN;
  private static final String DOUBT =
      "ERROR Probing the ROW filter of \\w{32} failed: the file is read\\. Later .*"
          + " \\(probeFailures\\)";
  private static final String NO_LINE = "";

  private static final List<Throwable> KINDS = Thrown.KINDS.stream().map(Supplier::get).toList();

  @TempDir Path dir;

  private final Configuration conf = conf("ribbon", 512);
  private TamperedReader reader;
  private LogLines log;

  /** What is counted. */
  enum Seen {
    /** Written with HBase's own filter. */
    STOCK_FILTER(() -> WinnowMetricsDoor.fallbacks(Fallback.FAILURE)),
    /** Written without a filter. */
    ABANDONED(WinnowMetricsDoor.abandoned::get),
    /** Written as if its store were not known. */
    STORE_FAILURE(WinnowMetricsDoor.storeFailures::get),
    /** Served without its filter. */
    NOT_OPENED(WinnowMetricsDoor.openFailures::get),
    /** A chunk that answers "maybe" from now on. */
    GIVEN_UP(WinnowMetricsDoor.chunksGivenUp::get),
    /** A question that is answered with "maybe"; the next tries again. */
    LOAD_FAILURE(WinnowMetricsDoor.loadFailures::get),
    /** The same, for what nobody foresaw. */
    PROBE_FAILURE(WinnowMetricsDoor.probeFailures::get),
    NOTHING(() -> 0);

    private final LongSupplier counter;

    Seen(LongSupplier counter) {
      this.counter = counter;
    }
  }

  /** Makes the fault happen, looks at what comes of it, and says how often it must be counted. */
  @FunctionalInterface
  private interface Act {
    int on(FaultCasesTest test) throws Exception;
  }

  /**
   * A row of the table.
   *
   * @param told all that is in the log, as a pattern
   */
  private record Row(String what, Seen seen, String told, Act act) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Row when(String what, Seen seen, String told, Act act) {
    return new Row(what, seen, told, act);
  }

  @BeforeEach
  void listen() {
    WinnowHooks.FAILURES.forget();
    log = new LogLines(WinnowChunkWriter.class, WinnowHooks.class, WinnowFilterReader.class);
  }

  @AfterEach
  void close() throws IOException {
    log.close();
    Thread.interrupted();
    if (reader != null) {
      reader.close(true);
    }
  }

  private void check(Row row) throws Exception {
    Map<Seen, Long> before = new EnumMap<>(Seen.class);
    for (Seen one : Seen.values()) {
      before.put(one, one.counter.getAsLong());
    }
    int times = row.act.on(this);
    for (Seen one : Seen.values()) {
      long expected = one == row.seen && one != Seen.NOTHING ? times : 0;
      assertEquals(expected, one.counter.getAsLong() - before.get(one), one.toString());
    }
    assertTold(row.told);
  }

  /** And forgets the lines. */
  private void assertTold(String pattern) {
    String told = String.join("\n", log.withLevels());
    assertTrue(told.matches(pattern), told);
    log.clear();
  }

  private static Configuration conf(String filter, int chunkBytes) {
    return StoreFiles.conf(
        Map.of(
            "winnow.filter",
            filter,
            "io.storefile.bloom.block.size",
            Integer.toString(chunkBytes)));
  }

  // A file is written.

  static Stream<Row> ofWriters() {
    return Stream.concat(
        Stream.of(
            when("no cell", ABANDONED, NO_FILTER, test -> noCell()),
            when("key that cannot be read", ABANDONED, NO_FILTER, test -> noKeyOfCell()),
            when("cell that cannot be copied", ABANDONED, NO_FILTER, test -> noCopy()),
            when("meta block before a key's chunk", ABANDONED, NO_FILTER, test -> earlyMeta(false)),
            when(
                "meta block before a chunk's block", ABANDONED, NO_FILTER, test -> earlyMeta(true)),
            when(
                "block that nobody asked for",
                ABANDONED,
                NO_FILTER,
                test -> afterAllBlocks(it -> it.blockWritten(5000, 500, 128))),
            when(
                "block that is asked for twice",
                ABANDONED,
                NO_FILTER,
                test -> afterAllBlocks(it -> it.writeInlineBlock(toNowhere()))),
            when(
                "meta block that breaks off",
                ABANDONED,
                NO_FILTER,
                test -> afterAllBlocks(it -> it.getMetaWriter().write(to(new Exception("full"))))),
            when("block that breaks off", ABANDONED, NO_FILTER, test -> halfABlock()),
            when("HBase's stream fails", NOTHING, NO_LINE, test -> brokenStream()),
            when(
                "what fails at each flush fills no log",
                STOCK_FILTER,
                STOCK
                    + "\n"
                    + STOCK
                    + "\n"
                    + STOCK
                    + ", and was for 2 more files since the last line",
                FaultCasesTest::unreadableSettings)),
        KINDS.stream()
            .map(
                fault ->
                    when(
                        "a file knows our writer already: " + fault,
                        STOCK_FILTER,
                        STOCK,
                        test -> registered(fault))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ofWriters")
  void faultWhileAFileIsWritten(Row row) throws Exception {
    check(row);
  }

  private static final Configuration OF_WRITERS = conf("ribbon", 128);

  private static WinnowChunkWriter writer() throws WrongSettingException {
    return WinnowChunkWriter.of(
        WinnowSettings.of(OF_WRITERS, KeyKind.ROW), KeyKind.ROW, false, "none", 0, 1L << 30);
  }

  /** Of keys in a chunk. */
  private static int limit() throws WrongSettingException {
    return (int) WinnowSettings.of(OF_WRITERS, KeyKind.ROW).keyLimit();
  }

  private static void add(WinnowChunkWriter writer, int from, int to) {
    for (int i = from; i < to; i++) {
      writer.append(put(row(i), "q"));
    }
  }

  private static int writeBlocks(WinnowChunkWriter writer, boolean closing) throws IOException {
    int blocks = 0;
    for (; writer.shouldWriteBlock(closing); blocks++) {
      DataOutputStream out = toNowhere();
      writer.writeInlineBlock(out);
      writer.blockWritten(1000L * (1 + blocks), 500, out.size());
    }
    return blocks;
  }

  private static DataOutputStream toNowhere() {
    return new DataOutputStream(OutputStream.nullOutputStream());
  }

  private static DataOutputStream to(Throwable fault) {
    return new DataOutputStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            Thrown.sneakily(fault);
          }
        });
  }

  private static byte[] metaBytes(WinnowChunkWriter writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    writer.getMetaWriter().write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  /** Once and for all: no key that comes later is in half a filter. */
  private static int givenUp(WinnowChunkWriter writer) throws Exception {
    for (int round = 0; round < 2; round++) {
      assertEquals(0, writer.getKeyCount());
      assertEquals(0, writer.getMaxKeys());
      assertEquals(0, writer.getByteSize());
      byte[] meta = metaBytes(writer);
      assertEquals(Integer.BYTES, meta.length, "the version alone");
      DataInput in = new DataInputStream(new ByteArrayInputStream(meta));
      assertEquals(FilterMeta.META_VERSION, in.readInt());
      assertThrows(
          FilterFormatException.class, () -> FilterMeta.readAfterVersion(in, Long.MAX_VALUE));
      add(writer, 10_000, 10_000 + 2 * limit());
      writer.compactBloom();
      assertEquals(0, writeBlocks(writer, true));
    }
    return 1;
  }

  /** Memory that cannot be copied before HBase takes it back must not be compared later. */
  private static int noCopy() throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 1, 2);
    KeyValue unreadable =
        new KeyValue(put(row(2), "q")) {
          private static final long serialVersionUID = 1L;

          @Override
          public int getQualifierLength() {
            return Thrown.sneakily(new AssertionError("a fault"));
          }
        };
    writer.append(unreadable);
    writer.beforeShipped();
    assertNull(writer.getPrevCell());
    writer.append(put(row(3), "q"));
    assertTrue(CellUtil.matchingRows(put(row(3), "q"), writer.getPrevCell()));
    return givenUp(writer);
  }

  /** The first of a chunk, after one that is in the file. */
  private static int noKeyOfCell() throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 0, limit());
    assertEquals(1, writeBlocks(writer, false));
    KeyValue unreadable =
        new KeyValue(put(row(limit()), "q")) {
          private static final long serialVersionUID = 1L;

          @Override
          public short getRowLength() {
            return Thrown.sneakily(new AssertionError("a fault"));
          }
        };
    writer.append(unreadable);
    assertSame(unreadable, writer.getPrevCell());
    return givenUp(writer);
  }

  private static int noCell() throws Exception {
    WinnowChunkWriter writer = writer();
    writer.append((Cell) null);
    assertNull(writer.getPrevCell());
    return givenUp(writer);
  }

  private static int earlyMeta(boolean hasChunk) throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 0, limit());
    writer.compactBloom();
    assertEquals(1, writeBlocks(writer, false));
    add(writer, limit(), limit() + 1);
    if (hasChunk) {
      writer.compactBloom();
    }
    assertEquals(Integer.BYTES, metaBytes(writer).length, "the version alone");
    return givenUp(writer);
  }

  /** HBase's calls, of which one comes that must not. */
  @FunctionalInterface
  private interface Call {
    void on(WinnowChunkWriter writer) throws IOException;
  }

  private static int afterAllBlocks(Call call) throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 0, limit());
    assertEquals(1, writeBlocks(writer, true));
    call.on(writer);
    return givenUp(writer);
  }

  /** The block has a part of the image: nobody must look for the chunk there. */
  private static int halfABlock() throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 0, limit());
    assertTrue(writer.shouldWriteBlock(true));
    writer.writeInlineBlock(to(new StackOverflowError()));
    return givenUp(writer);
  }

  /** HBase must see that. */
  private static int brokenStream() throws Exception {
    WinnowChunkWriter writer = writer();
    add(writer, 0, limit());
    assertTrue(writer.shouldWriteBlock(true));
    DataOutputStream broken = to(new IOException("a full disk"));
    assertThrows(IOException.class, () -> writer.writeInlineBlock(broken));
    WinnowChunkWriter written = writer();
    add(written, 0, limit());
    writeBlocks(written, true);
    assertThrows(IOException.class, () -> written.getMetaWriter().write(broken));
    return 0;
  }

  /** A file's writer that knows our chunk writer already gets nothing from it. */
  private static int registered(Throwable fault) {
    List<InlineBlockWriter> registered = new ArrayList<>();
    HFile.Writer file =
        fileWriter(
            StoreFiles.context().build(),
            writer -> {
              registered.add(writer);
              Thrown.sneakily(fault);
            });
    Object stock =
        WinnowHooks.generalWriter(
            OF_WRITERS, new CacheConfig(OF_WRITERS), BloomType.ROW, 100, file);
    assertInstanceOf(Configuration.class, stock);
    WinnowChunkWriter ours = assertInstanceOf(WinnowChunkWriter.class, registered.get(0));
    add(ours, 1, 2);
    ours.compactBloom();
    assertEquals(0, ours.getKeyCount());
    assertFalse(ours.shouldWriteBlock(false));
    assertFalse(ours.shouldWriteBlock(true));
    return 1;
  }

  private static HFile.Writer fileWriter(HFileContext context, Consumer<InlineBlockWriter> taking) {
    return (HFile.Writer)
        Proxy.newProxyInstance(
            FaultCasesTest.class.getClassLoader(),
            new Class<?>[] {HFile.Writer.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "addInlineBlockWriter":
                  taking.accept((InlineBlockWriter) arguments[0]);
                  return null;
                case "getFileContext":
                  return context;
                case "hashCode":
                  return System.identityHashCode(proxy);
                case "equals":
                  return proxy == arguments[0];
                default:
                  return null;
              }
            });
  }

  /** Each file is counted once, though it has two filters. */
  private int unreadableSettings() throws IOException {
    List<Throwable> faults = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      faults.add(new IllegalStateException("number " + i));
    }
    faults.add(3, new NoSuchMethodError("another kind has its own line"));
    for (Throwable fault : faults) {
      if (fault == faults.get(4)) {
        WinnowHooks.FAILURES.expire();
      }
      Configuration unreadable =
          new Configuration(OF_WRITERS) {
            @Override
            public String getTrimmed(String name, String otherwise) {
              return name.startsWith("winnow.")
                  ? Thrown.sneakily(fault)
                  : super.getTrimmed(name, otherwise);
            }
          };
      var path = StoreFiles.write(dir, unreadable, BloomType.ROW, StoreFiles.mixedRows(300));
      HStoreFile file = open(path);
      assertInstanceOf(CompoundBloomFilter.class, StoreFileDoor.generalFilter(file.getReader()));
      file.closeStoreFile(true);
    }
    return faults.size();
  }

  // A filter is opened and asked.

  static Stream<Row> ofReaders() {
    List<Row> rows = new ArrayList<>();
    for (Throwable fault : KINDS) {
      boolean ends = fault instanceof InterruptedIOException;
      rows.add(
          when("meta block: " + fault, ends ? NOTHING : NOT_OPENED, NO_LINE, t -> t.noMeta(fault)));
    }
    for (Throwable fault :
        List.of(new IOException("no disk"), new SocketTimeoutException("slow"))) {
      rows.add(
          when("load: " + fault, LOAD_FAILURE, NOT_LOADED + AGAIN, t -> t.noLoad(fault, false)));
    }
    rows.add(
        when(
            "load: what nobody foresaw",
            PROBE_FAILURE,
            DOUBT,
            t -> t.noLoad(new OutOfMemoryError("a fault"), false)));
    for (Throwable interrupt :
        List.of(
            new InterruptedIOException("call timed out"),
            new ClosedByInterruptException(),
            new IOException("wrapped", new IOException(new InterruptedIOException("deep"))))) {
      rows.add(when("load: " + interrupt, NOTHING, NO_LINE, t -> t.noLoad(interrupt, true)));
    }
    Collections.addAll(
        rows,
        when("filter of other keys", NOT_OPENED, NO_LINE, FaultCasesTest::otherKeys),
        when(
            "interrupt while a key is read", NOTHING, NO_LINE, FaultCasesTest::interruptedQuestion),
        when("question without a key", PROBE_FAILURE, DOUBT, FaultCasesTest::noKey),
        when(
            "block that is a byte short",
            GIVEN_UP,
            DAMAGED,
            t ->
                t.otherBlock(
                    block -> start(block, block.headerSize() + t.index().imageSizeInBytes(0) - 1))),
        when(
            "block that is wrong when it is loaded again",
            GIVEN_UP,
            DAMAGED,
            t -> t.otherBlock(FaultCasesTest::overwritten)),
        when("all blocks are wrong", GIVEN_UP, DAMAGED, FaultCasesTest::otherBlocks),
        when("chunk is out for long", LOAD_FAILURE, FOR_LONG, t -> t.chunkIsOut(false)),
        when("HBase refuses a block for long", LOAD_FAILURE, FOR_LONG, t -> t.chunkIsOut(true)),
        when("all chunks are out", LOAD_FAILURE, FOR_LONG, FaultCasesTest::allChunksAreOut));
    return rows.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ofReaders")
  void faultWhileAFilterIsAsked(Row row) throws Exception {
    openReader();
    check(row);
  }

  private void openReader() throws IOException {
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    reader = TamperedReader.open(conf, new CacheConfig(conf), path);
  }

  private static boolean asks(WinnowFilterReader filter, int number) {
    byte[] row = row(number);
    return filter.contains(row, 0, row.length, null);
  }

  /** The first absent row that the filter denies. */
  private static int denied(WinnowFilterReader filter) {
    int number = 1;
    while (asks(filter, number)) {
      number += 2;
    }
    return number;
  }

  /** The number of absent rows that pass, after every present one did. */
  private static int passed(WinnowFilterReader filter) {
    int passed = 0;
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
      passed += asks(filter, 2 * i + 1) ? 1 : 0;
    }
    return passed;
  }

  private ChunkIndex index() throws IOException {
    DataInput meta = reader.getGeneralBloomFilterMetadata();
    assertEquals(FilterMeta.META_VERSION, meta.readInt());
    return FilterMeta.readAfterVersion(meta, Long.MAX_VALUE).index;
  }

  private int noMeta(Throwable fault) {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() {
            return Thrown.sneakily(fault);
          }
        };
    InputStream version = new ByteArrayInputStream(Bytes.toBytes(FilterMeta.META_VERSION));
    DataInput meta = new DataInputStream(new SequenceInputStream(version, broken));
    Throwable thrown =
        assertThrows(
            Throwable.class, () -> WinnowHooks.filterOf(WinnowHooks.peeked(meta), reader, null));
    // HBase goes on without the filter for these two, and fails for others.
    assertTrue(
        thrown instanceof IOException || thrown instanceof FilterFormatException,
        thrown.toString());
    return 1;
  }

  /** A filter of prefixes is no filter of rows, though both are made of bytes. */
  private int otherKeys() {
    reader
        .getHFileInfo()
        .put(HStoreFile.BLOOM_FILTER_TYPE_KEY, Bytes.toBytes("ROWPREFIX_FIXED_LENGTH"));
    FilterFormatException refusal =
        assertThrows(FilterFormatException.class, () -> reader.filter(null));
    // HBase's own line does not name the file.
    assertTrue(refusal.getMessage().contains(reader.getName()), refusal.getMessage());
    return 1;
  }

  private int noLoad(Throwable fault, boolean isInterrupt) throws IOException {
    WinnowFilterReader filter = reader.filter(new BloomFilterMetrics());
    int absent = denied(filter);
    int loads = reader.loads();
    reader.tamper(block -> Thrown.sneakily(fault));
    int questions = isInterrupt ? 30 : 3; // of others, a pause comes after more
    for (int i = 0; i < questions; i++) {
      assertTrue(asks(filter, absent));
      assertEquals(isInterrupt, Thread.interrupted());
    }
    assertEquals(questions, reader.loads() - loads);
    reader.tamper(block -> block);
    assertFalse(asks(filter, absent), "it goes on");
    return questions;
  }

  private int interruptedQuestion() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    KeyValue unreadable =
        new KeyValue(put(row(1), "q")) {
          private static final long serialVersionUID = 1L;

          @Override
          public byte[] getRowArray() {
            return Thrown.sneakily(new InterruptedIOException("call timed out"));
          }
        };
    assertTrue(filter.contains((Cell) unreadable, null, BloomType.ROW));
    assertTrue(Thread.interrupted());
    return 0;
  }

  private int noKey() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    byte[] row = row(denied(filter));
    assertTrue(filter.contains(row, 5, row.length, null), "beyond the array");
    assertTrue(filter.contains(row, -1, row.length, null));
    assertTrue(filter.contains((byte[]) null, 0, 1, null));
    assertTrue(filter.contains((Cell) null, null, BloomType.ROW));
    return 4;
  }

  /** Nothing is read beyond the end. */
  private static HFileBlock start(HFileBlock block, int length) {
    byte[] bytes = new byte[length];
    block.getBufferReadOnly().get(0, bytes, 0, length);
    return TamperedReader.block(block, ByteBuffer.wrap(bytes), false);
  }

  private static HFileBlock overwritten(HFileBlock block) {
    HFileBlock copy = TamperedReader.copy(block, new byte[1000], 0, false);
    Arrays.fill(copy.getBufferReadOnly().array(), 150, 400, (byte) 0);
    return copy;
  }

  private int otherBlock(TamperedReader.Tampering tampering) throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    int absent = denied(filter);
    assertTrue(absent < 40, "in the first chunk");
    int loads = reader.loads();
    reader.tamper(tampering);
    for (int i = 0; i < 20; i++) {
      assertTrue(asks(filter, absent));
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    assertEquals(1, reader.loads() - loads);
    return 1;
  }

  /** A file has many chunks, and one line. */
  private int otherBlocks() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    assertTrue(passed(filter) < 0.03 * ROWS);
    reader.tamper(FaultCasesTest::overwritten);
    assertEquals(ROWS, passed(filter));
    assertTrue(index().size() > 3, "several chunks");
    return index().size();
  }

  /** The reader's filter, with a clock that the test moves on. */
  private WinnowFilterReader filterAt(AtomicLong nanoTime) throws IOException {
    DataInput meta = reader.getGeneralBloomFilterMetadata();
    assertEquals(FilterMeta.META_VERSION, meta.readInt());
    return WinnowFilterReader.open(meta, reader, null, nanoTime::get);
  }

  private static HFileBlock noDisk(HFileBlock block) throws IOException {
    throw new IOException("no disk");
  }

  /** It is tried again three times at once, and then after a pause. */
  private int chunkIsOut(boolean inTheFile) throws IOException {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000);
    WinnowFilterReader filter = filterAt(now);
    int absent = denied(filter);
    assertTrue(absent < 40, "in the first chunk");
    int loads = reader.loads();
    breakOrMend(inTheFile, FaultCasesTest::noDisk);
    for (int i = 0; i < 100; i++) {
      assertTrue(asks(filter, absent));
    }
    now.addAndGet(1_000_000_000);
    assertTrue(asks(filter, absent), "the pause is over, and the fault is not");
    breakOrMend(inTheFile, block -> block);
    now.addAndGet(999_999_999);
    assertTrue(asks(filter, absent), "the next pause is not over");
    assertEquals(inTheFile ? 0 : 5, reader.loads() - loads);
    now.addAndGet(1);
    assertFalse(asks(filter, absent), "loaded again");
    assertTrue(passed(filter) < 0.03 * ROWS);
    return 5;
  }

  /** The magic of the first chunk's block: once it is wrong, twice it is right. */
  private void breakOrMend(boolean inTheFile, TamperedReader.Tampering otherwise)
      throws IOException {
    if (inTheFile) {
      flip(reader.getPath(), index().offset(0), 0xFF);
    } else {
      reader.tamper(otherwise);
    }
  }

  /** A disk that fails has all chunks of a file: its lines do not grow with them. */
  private int allChunksAreOut() throws IOException {
    AtomicLong now = new AtomicLong();
    WinnowFilterReader filter = filterAt(now);
    int failures = 0;
    for (int round = 0; round < 5; round++) {
      int loads = reader.loads();
      reader.tamper(FaultCasesTest::noDisk);
      for (int i = 0; i < 10; i++) {
        now.addAndGet(60_000_000_000L);
        assertEquals(ROWS, passed(filter));
      }
      failures += reader.loads() - loads;
      reader.tamper(block -> block);
      now.addAndGet(60_000_000_000L);
      assertTrue(passed(filter) < 0.03 * ROWS);
    }
    assertTrue(failures > 100, failures + " failures");
    return failures;
  }

  // The file's bytes are wrong.

  static Stream<Row> ofFiles() {
    return Stream.of(
        when("each byte of a ribbon chunk", GIVEN_UP, DAMAGED, t -> t.eachByte("ribbon")),
        when("each byte of a quotient chunk", GIVEN_UP, DAMAGED, t -> t.eachByte("quotient")),
        when(
            "each byte of the meta block", NOT_OPENED, NO_LINE, FaultCasesTest::eachByteOfTheMeta));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ofFiles")
  void damageInAFile(Row row) throws Exception {
    check(row);
  }

  /** Without HBase's checksums. */
  private org.apache.hadoop.fs.Path write(Configuration family) throws IOException {
    HFileContext context = StoreFiles.context().withChecksumType(ChecksumType.NULL).build();
    return StoreFiles.write(dir, family, BloomType.ROW, context, StoreFiles.evenRows(ROWS));
  }

  private HStoreFile open(org.apache.hadoop.fs.Path path) throws IOException {
    return StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
  }

  private ChunkIndex indexOf(org.apache.hadoop.fs.Path path) throws IOException {
    HStoreFile file = open(path);
    DataInput meta = file.getReader().getHFileReader().getGeneralBloomFilterMetadata();
    assertEquals(FilterMeta.META_VERSION, meta.readInt());
    ChunkIndex index = FilterMeta.readAfterVersion(meta, Long.MAX_VALUE).index;
    file.closeStoreFile(true);
    return index;
  }

  private static void flip(org.apache.hadoop.fs.Path path, long offset, int mask)
      throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toUri().getPath(), "rw")) {
      file.seek(offset);
      int value = file.read();
      file.seek(offset);
      file.write(value ^ mask);
    }
  }

  /** The number of absent rows that pass, after every present one did. */
  private static int probeAll(HStoreFile file, int step) {
    int passed = 0;
    for (int i = 0; i < ROWS; i += step) {
      assertTrue(StoreFileDoor.passes(file.getReader(), row(2 * i), null), "row " + i);
      passed += StoreFileDoor.passes(file.getReader(), row(2 * i + 1), null) ? 1 : 0;
    }
    assertInstanceOf(
        WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()), "still in use");
    return passed;
  }

  private int eachByte(String filter) throws IOException {
    var path = write(conf(filter, 512));
    ChunkIndex index = indexOf(path);
    long image = index.offset(2) + HConstants.HFILEBLOCK_HEADER_SIZE;
    int size = index.imageSizeInBytes(2);
    int flips = 0;
    for (int at = 0; at < size; at += at < FilterHeader.SIZE_IN_BYTES ? 1 : 7) {
      if (flips++ > 0) {
        assertTold(DAMAGED); // of the byte before
      }
      flip(path, image + at, 1 << at % 8);
      HStoreFile file = open(path);
      int passed = probeAll(file, 3);
      assertTrue(passed >= (index.keyCount(2) - 1) / 3, "byte " + at + " passed " + passed);
      file.closeStoreFile(true);
      flip(path, image + at, 1 << at % 8);
    }
    return flips;
  }

  private int eachByteOfTheMeta() throws IOException {
    var path = write(conf);
    byte[] bytes = Files.readAllBytes(Path.of(path.toUri()));
    byte[] magic = Bytes.toBytes("WIN1");
    int at = 0;
    while (!Arrays.equals(bytes, at, at + magic.length, magic, 0, magic.length)) {
      at++;
    }
    int length = bytes[at + 4] & 0xFF | (bytes[at + 5] & 0xFF) << 8;
    int ours = 0;
    for (int i = 0; i < length; i += 1 + i / 40) {
      flip(path, at + i, 0x41);
      HStoreFile file = open(path);
      assertNull(StoreFileDoor.generalFilter(file.getReader()), "byte " + i);
      assertTrue(StoreFileDoor.passes(file.getReader(), row(1), null));
      file.closeStoreFile(true);
      flip(path, at + i, 0x41);
      ours += i < magic.length ? 0 : 1; // HBase refuses a version that nobody knows
    }
    return ours;
  }

  // A hook fails, or cannot be loaded. The second only happens where jars are mixed up.

  static Stream<Row> ofHooks() {
    List<Row> rows = new ArrayList<>();
    List<Throwable> faults = new ArrayList<>(KINDS);
    Collections.addAll(
        faults,
        new ExceptionInInitializerError("a fault"),
        new InterruptedException("an interrupt"),
        new IllegalArgumentException("bad"));
    for (Throwable fault : faults) {
      // HBase itself answers with these two, and knows what they mean.
      boolean isHBases = fault instanceof IOException || fault instanceof IllegalArgumentException;
      Seen seen = isHBases ? NOTHING : NOT_OPENED;
      Collections.addAll(
          rows,
          when(
              "hooks of a file that is written: " + fault,
              STOCK_FILTER,
              NO_LINE,
              t -> t.stockWriters(WithoutHooks.factoryThatFails(fault, true))),
          when("hook of a meta block: " + fault, seen, NO_LINE, t -> refusal(fault, true)),
          when(
              "hook that looks at the version: " + fault,
              seen,
              NO_LINE,
              t ->
                  fault instanceof LinkageError
                      ? stockReaders(WithoutHooks.factoryThatFails(fault, false))
                      : refusal(fault, false)));
    }
    Class<?> missing = WithoutHooks.load("BloomFilterFactory");
    Class<?> other = WithoutHooks.factoryThatCannotBeLinked();
    Collections.addAll(
        rows,
        when("no hooks: writers", STOCK_FILTER, NO_LINE, t -> t.stockWriters(missing)),
        when("no hooks: readers", NOT_OPENED, NO_LINE, t -> stockReaders(missing)),
        when("other hooks: writers", STOCK_FILTER, NO_LINE, t -> t.stockWriters(other)),
        when("other hooks: readers", NOT_OPENED, NO_LINE, t -> stockReaders(other)));
    for (RuntimeException fault :
        new RuntimeException[] {null, new IllegalStateException("a fault")}) {
      Collections.addAll(
          rows,
          withoutHooks("StoreUtils", fault, FaultCasesTest::storeIsConfigured),
          withoutHooks("TableDescriptorChecker", fault, FaultCasesTest::tableIsChecked),
          withoutHooks("MetricsRegionServerWrapperImpl", fault, FaultCasesTest::serverStarts),
          withoutHooks("StoreFileScanner", fault, FaultCasesTest::scannerGoesOn),
          withoutHooks("StoreFileReader", fault, FaultCasesTest::scanIsAskedAbout));
    }
    return rows.stream();
  }

  /** One row for each way in which calls are woven; SplitFilesTest has the tool that splits. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("ofHooks")
  void hookThatFailsOrIsNotThere(Row row) throws Exception {
    check(row);
  }

  /** Uses a class of HBase whose hooks cannot be loaded, or fail in a way that none foresees. */
  @FunctionalInterface
  private interface Use {
    void of(Class<?> woven) throws Exception;
  }

  private static Row withoutHooks(String name, RuntimeException fault, Use use) {
    return when(
        (fault == null ? "no hooks: " : "hooks that fail: ") + name,
        NOTHING,
        NO_LINE,
        test -> {
          use.of(WithoutHooks.load(name, fault));
          return 0;
        });
  }

  private static Object call(Class<?> factory, String name, Object... arguments) throws Exception {
    for (Method method : factory.getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        try {
          return method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
          return Thrown.sneakily(e.getCause());
        }
      }
    }
    throw new AssertionError(name);
  }

  private static Object fromMeta(Class<?> factory, int version) throws Exception {
    byte[] bytes = ByteBuffer.allocate(100).putInt(version).array();
    DataInput meta = new DataInputStream(new ByteArrayInputStream(bytes));
    return call(factory, "createFromMeta", meta, null, new BloomFilterMetrics());
  }

  private int stockWriters(Class<?> factory) throws Exception {
    HFile.Writer file = fileWriter(new HFileContext(), writer -> {});
    CacheConfig cache = new CacheConfig(conf);
    assertInstanceOf(
        CompoundBloomFilterWriter.class,
        call(factory, "createGeneralBloomAtWrite", conf, cache, BloomType.ROW, 9, file));
    assertInstanceOf(
        CompoundBloomFilterWriter.class,
        call(factory, "createDeleteBloomAtWrite", conf, cache, 9, file));
    return 2;
  }

  /** Stock code reads its own, from the version on, and refuses ours as HBase expects it. */
  private static int stockReaders(Class<?> factory) throws Exception {
    assertInstanceOf(CompoundBloomFilter.class, fromMeta(factory, 3));
    IllegalArgumentException ours =
        assertThrows(
            IllegalArgumentException.class, () -> fromMeta(factory, FilterMeta.META_VERSION));
    assertEquals("Bad bloom filter format version " + FilterMeta.META_VERSION, ours.getMessage());
    return 2;
  }

  /** HBase goes on without a filter for these two exceptions. */
  private static int refusal(Throwable fault, boolean peeks) {
    Class<?> factory = WithoutHooks.factoryThatFails(fault, peeks);
    Throwable refusal = assertThrows(Throwable.class, () -> fromMeta(factory, 3));
    if (fault instanceof IOException || fault instanceof IllegalArgumentException) {
      assertSame(fault, refusal);
    } else {
      assertEquals(IllegalArgumentException.class, refusal.getClass());
      assertSame(fault, refusal.getCause());
    }
    return 1;
  }

  private static final ColumnFamilyDescriptor FAMILY = ColumnFamilyDescriptorBuilder.of("f");
  private static final TableDescriptor TABLE =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).setColumnFamily(FAMILY).build();

  private static void storeIsConfigured(Class<?> woven) throws Exception {
    Configuration site = new Configuration(false);
    site.set("a", "b");
    Object made = call(woven, "createStoreConfiguration", site, TABLE, FAMILY);
    assertEquals("b", assertInstanceOf(CompoundConfiguration.class, made).get("a"));
  }

  private static void tableIsChecked(Class<?> woven) throws Exception {
    woven
        .getMethod("sanityCheck", Configuration.class, TableDescriptor.class)
        .invoke(null, new Configuration(), TABLE);
  }

  private static void serverStarts(Class<?> woven) {
    Constructor<?> constructor = woven.getDeclaredConstructors()[0];
    constructor.setAccessible(true);
    Throwable failure =
        assertThrows(
            InvocationTargetException.class, () -> constructor.newInstance(new Object[] {null}));
    // HBase's own code has come to the server that it was not given.
    assertEquals(NullPointerException.class, failure.getCause().getClass());
  }

  /** After each of its calls. */
  private static void scannerGoesOn(Class<?> woven) throws Exception {
    Map<String, Integer> called = new HashMap<>();
    for (Method method : woven.getDeclaredMethods()) {
      String name = method.getName();
      if (name.startsWith("winnow$") && !name.endsWith("AtOrAfter")) {
        Object[] arguments = new Object[method.getParameterCount()];
        if (method.getParameterTypes()[0] == boolean.class) {
          arguments[0] = true;
        }
        method.setAccessible(true);
        assertNull(method.invoke(null, arguments));
        called.merge(name, 1, Integer::sum);
      }
    }
    assertEquals(6, called.size(), called.toString());
  }

  private static void scanIsAskedAbout(Class<?> woven) throws Exception {
    Constructor<?> constructor = woven.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object fileReader = constructor.newInstance();
    Field kind = woven.getDeclaredField("bloomFilterType");
    kind.setAccessible(true);
    kind.set(fileReader, BloomType.ROW);
    Method passes = woven.getDeclaredMethod("passesBloomFilter", Scan.class, SortedSet.class);
    passes.setAccessible(true);
    assertEquals(true, passes.invoke(fileReader, new Scan(), null));
  }
}

package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.crypto.KeyStoreKeyProvider;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables whose files look different, and are cached differently, on one server with the agent and a
 * block cache of one kind. A subclass for each kind.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TableShapes {
  private static final int ROWS = 400;
  private static final String MASTER_KEY = "master";
  private static final String PASSWORD = "only-a-test";

  /** HBase's codec in a library of its own; the default is one of Hadoop's, in native code. */
  private static final String ZSTD = "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec";

  private static final List<BloomType> TYPES =
      List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH);

  private final String name;
  private TestServer server;

  TableShapes(String name) {
    this.name = name;
  }

  /** The settings of the block cache; the second level may lie in the directory. */
  abstract Map<String, String> cache(Path directory);

  /** A line of the server's log which says that the cache is of this kind; null for the default. */
  abstract String traceOfTheCache();

  @BeforeAll
  final void start() throws Exception {
    Path directory = TestServer.emptyDirectory("table-shapes-" + name);
    Map<String, String> site = new HashMap<>(cache(directory));
    site.put(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, KeyStoreKeyProvider.class.getName());
    site.put(HConstants.CRYPTO_KEYPROVIDER_PARAMETERS_KEY, keyStore(directory));
    site.put(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, MASTER_KEY);
    site.put(Compression.ZSTD_CODEC_CLASS_KEY, ZSTD);
    server = TestServer.withAgent(directory, site);
    if (hasZstd()) {
      Compression.Algorithm.ZSTD.reload(server.configuration()); // of the tools in this JVM
    }
  }

  @AfterAll
  final void stop() throws IOException {
    if (server != null) {
      server.kill();
    }
  }

  /** What HBase wraps the keys of encrypted families with. */
  private static String keyStore(Path directory) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, PASSWORD.toCharArray());
    store.setEntry(
        MASTER_KEY,
        new KeyStore.SecretKeyEntry(new SecretKeySpec(new byte[16], "AES")),
        new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
    Path file = directory.resolve("keys.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
    return "pkcs12://" + file + "?password=" + PASSWORD;
  }

  /**
   * How the files of a table are written and cached.
   *
   * @param trace what {@code hfile -m} prints of such a file; empty if it shows nowhere
   */
  private record Shape(
      String name, String trace, Consumer<ColumnFamilyDescriptorBuilder> settings) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns true on HBase 2.6: for 2.5 the library of ZSTD is not published. */
  private static boolean hasZstd() {
    return System.getProperty("winnow.test.hbase").startsWith("2.6");
  }

  static Stream<Shape> shapes() {
    Stream<Shape> encodings =
        Stream.of(DataBlockEncoding.values())
            .filter(encoding -> encoding != DataBlockEncoding.NONE)
            .map(
                encoding ->
                    new Shape(
                        "encoding-" + encoding,
                        "DATA_BLOCK_ENCODING = " + encoding,
                        family -> family.setDataBlockEncoding(encoding)));
    Stream<Shape> compressions =
        Stream.of(
                Compression.Algorithm.GZ,
                Compression.Algorithm.LZ4,
                Compression.Algorithm.SNAPPY,
                Compression.Algorithm.ZSTD)
            .filter(algorithm -> algorithm != Compression.Algorithm.ZSTD || hasZstd())
            .map(
                algorithm ->
                    new Shape(
                        "compression-" + algorithm,
                        "compression=" + algorithm.getName(),
                        family -> family.setCompressionType(algorithm)));
    Stream<Shape> others =
        Stream.of(
            new Shape("plain", "compression=none", family -> {}),
            new Shape(
                "encryption", "encryptionKey=PRESENT", family -> family.setEncryptionType("AES")),
            new Shape(
                "all-three",
                "encryptionKey=PRESENT",
                family ->
                    family
                        .setEncryptionType("AES")
                        .setCompressionType(Compression.Algorithm.GZ)
                        .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)),
            new Shape(
                "cache-on-write",
                "",
                family ->
                    family
                        .setCacheDataOnWrite(true)
                        .setCacheIndexesOnWrite(true)
                        .setCacheBloomsOnWrite(true)),
            new Shape("prefetch", "", family -> family.setPrefetchBlocksOnOpen(true)),
            new Shape("evict-on-close", "", family -> family.setEvictBlocksOnClose(true)),
            new Shape("not-cached", "", family -> family.setBlockCacheEnabled(false)));
    return Stream.of(encodings, compressions, others).flatMap(shapes -> shapes);
  }

  @Test
  void blockCacheIsOfThisKind() throws IOException {
    List<String> lines = server.logLinesWith("Started bucket cache; ioengine=");
    if (traceOfTheCache() == null) {
      assertEquals(List.of(), lines);
    } else {
      assertTrue(
          lines.stream().anyMatch(line -> line.contains(traceOfTheCache())), lines.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rowsAndFiltersAreRight(Shape shape) throws Exception {
    BloomType type = TYPES.get(Math.floorMod(shape.name().hashCode(), TYPES.size()));
    TableName table = server.create(shape.name(), EveryFilter.families(type, shape.settings()));
    TableTruth truth = live(table);
    for (String printed : truth.printed().values()) {
      assertTrue(printed.contains(shape.trace()), printed);
    }
  }

  /** Two flushes, a compaction, and the regions opened again. */
  private TableTruth live(TableName table) throws Exception {
    TableTruth truth = TableTruth.of(server, table);
    truth.write(0, ROWS / 2);
    server.flush(table);
    truth.assertRows();
    truth.write(ROWS / 4, ROWS);
    truth.delete(0, ROWS / 10);
    server.flush(table);
    truth.assertHolds(0, EveryFilter.filters(2));
    server.reopen(Set.of(table));
    truth.assertRows();
    server.majorCompact(table);
    truth.assertHolds(0, EveryFilter.filters(1));
    return truth;
  }

  /** A part of the values lies in MOB files, to which the store's own files refer. */
  @Test
  void rowsAndFiltersAreRightWithMob() throws Exception {
    int longest = Rows.value(2 * (ROWS - 1)).length;
    TableName table =
        server.create(
            "mob",
            EveryFilter.families(
                BloomType.ROW,
                family ->
                    family
                        .setMobEnabled(true)
                        .setMobThreshold(longest + ", write 1".length() - 1)));
    live(table);
    List<Path> mobFiles = server.mobFiles(table);
    assertFalse(mobFiles.isEmpty());
    for (Path file : mobFiles) {
      assertEquals(0, server.generalFilterVersion(file), file.toString());
    }
  }
}

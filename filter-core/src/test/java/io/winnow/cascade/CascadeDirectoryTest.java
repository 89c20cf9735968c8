package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.TestHashes;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.store.Durability;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an opening does with a directory that is not as a close left it. */
class CascadeDirectoryTest {
  private static final int ON_FLASH = 3000;
  private static final int IN_ALL = 4000;

  @TempDir private Path temporary;
  private Path directory;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(1_000_000);
  }

  private static long key(int i) {
    return TestHashes.splitMix(77, i);
  }

  /** A level, and a log with two syncs. */
  @BeforeEach
  void makeDirectory() throws IOException {
    directory = temporary.resolve("cascade");
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      for (int i = 0; i < ON_FLASH; i++) {
        filter.insert(key(i));
      }
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = ON_FLASH; i < IN_ALL; i++) {
        filter.insert(key(i));
        if (i == ON_FLASH + 300) {
          filter.sync();
        }
      }
    }
  }

  private int present() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      long[] keys = IntStream.range(0, IN_ALL).mapToLong(CascadeDirectoryTest::key).toArray();
      return filter.mightContain(keys, 0, keys.length).cardinality();
    }
  }

  private Path fileNamed(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow();
    }
  }

  private String refusal() {
    FilterFormatException e = assertThrows(FilterFormatException.class, this::present);
    assertTrue(e.getMessage().contains("new directory"), e.getMessage());
    return e.getMessage();
  }

  @Test
  void everythingIsThere() throws IOException {
    assertEquals(IN_ALL, present());
  }

  @Test
  void anyFlippedBitAndAnyCutOfTheManifestIsRefused() throws IOException {
    Path manifest = directory.resolve("MANIFEST");
    byte[] bytes = Files.readAllBytes(manifest);
    int step = Boolean.getBoolean("winnow.long") ? 1 : 7; // each bit of a byte has its turn
    for (int bit = 0; bit < bytes.length * 8; bit += step) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(manifest, damaged);
      assertTrue(refusal().contains(manifest.toString()));
    }
    for (int length = 0; length < bytes.length; length++) {
      Files.write(manifest, Arrays.copyOf(bytes, length));
      assertTrue(refusal().contains("damaged"));
    }
    Files.write(manifest, bytes);
    assertEquals(IN_ALL, present());
  }

  /** Values and forms that no filter writes, with a checksum that matches. */
  @ParameterizedTest
  @CsvSource({
    "memory-entries \\d+, memory-entries 0",
    "fan-out \\d+, fan-out 1",
    "fan-out (\\d+), fan-out 0$1",
    "next-file \\d+, next-file 1",
    "closed-log \\d+, closed-log 0",
    "level , doubt 5 5\\nlevel ",
    "(level .*\\n), $1$1",
    "level \\d+, level 0",
    "level (\\d+) \\d+, level $1 0",
    "level (\\d+ \\d+) \\d+, level $1 0",
  })
  void aManifestThatNoFilterWritesIsRefused(String line, String changed) throws IOException {
    Path manifest = directory.resolve(Manifest.NAME);
    String whole = Files.readString(manifest);
    String lines = whole.substring(0, whole.indexOf("crc32c "));
    String others = lines.replaceFirst(line, changed.replace("\\n", "\n"));
    assertNotEquals(lines, others);
    CRC32C crc = new CRC32C();
    crc.update(others.getBytes(StandardCharsets.US_ASCII));
    Files.writeString(manifest, others + String.format("crc32c %08x\n", crc.getValue()));
    assertTrue(refusal().contains("is damaged"), refusal());
  }

  @Test
  void anotherVersionIsRefusedWithWhatToDo() throws IOException {
    Path manifest = directory.resolve("MANIFEST");
    Files.writeString(
        manifest, Files.readString(manifest).replace("winnow-cascade 2", "winnow-cascade 3"));
    String message = refusal();
    assertTrue(message.contains("version 3") && message.contains("release"), message);
  }

  @Test
  void missingFilesAreRefused() throws IOException {
    for (String prefix : List.of("MANIFEST", "level-")) {
      Path file = fileNamed(prefix);
      Path away = temporary.resolve("away");
      Files.move(file, away);
      assertTrue(refusal().contains(prefix));
      Files.move(away, file);
    }
    Files.copy(fileNamed("log-"), directory.resolve("log-1000"));
    assertTrue(refusal().contains("missing"));
    Files.delete(directory.resolve("log-1000"));
    assertEquals(IN_ALL, present());
  }

  /** A bit in what was synced is noticed; one in the last mark may be, or makes no difference. */
  @Test
  void noFlippedBitOfALogLosesAKey() throws IOException {
    Path log = fileNamed("log-");
    byte[] bytes = Files.readAllBytes(log);
    int refused = 0;
    for (int bit = 3; bit < bytes.length * 8; bit += bit < 300 ? 1 : 997) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Path copy = copyOfDirectory("flip-" + bit);
      Files.write(copy.resolve(log.getFileName()), damaged);
      directory = copy;
      try {
        assertEquals(IN_ALL, present(), "bit " + bit);
      } catch (FilterFormatException e) {
        assertTrue(e.getMessage().contains("new directory"), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused > 20, "refused " + refused);
  }

  private Path copyOfDirectory(String name) throws IOException {
    Path copy = temporary.resolve(name);
    Files.createDirectory(copy);
    try (Stream<Path> files = Files.list(temporary.resolve("cascade"))) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /** What a crash cuts off is read up to there: a prefix of the operations, and all that synced. */
  @Test
  void aLogThatIsCutIsReadUpToTheCut() throws IOException {
    Path log = fileNamed("log-");
    byte[] bytes = Files.readAllBytes(log);
    int firstSync = 40 + 301 * 8;
    List<Integer> kept = new ArrayList<>();
    for (int length = firstSync; length < bytes.length; length += 1531) {
      directory = copyOfDirectory("cut-" + length);
      Manifest.read(directory).closed(Map.of()).write(FileAccess.SYSTEM, directory); // a crash
      Files.write(directory.resolve(log.getFileName()), Arrays.copyOf(bytes, length));
      kept.add(present());
      try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
        for (int i = 0; i <= ON_FLASH + 300; i += 11) {
          assertTrue(filter.mightContain(key(i)));
        }
        filter.insert(1);
      }
      assertTrue(present() >= kept.get(kept.size() - 1));
    }
    assertTrue(kept.get(0) < IN_ALL, kept.toString());
  }

  @Test
  void leftoversAreCleanedAndOtherFilesAreNot() throws IOException {
    Files.write(directory.resolve("level-999"), new byte[5000]);
    Files.write(directory.resolve("MANIFEST.new"), new byte[5]);
    Files.write(directory.resolve("notes.txt"), new byte[5]);
    Files.write(directory.resolve("level-1x"), new byte[5]);
    assertEquals(IN_ALL, present());
    assertFalse(Files.exists(directory.resolve("level-999")));
    assertFalse(Files.exists(directory.resolve("MANIFEST.new")));
    assertTrue(Files.exists(directory.resolve("notes.txt")));
    assertTrue(Files.exists(directory.resolve("level-1x")));
  }

  @Test
  void damagedFencesAreRefused() throws IOException {
    Path level = fileNamed("level-");
    byte[] bytes = Files.readAllBytes(level);
    bytes[bytes.length - 4000] ^= 1;
    Files.write(level, bytes);
    IOException e = assertThrows(IOException.class, this::present);
    assertTrue(e.getMessage().contains(level.toString()), e.getMessage());
  }

  @Test
  void otherOptionsThanItWasMadeWithAreRefused() {
    for (CascadeOptions other :
        List.of(options().deletes(true), options().rate(0.1), options().pageBytes(8192))) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class, () -> CascadeFilter.open(directory, other).close());
      assertTrue(e.getMessage().contains("was made with"), e.getMessage());
    }
  }

  private void assertOthersAreRefused() throws Exception {
    IOException here = assertThrows(IOException.class, this::present);
    assertTrue(here.getMessage().contains("open in this process"), here.getMessage());
    Process other =
        CrashChild.start("open", directory.toString()).redirectErrorStream(true).start();
    String said = new String(other.getInputStream().readAllBytes());
    assertEquals(1, other.waitFor(), said);
    assertTrue(said.contains("open in another process"), said);
  }

  @Test
  void aDirectoryHasOneFilterAtATime() throws Exception {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertOthersAreRefused();
      filter.insert(1);
    }
    assertEquals(IN_ALL, present());
  }

  @Test
  void aSnapshotIsAFilterOfItsOwn() throws IOException {
    Path snapshot = temporary.resolve("snapshot");
    Path again = temporary.resolve("again");
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      filter.snapshot(snapshot);
      assertThrows(IOException.class, () -> filter.snapshot(snapshot), "it is not empty");
      for (int i = IN_ALL; i < 40 * IN_ALL; i++) {
        filter.insert(key(i));
      }
      filter.awaitMerges();
      filter.snapshot(again);
    }
    Path whole = directory;
    directory = snapshot;
    assertEquals(IN_ALL, present());
    try (CascadeFilter filter = CascadeFilter.open(snapshot, options())) {
      int later = 0;
      for (int i = IN_ALL; i < 2 * IN_ALL; i++) {
        later += filter.mightContain(key(i)) ? 1 : 0;
      }
      assertTrue(later < 20, later + " keys that came after it");
      filter.insert(1);
    }
    for (Path each : List.of(whole, again)) {
      try (CascadeFilter filter = CascadeFilter.open(each, options())) {
        long[] all = IntStream.range(0, 40 * IN_ALL).mapToLong(CascadeDirectoryTest::key).toArray();
        assertEquals(all.length, filter.mightContain(all, 0, all.length).cardinality());
        assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
      }
    }
  }

  /** Closing any descriptor of a file drops the locks that the process has on it. */
  @Test
  void aCopyOfTheDirectoryDoesNotUnlockIt() throws Exception {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      Path copy = copyOfDirectory("copy");
      assertOthersAreRefused();
      directory = copy;
      assertEquals(IN_ALL, present(), "the copy is nobody's");
      filter.sync();
    }
  }

  @Test
  void aFilterOfAnotherClassLoaderIsRefusedAndUnlocksNothing() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options());
        URLClassLoader others =
            new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> optionsThere = others.loadClass(CascadeOptions.class.getName());
      Method open =
          others
              .loadClass(CascadeFilter.class.getName())
              .getMethod("open", Path.class, optionsThere);
      Object defaults = optionsThere.getMethod("defaults").invoke(null);
      InvocationTargetException e =
          assertThrows(
              InvocationTargetException.class, () -> open.invoke(null, directory, defaults));
      assertTrue(e.getCause().getMessage().contains("open in this process"), "" + e.getCause());
      assertOthersAreRefused();
      filter.sync();
    }
  }

  /** However the lock was lost: what the other one does not see is not acknowledged. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFilterThatLostItsDirectoryPromisesNothing(boolean deleted) throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options());
    filter.insert(1);
    if (deleted) {
      Files.move(directory.resolve("LOCK"), temporary.resolve("LOCK"));
    } else {
      Files.writeString(directory.resolve("LOCK"), "another one's");
    }
    IOException e = assertThrows(IOException.class, filter::sync);
    assertTrue(e.getMessage().contains("LOCK"), e.getMessage());
    assertThrows(IOException.class, filter::close);
    assertEquals(IN_ALL, present());
  }

  @Test
  void whatAKilledOrAnEarlierOwnerLeftIsNoLock() throws IOException {
    for (String owner : List.of("", "nonsense", "winnow-lock process 1 since 5 file x")) {
      Files.writeString(directory.resolve("LOCK"), owner);
      assertEquals(IN_ALL, present());
    }
  }
}

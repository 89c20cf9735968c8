package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.drive.FileAccess;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentityTest {
  private static final Identity SOME =
      new Identity(
          "default:events",
          "a cluster",
          List.of("66", ""), // a qualifier may be empty
          List.of("66", "0077"),
          KeyHash.XXH3,
          "1-2-3",
          7,
          new byte[] {0, -1});

  @TempDir Path directory;

  @Test
  void isReadAsItWasWritten() throws IOException {
    assertFalse(Identity.isIn(directory));
    for (Identity one : List.of(SOME, SOME.filledTo(new byte[0]), SOME.filledTo(null))) {
      one.write(FileAccess.SYSTEM, directory);
      assertTrue(Identity.isIn(directory));
      Identity read = Identity.read(directory);
      assertEquals(one.text(), read.text());
      assertArrayEquals(one.filledTo(), read.filledTo());
      assertEquals(one.isFilled(), read.isFilled());
      assertEquals(one.column(), read.column());
    }
    assertEquals(8, SOME.withOpenings(8).openings());
  }

  /** Schema-critical: docs/format/dedup-v1.md. */
  @Test
  void textIsThatOfThePage() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "format", "dedup-v1.md"));
    assertTrue(page.contains("```\n" + SOME.text() + "```\n"), SOME.text());
  }

  @Test
  void everyChangedByteIsRefused() throws IOException {
    byte[] bytes = SOME.text().getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 1;
      assertRefused(new String(bytes, StandardCharsets.UTF_8));
      bytes[i] ^= 1;
    }
    for (int length = 0; length < bytes.length; length++) {
      assertRefused(new String(bytes, 0, length, StandardCharsets.UTF_8));
    }
  }

  private void assertRefused(String text) throws IOException {
    Files.writeString(directory.resolve(Identity.NAME), text);
    assertThrows(FilterFormatException.class, () -> Identity.read(directory), text);
  }

  @Test
  void largeFileIsNotRead() throws IOException {
    Files.write(directory.resolve(Identity.NAME), new byte[(1 << 20) + 1]);
    assertThrows(FilterFormatException.class, () -> Identity.read(directory));
  }

  /** Fails in its n-th change. */
  private static final class Failing implements FileAccess {
    private int left;

    private void change() throws IOException {
      if (--left == 0) {
        throw new IOException("Input/output error (injected)");
      }
    }

    @Override
    public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
      change();
      return FileAccess.SYSTEM.open(file, options);
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
      change();
      FileAccess.SYSTEM.replace(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
      change();
      FileAccess.SYSTEM.delete(file);
    }

    @Override
    public void forceDirectory(Path path) throws IOException {
      change();
      FileAccess.SYSTEM.forceDirectory(path);
    }

    @Override
    public void force(Path file, FileDescriptor open) throws IOException {
      change();
      FileAccess.SYSTEM.force(file, open);
    }
  }

  /** Whatever fails, it throws, and what is there is what was there or what was to be. */
  @Test
  void writeThatFailsIsNotAcknowledged() throws IOException {
    SOME.write(FileAccess.SYSTEM, directory);
    Identity next = SOME.withOpenings(8);
    Failing access = new Failing();
    int failures = 0;
    for (int change = 1; failures == change - 1; change++) {
      access.left = change;
      try {
        next.write(access, directory);
      } catch (IOException e) {
        failures++;
      }
      long openings = Identity.read(directory).openings();
      assertTrue(openings == 8 || openings == 7 && failures == change, "change " + change);
    }
    assertEquals(6, failures); // delete, create, fsync, directory, rename, directory
  }
}

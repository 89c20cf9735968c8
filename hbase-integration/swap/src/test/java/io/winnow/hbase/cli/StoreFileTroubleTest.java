package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.io.hfile.CorruptHFileException;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of trouble has its own words. */
class StoreFileTroubleTest {
  @TempDir Path directory;

  private static String sentence(Throwable met) {
    // As HBase wraps whatever it meets while it opens a file.
    return StoreFileTrouble.sentence("x", new CorruptHFileException("Problem reading x", met));
  }

  @Test
  void troubleIsToldByItsKind() {
    assertEquals("there is no file x", sentence(new FileNotFoundException("x")));
    assertEquals(
        "permission denied: x", sentence(new FileNotFoundException("x (Permission denied)")));
    assertEquals("permission denied: x", sentence(new AccessControlException("user=a")));
    assertEquals("x is damaged: off", sentence(new ChecksumException("off", 7)));
    assertEquals("x is damaged: magic", sentence(new IOException("magic\nand more")));
    assertEquals("x is damaged: EOFException", sentence(new EOFException()));
    assertEquals("x is damaged: -1", sentence(new IndexOutOfBoundsException("-1")));
    assertEquals("x cannot be read: slow", sentence(new SocketTimeoutException("slow")));
    assertEquals(
        "x cannot be read: Filesystem closed", sentence(new IOException("Filesystem closed")));
    assertEquals(
        "x needs a library that is not there: Snappy",
        sentence(new IllegalStateException(new NoClassDefFoundError("Snappy"))));
    KeyException noKey = new KeyException("no key");
    noKey.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement(
              "org.apache.hadoop.hbase.security.EncryptionUtil", "unwrapKey", "a", 1)
        });
    assertTrue(
        sentence(new IOException(noKey)).startsWith("x is encrypted, and its key cannot be had"));
  }

  /** A second look at the file says more than what was met; and nothing is told twice. */
  @Test
  void secondLookSaysMore() throws IOException {
    Path text = Files.writeString(directory.resolve("text"), "no store file");
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(text.toUri());
    FileSystem fs = path.getFileSystem(new Configuration(false));
    IOException once = StoreFileTrouble.of(fs, path, new IllegalArgumentException("bad"));
    assertEquals(path + " is not a store file: it has no trailer of one", once.getMessage());
    assertEquals(once, StoreFileTrouble.of(fs, path, once));
  }
}

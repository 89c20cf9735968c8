package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A read-only view of a {@link BufferedBloomFilter}'s directory. It takes no lock and changes no
 * file, so it works on a read-only file system. It needs no options: the head has them.
 *
 * <p>The guarantee is that of {@link BufferedBloomFilter#mightContain(long)}. No filter may have
 * the directory open when it is opened here, nor write to it later.
 *
 * <p>Cost: a lookup reads one page. In memory are two bytes for each page.
 *
 * <p>Thread-safe.
 */
public final class BufferedBloomReader implements Closeable {
  private final BufferedBloomFile file;

  private BufferedBloomReader(BufferedBloomFile file) {
    this.file = file;
  }

  /**
   * Opens a buffered Bloom filter's directory for reading.
   *
   * @throws IOException if it cannot be read, or a filter has it open
   * @throws FilterFormatException if it has no filter, or its heads are damaged or of another
   *     version, or pages are missing
   */
  public static BufferedBloomReader open(Path directory) throws IOException {
    BufferedBloomOptions options = BufferedBloomOptions.defaults();
    return new BufferedBloomReader(
        BufferedBloomFile.open(BufferedBloomFile.KIND.read(options.access, directory), options));
  }

  // ---- Lookups ----

  /** Returns whether the key with this hash may have been inserted. */
  public boolean mightContain(long keyHash) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    try {
      synchronized (file) { // reading a page may record a newer version
        return !isWhole() || file.hasKey(file.sizing.group(mixed), file.sizing.entry(mixed));
      }
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Returns whether a key may have been inserted.
   *
   * @throws IllegalStateException if the filter was created for hashes
   */
  public boolean mightContain(byte[] key) {
    return mightContain(file.hash(key));
  }

  // ---- Properties ----

  /** Returns the path of the filter's directory. */
  public Path path() {
    return file.checkOpen().directory.path;
  }

  /** Returns the shape of the buffered Bloom filter: its pages and the bits of a key. */
  public BufferedBloomSizing sizing() {
    return file.checkOpen().sizing;
  }

  /** Returns the hash function for keys, or null if the filter was created for hashes. */
  public KeyHash keyHash() {
    return file.checkOpen().keyHash;
  }

  /** Returns whether no inserted key can be missing, as {@link BufferedBloomFilter#isWhole}. */
  public boolean isWhole() {
    return file.checkOpen().heads.newest().whole && !file.heads.isAlone();
  }

  /**
   * Returns the caller's mark, its position in its source of keys, at the last sync that had one.
   */
  public long mark() {
    return file.checkOpen().heads.newest().mark;
  }

  /** Returns the number of keys that were inserted until the last sync. */
  public long keys() {
    return file.checkOpen().heads.newest().keys;
  }

  /** Returns the number of the file's pages with bits of keys and with version numbers. */
  public long pages() {
    return file.checkOpen().store.pages() - file.firstPage();
  }

  /**
   * Reads and checks all pages of the buffered Bloom filter's file: their checksums, their places,
   * and that none is an older version.
   *
   * @param pagesRead receives the number of pages read since the last call
   * @return the damage found, empty if there is none
   */
  public List<DamagedPageException> verify(LongConsumer pagesRead) throws IOException {
    synchronized (file) {
      file.checkOpen();
      List<DamagedPageException> found = new ArrayList<>(file.heads.verify());
      found.addAll(file.pages.verify(pagesRead));
      return found;
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (file) {
      if (file.directory.beginClose()) {
        file.close();
      }
    }
  }

  @Override
  public String toString() {
    return file.directory.toString();
  }
}

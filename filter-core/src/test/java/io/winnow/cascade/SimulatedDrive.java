package io.winnow.cascade;

import io.winnow.flash.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The files of one directory, as a drive has them: what is written can be read at once, and is safe
 * after an fsync only. At a power cut each write since then is there, or is not, or some sectors of
 * it, in any order; each creation, rename and deletion since the directory's fsync is there or not.
 * Where nothing was written, there is what some other file once had there.
 *
 * <p>Faults come at random: reads, writes, fsyncs and renames that fail, short transfers, a drive
 * that is full for a while. What a failed fsync was to make safe is marked as written, as Linux
 * does: a later fsync succeeds and does nothing about it.
 */
final class SimulatedDrive implements FileAccess {
  private static final int SECTOR_BYTES = 512;

  /** Files whose bytes may turn up in another one. */
  private static final int MOST_KEPT = 50;

  /** A write, or a cut if there are no bytes. */
  private record Write(int offset, byte[] bytes) {}

  /** A name that was given to a file, or taken away if that is null; and the one it had before. */
  private record Change(String name, Inode inode, String before) {}

  /** A file: what of it is safe, and what was done since. */
  private static final class Inode {
    private final Content safe = new Content(new byte[0]);
    private final List<Write> since = new ArrayList<>();
  }

  /** Bytes that grow. */
  private static final class Content {
    private byte[] bytes;
    private int size;

    Content(byte[] bytes) {
      this.bytes = bytes;
      this.size = bytes.length;
    }

    byte[] copy() {
      return Arrays.copyOf(bytes, size);
    }

    void cut(int to) {
      if (to < size) {
        Arrays.fill(bytes, to, size, (byte) 0);
        size = to;
      }
    }

    void grow(int to) {
      if (to > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(to, 2 * bytes.length));
      }
      size = Math.max(size, to);
    }

    void put(int offset, byte[] from, int start, int count) {
      grow(offset + count);
      System.arraycopy(from, start, bytes, offset, count);
    }
  }

  /** What a power cut left, and what was acknowledged and begun by then. */
  record Image(Map<String, byte[]> files, long acknowledged, long begun) {
    void writeTo(Path directory) throws IOException {
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(directory.resolve(file.getKey()), file.getValue());
      }
    }
  }

  private final Path directory;
  private final Random random;
  private final LongSupplier acknowledged;
  private final LongSupplier begun;
  private final Map<String, Inode> entries = new HashMap<>();
  private final Map<String, Inode> safeEntries = new HashMap<>();
  private final List<Change> changes = new ArrayList<>();
  private final List<Inode> all = new ArrayList<>();
  private int faultsPerMillion;
  private boolean lies;
  private int fullFor;
  private int readsSinceFault;
  private boolean off;
  private int untilCut;
  private Image image;
  private long failedSyncs;

  /** A drive with the files that are in a directory, all of them safe. */
  SimulatedDrive(Path directory, Random random, LongSupplier acknowledged, LongSupplier begun)
      throws IOException {
    this.directory = directory;
    this.random = random;
    this.acknowledged = acknowledged;
    this.begun = begun;
    for (String name : list(directory)) {
      Inode inode = newInode();
      byte[] bytes = Files.readAllBytes(directory.resolve(name));
      inode.safe.put(0, bytes, 0, bytes.length);
      entries.put(name, inode);
    }
    safeEntries.putAll(entries);
  }

  private Inode newInode() {
    Inode inode = new Inode();
    all.add(inode);
    if (all.size() > MOST_KEPT) {
      all.remove(0);
    }
    return inode;
  }

  /** How many of a million requests fail. */
  synchronized void setFaults(int perMillion) {
    faultsPerMillion = perMillion;
    fullFor = 0;
  }

  /** Whether pages of levels are lost now and then though an fsync succeeded. */
  synchronized void setLies(boolean on) {
    lies = on;
  }

  /** Cuts the power after so many requests; the drive goes on, and {@link #takeImage} has it. */
  synchronized void cutAfter(int requests) {
    untilCut = requests;
  }

  synchronized Image takeImage() {
    Image taken = image;
    image = null;
    return taken;
  }

  synchronized boolean isCutAhead() {
    return untilCut > 0;
  }

  /** From now on it takes and gives nothing. */
  synchronized void switchOff() {
    off = true;
  }

  /** Fsyncs of files that failed, since that was forgotten. */
  synchronized long failedSyncs() {
    return failedSyncs;
  }

  synchronized void forgetFailedSyncs() {
    failedSyncs = 0;
  }

  // ---- Requests ----

  /** Before each request: the power may be cut, and the drive may fail. */
  private boolean request() throws IOException {
    if (off) {
      throw new IOException("the drive is off (injected)");
    }
    if (untilCut > 0 && --untilCut == 0) {
      image = cut();
    }
    return random.nextInt(1_000_000) < faultsPerMillion;
  }

  private static IOException fault() {
    return new IOException("Input/output error (injected)");
  }

  private boolean isOurs(Path file) {
    return directory.equals(file.getParent());
  }

  @Override
  public synchronized FileChannel open(Path file, Set<? extends OpenOption> options)
      throws IOException {
    if (request()) {
      throw fault();
    }
    FileChannel real = FileAccess.SYSTEM.open(file, new HashSet<>(options));
    String name = file.getFileName().toString();
    if (options.contains(StandardOpenOption.CREATE_NEW)) {
      Inode inode = newInode();
      entries.put(name, inode);
      changes.add(new Change(name, inode, null));
    }
    return new DriveChannel(real, entries.get(name));
  }

  @Override
  public synchronized void replace(Path from, Path to) throws IOException {
    boolean fails = request();
    if (fails && random.nextBoolean()) {
      throw fault(); // and it was not done
    }
    FileAccess.SYSTEM.replace(from, to);
    String before = from.getFileName().toString();
    String name = to.getFileName().toString();
    Inode inode = entries.remove(before);
    entries.put(name, inode);
    changes.add(new Change(name, inode, before));
    if (fails) {
      throw fault(); // though it was done
    }
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    if (request()) {
      throw fault();
    }
    FileAccess.SYSTEM.delete(file);
    String name = file.getFileName().toString();
    if (entries.remove(name) != null) {
      changes.add(new Change(name, null, null));
    }
  }

  @Override
  public synchronized void forceDirectory(Path path) throws IOException {
    if (!path.equals(directory)) {
      return;
    }
    boolean fails = request();
    for (Change change : changes) {
      if (!fails || random.nextBoolean()) {
        apply(change, safeEntries);
      }
    }
    changes.clear(); // for good, also if it failed
    if (fails) {
      throw fault();
    }
  }

  private static void apply(Change change, Map<String, Inode> to) {
    if (change.before != null) {
      to.remove(change.before);
    }
    if (change.inode == null) {
      to.remove(change.name);
    } else {
      to.put(change.name, change.inode);
    }
  }

  @Override
  public synchronized long usableBytes(Path path) {
    return 1L << 40;
  }

  @Override
  public synchronized Syncable openToSync(Path file) {
    Inode inode = entries.get(file.getFileName().toString());
    boolean isLevel = file.getFileName().toString().startsWith("level-");
    return new Syncable() {
      @Override
      public void sync() throws IOException {
        SimulatedDrive.this.sync(inode, isLevel && lies);
      }

      @Override
      public void close() {
        // there is nothing open
      }
    };
  }

  private synchronized void sync(Inode inode, boolean lying) throws IOException {
    boolean fails = request();
    for (Write write : inode.since) {
      if (lying && write.bytes != null && random.nextInt(20) == 0) {
        growTo(inode.safe, write.offset + write.bytes.length);
      } else if (!fails || random.nextBoolean()) {
        apply(write, inode.safe);
      }
    }
    inode.since.clear(); // for good, also if it failed
    if (fails) {
      failedSyncs++;
      throw fault();
    }
  }

  private void apply(Write write, Content to) {
    if (write.bytes == null) {
      to.cut(write.offset);
    } else {
      growTo(to, write.offset);
      to.put(write.offset, write.bytes, 0, write.bytes.length);
    }
  }

  // ---- Power cuts ----

  private Image cut() {
    boolean inOrder = random.nextBoolean();
    Map<String, Inode> there = new HashMap<>(safeEntries);
    int done = random.nextInt(changes.size() + 1);
    for (int i = 0; i < changes.size(); i++) {
      if (inOrder ? i < done : random.nextBoolean()) {
        apply(changes.get(i), there);
      }
    }
    Map<String, byte[]> files = new HashMap<>();
    there.forEach((name, inode) -> files.put(name, content(inode)));
    return new Image(files, acknowledged.getAsLong(), begun.getAsLong());
  }

  private byte[] content(Inode inode) {
    Content content = new Content(inode.safe.copy());
    int kind = random.nextInt(3); // all of it, nothing of it, some of it
    for (Write write : inode.since) {
      if (kind == 0 || kind == 2 && random.nextInt(3) == 0) {
        apply(write, content);
      } else if (kind == 2 && write.bytes != null) {
        tear(write, content);
      }
    }
    return content.copy();
  }

  private void tear(Write write, Content to) {
    for (int at = 0; at < write.bytes.length; at += SECTOR_BYTES) {
      if (random.nextInt(4) == 0) {
        growTo(to, write.offset + at);
        to.put(write.offset + at, write.bytes, at, Math.min(SECTOR_BYTES, write.bytes.length - at));
      }
    }
  }

  /** A file that became longer, and was not written there: zeros, or what another one has. */
  private void growTo(Content content, int size) {
    int from = content.size;
    if (size > from) {
      content.grow(size);
      Content other = all.get(random.nextInt(all.size())).safe;
      if (random.nextBoolean() && other.size > from) {
        content.put(from, other.bytes, from, Math.min(other.size, size) - from);
      }
    }
  }

  private final class DriveChannel extends WrappedChannel {
    private final Inode inode;

    DriveChannel(FileChannel real, Inode inode) {
      super(real);
      this.inode = inode;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      synchronized (SimulatedDrive.this) {
        readsSinceFault++;
        if (request() && readsSinceFault > 50) { // twice in a row it would be a page that is lost
          readsSinceFault = 0;
          throw fault();
        }
      }
      return real.read(into, position);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      synchronized (SimulatedDrive.this) {
        boolean fails = request();
        if (fails && fullFor == 0 && random.nextInt(4) == 0) {
          fullFor = 1 + random.nextInt(50);
        }
        if (fullFor > 0) {
          fullFor--;
          throw new IOException("No space left on device (injected)");
        }
        int bytes = from.remaining();
        if (fails || random.nextInt(100) == 0) { // a part of it
          bytes = 1 + random.nextInt(bytes);
        }
        byte[] written = new byte[bytes];
        from.get(written);
        real.write(ByteBuffer.wrap(written), position);
        inode.since.add(new Write((int) position, written));
        if (fails) {
          from.position(from.position() - bytes);
          throw fault(); // though some of it was written
        }
        return bytes;
      }
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      synchronized (SimulatedDrive.this) {
        if (request()) {
          throw fault();
        }
        real.truncate(size);
        inode.since.add(new Write((int) size, null));
        return this;
      }
    }

    @Override
    public void force(boolean metaData) {
      throw new UnsupportedOperationException("an interrupt hides what it says");
    }
  }
}

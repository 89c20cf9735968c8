package io.winnow.flash.drive;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files of a directory and those below it, as a drive has them: what is written can be read at
 * once, and is safe after an fsync only. At a power cut each write since then is there, or is not,
 * or some sectors of it, in any order; each creation, rename and deletion since its directory's
 * fsync is there or not. Where nothing was written, there is what some other file once had there.
 *
 * <p>Faults come at random: reads, writes, fsyncs and renames that fail, short transfers, a drive
 * that is full for a while. What a failed fsync was to make safe, whoever wrote it, is marked as
 * written, as Linux does: a later fsync succeeds and does nothing about it.
 *
 * <p>And the drive may do a write of a page in a wrong place, or not at all, and say nothing.
 */
public final class SimulatedDrive implements FileAccess {
  /** Files whose bytes may turn up in another one. */
  private static final int MAX_KEPT = 50;

  /** So many times as often as others an fsync of a directory fails: there are few. */
  private static final int DIRECTORY_FAULTS = 25;

  /** A name that was given to a file, or taken away if that is null; and the one it had before. */
  private record Change(String name, SimulatedFile inode, String before) {}

  /** What a power cut left, and what was acknowledged and begun by then. */
  public record Image(Map<String, byte[]> files, long acknowledged, long begun) {
    public void writeTo(Path directory) throws IOException {
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Path path = directory.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.write(path, file.getValue());
      }
    }
  }

  /** Of which files an fsync fails now. */
  public volatile Predicate<Path> failingFsyncs = path -> false;

  /**
   * Is called before each fsync of a directory, which takes its time: requests of others come in
   * between.
   */
  public volatile Runnable beforeDirectoryFsync = () -> {};

  /** Of which files a write fails now. */
  public volatile Predicate<Path> failingWrites = path -> false;

  private final Path directory;
  private final Random random;
  private final LongSupplier acknowledged;
  private final LongSupplier begun;
  private final Map<String, SimulatedFile> entries = new HashMap<>();
  private final Map<String, SimulatedFile> safeEntries = new HashMap<>();
  private final List<Change> changes = new ArrayList<>();
  private final List<SimulatedFile> all = new ArrayList<>();
  private int faultsPerMillion;
  private boolean lies;
  private int fullFor;
  private int readsSinceFault;
  private boolean off;
  private boolean stops;
  private int misplacedPerMillion;
  private int lostPerMillion;
  private long firstWrongWrite;
  private long notAsAsked;
  private int untilCut;
  private Image image;
  private long failedSyncs;

  /** A drive with the files that are in a directory, all of them safe. */
  public SimulatedDrive(
      Path directory, Random random, LongSupplier acknowledged, LongSupplier begun)
      throws IOException {
    this.directory = directory.toAbsolutePath();
    this.random = random;
    this.acknowledged = acknowledged;
    this.begun = begun;
    for (Path file : files()) {
      entries.put(name(file), newInode(Files.readAllBytes(file)));
    }
    safeEntries.putAll(entries);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /** A file's path from the directory on. */
  private String name(Path file) {
    return directory.relativize(file.toAbsolutePath()).toString();
  }

  private SimulatedFile newInode(byte[] safe) {
    SimulatedFile inode = new SimulatedFile(safe, random, all);
    all.add(inode);
    if (all.size() > MAX_KEPT) {
      all.remove(0);
    }
    return inode;
  }

  /** How many of a million requests fail. */
  public synchronized void setFaults(int perMillion) {
    faultsPerMillion = perMillion;
    fullFor = 0;
  }

  /** Whether pages of levels are lost now and then though an fsync succeeded. */
  public synchronized void setLies(boolean on) {
    lies = on;
  }

  /** Cuts the power after so many requests; the drive goes on, and {@link #takeImage} has it. */
  public synchronized void cutAfter(int requests) {
    untilCut = requests;
  }

  /** The files that a power cut would leave now; the drive goes on. */
  public synchronized Image cutNow() {
    return cut();
  }

  public synchronized Image takeImage() {
    Image taken = image;
    image = null;
    return taken;
  }

  public synchronized boolean isCutAhead() {
    return untilCut > 0;
  }

  /** Lets the machine stop in the n-th request from now: it takes and gives nothing any more. */
  public synchronized void stopIn(int n) {
    untilCut = n;
    stops = true;
  }

  public synchronized boolean isStopped() {
    return off;
  }

  /** Puts what the power cut left in the place of the real files. */
  public synchronized void cutPower() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
    takeImage().writeTo(directory);
  }

  /**
   * How many of a million writes of pages go to another place of their file, and how many are not
   * done at all.
   */
  public synchronized void setWrongWrites(int misplaced, int lost) {
    misplacedPerMillion = misplaced;
    lostPerMillion = lost;
  }

  /** Writes at places before this one are done as they should be. */
  public synchronized void spareWritesBefore(long position) {
    firstWrongWrite = position;
  }

  /** Writes that were misplaced or lost. */
  public synchronized long wrongWrites() {
    return notAsAsked;
  }

  /** From now on it takes and gives nothing. */
  public synchronized void switchOff() {
    off = true;
  }

  /** Fsyncs of files that failed, since that was forgotten. */
  public synchronized long failedSyncs() {
    return failedSyncs;
  }

  public synchronized void forgetFailedSyncs() {
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
      if (stops) {
        off = true;
        throw new IOException("the machine stops (injected)");
      }
    }
    return random.nextInt(1_000_000) < faultsPerMillion;
  }

  private static IOException fault() {
    return new IOException("Input/output error (injected)");
  }

  @Override
  public synchronized FileChannel open(Path file, Set<? extends OpenOption> options)
      throws IOException {
    if (request()) {
      throw fault();
    }
    FileChannel real = FileAccess.SYSTEM.open(file, new HashSet<>(options));
    String name = name(file);
    if (options.contains(StandardOpenOption.CREATE_NEW)) {
      SimulatedFile inode = newInode(new byte[0]);
      entries.put(name, inode);
      changes.add(new Change(name, inode, null));
    }
    return new DriveChannel(file, real, entries.get(name));
  }

  @Override
  public synchronized void replace(Path from, Path to) throws IOException {
    boolean fails = request();
    if (fails && random.nextBoolean()) {
      throw fault(); // and it was not done
    }
    FileAccess.SYSTEM.replace(from, to);
    String before = name(from);
    String name = name(to);
    SimulatedFile inode = entries.remove(before);
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
    String name = name(file);
    if (entries.remove(name) != null) {
      changes.add(new Change(name, null, null));
    }
  }

  @Override
  public void forceDirectory(Path path) throws IOException {
    beforeDirectoryFsync.run();
    forceNames(path);
  }

  private synchronized void forceNames(Path path) throws IOException {
    Path there = path.toAbsolutePath();
    if (!there.startsWith(directory)) {
      return;
    }
    boolean fails =
        request()
            || faultsPerMillion > 0
                && random.nextInt(1_000_000) < DIRECTORY_FAULTS * faultsPerMillion
            || failingFsyncs.test(path);
    for (Change change : List.copyOf(changes)) {
      if (there.equals(directory.resolve(change.name).getParent())) {
        if (!fails || random.nextBoolean()) {
          apply(change, safeEntries);
        }
        changes.remove(change); // for good, also if it failed
      }
    }
    if (fails) {
      throw fault();
    }
  }

  private static void apply(Change change, Map<String, SimulatedFile> to) {
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
  public synchronized void force(Path file, FileDescriptor open) throws IOException {
    boolean isLevel = file.getFileName().toString().startsWith("level-");
    boolean fails = request() || failingFsyncs.test(file);
    SimulatedFile inode = entries.get(name(file));
    if (inode != null) { // nobody finds what is deleted
      inode.sync(isLevel && lies, fails);
    }
    if (fails) {
      failedSyncs++;
      throw fault();
    }
  }

  // ---- Power cuts ----

  private Image cut() {
    boolean inOrder = random.nextBoolean();
    Map<String, SimulatedFile> there = new HashMap<>(safeEntries);
    int done = random.nextInt(changes.size() + 1);
    for (int i = 0; i < changes.size(); i++) {
      if (inOrder ? i < done : random.nextBoolean()) {
        apply(changes.get(i), there);
      }
    }
    Map<String, byte[]> files = new HashMap<>();
    there.forEach((name, inode) -> files.put(name, inode.afterAPowerCut()));
    return new Image(files, acknowledged.getAsLong(), begun.getAsLong());
  }

  private final class DriveChannel extends WrappedChannel {
    private final Path file;
    private final SimulatedFile inode;

    DriveChannel(Path file, FileChannel real, SimulatedFile inode) {
      super(real);
      this.file = file;
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
        if (failingWrites.test(file)) {
          throw new IOException("No space left on device (injected)");
        }
        if (fails && fullFor == 0 && random.nextInt(4) == 0) {
          fullFor = 1 + random.nextInt(50);
        }
        if (fullFor > 0) {
          fullFor--;
          throw new IOException("No space left on device (injected)");
        }
        int bytes = from.remaining();
        long place = place(position, bytes, real.size());
        if (place < 0) {
          from.position(from.limit());
          return bytes;
        }
        if (fails || random.nextInt(100) == 0) { // a part of it
          bytes = 1 + random.nextInt(bytes);
        }
        byte[] written = new byte[bytes];
        from.get(written);
        real.write(ByteBuffer.wrap(written), place);
        inode.write((int) place, written);
        if (fails) {
          from.position(from.position() - bytes);
          throw fault(); // though some of it was written
        }
        return bytes;
      }
    }

    /** Where a write goes; -1 if it is lost. */
    private long place(long position, int bytes, long size) {
      if (position < firstWrongWrite
          || position % PageStore.MIN_PAGE_BYTES != 0
          || bytes % PageStore.MIN_PAGE_BYTES != 0
          || position + bytes > size) {
        return position;
      }
      int dice = random.nextInt(1_000_000);
      notAsAsked += dice < misplacedPerMillion + lostPerMillion ? 1 : 0;
      if (dice < misplacedPerMillion) {
        long pages = (size - bytes) / PageStore.MIN_PAGE_BYTES + 1;
        return PageStore.MIN_PAGE_BYTES * (long) random.nextInt((int) pages);
      }
      return dice < misplacedPerMillion + lostPerMillion ? -1 : position;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      synchronized (SimulatedDrive.this) {
        if (request()) {
          throw fault();
        }
        real.truncate(size);
        inode.cut((int) size);
        return this;
      }
    }
  }
}

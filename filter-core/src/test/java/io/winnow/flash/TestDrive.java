package io.winnow.flash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The real file system, with reads, writes and fsyncs that fail, and a memory of what a power cut
 * may leave: what was written before the last fsync, and any sectors of what was written since.
 */
final class TestDrive implements FileAccess {
  private static final int SECTOR = 512;

  volatile boolean failReads;
  volatile boolean failWrites;
  volatile boolean failFsyncs;

  /** Is called before each write and after each fsync. */
  volatile Runnable hook = () -> {};

  /** Is called after the next fsync. */
  volatile Runnable afterFsync = () -> {};

  private final Map<Path, Recorded> files = new HashMap<>();

  private static final class Recorded {
    private byte[] safe = new byte[0];
    private final List<Write> pending = new ArrayList<>();
  }

  private record Write(int position, byte[] bytes) {}

  /** The file after a power cut now: each sector that was written since the last fsync may be. */
  synchronized byte[] cut(Path file, Random random) {
    Recorded recorded = files.get(file);
    byte[] image = recorded.safe.clone();
    int written = random.nextInt(5); // of 4: never, now and then, always
    for (Write write : recorded.pending) {
      for (int at = 0; at < write.bytes.length; at += SECTOR) {
        if (random.nextInt(4) < written) {
          image = put(image, write.position + at, write.bytes, at, SECTOR);
        }
      }
    }
    return image;
  }

  private static byte[] put(byte[] image, int position, byte[] from, int at, int length) {
    byte[] longer =
        position + length > image.length ? Arrays.copyOf(image, position + length) : image;
    System.arraycopy(from, at, longer, position, length);
    return longer;
  }

  private synchronized void written(Path file, long position, byte[] bytes) {
    files.computeIfAbsent(file, f -> new Recorded()).pending.add(new Write((int) position, bytes));
  }

  private synchronized void forced(Path file) {
    Recorded recorded = files.computeIfAbsent(file, f -> new Recorded());
    for (Write write : recorded.pending) {
      recorded.safe = put(recorded.safe, write.position, write.bytes, 0, write.bytes.length);
    }
    recorded.pending.clear();
  }

  @Override
  public void replace(Path from, Path to) throws IOException {
    FileAccess.SYSTEM.replace(from, to);
    synchronized (this) {
      files.put(to, files.remove(from));
    }
  }

  @Override
  public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return new Channel(file, FileAccess.SYSTEM.open(file, options));
  }

  private static IOException injected() {
    return new IOException("Input/output error (injected)");
  }

  private final class Channel extends FileChannel {
    private final Path file;
    private final FileChannel real;

    Channel(Path file, FileChannel real) {
      this.file = file;
      this.real = real;
    }

    private Path now() {
      String name = file.getFileName().toString().replace(".new", ""); // as it is called later
      synchronized (TestDrive.this) {
        Path renamed = file.resolveSibling(name);
        return files.containsKey(renamed) ? renamed : file;
      }
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      if (failReads) {
        throw injected();
      }
      return real.read(into, position);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      hook.run();
      if (failWrites) {
        throw injected();
      }
      byte[] bytes = new byte[from.remaining()];
      from.duplicate().get(bytes);
      int written = real.write(from, position);
      written(now(), position, Arrays.copyOf(bytes, written));
      return written;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      if (failFsyncs) {
        throw injected();
      }
      real.force(metaData);
      forced(now());
      hook.run();
      Runnable once = afterFsync;
      afterFsync = () -> {};
      once.run();
    }

    @Override
    public long size() throws IOException {
      return real.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
      real.close();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer into) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}

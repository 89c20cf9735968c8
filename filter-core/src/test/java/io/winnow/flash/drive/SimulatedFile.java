package io.winnow.flash.drive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A file of a {@link SimulatedDrive}: what of it is safe, and what was done since. */
final class SimulatedFile {
  private static final int SECTOR_BYTES = 512;

  private final Random random;
  private final List<SimulatedFile> all;
  private final Content safe;
  private final List<Write> since = new ArrayList<>();

  /** A write, or a cut if there are no bytes. */
  private record Write(int offset, byte[] bytes) {}

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

  /**
   * @param all files whose bytes may turn up in this one
   */
  SimulatedFile(byte[] safe, Random random, List<SimulatedFile> all) {
    this.safe = new Content(safe);
    this.random = random;
    this.all = all;
  }

  void write(int offset, byte[] bytes) {
    since.add(new Write(offset, bytes));
  }

  void cut(int size) {
    since.add(new Write(size, null));
  }

  /**
   * What was written is safe now, or lost for good.
   *
   * @param lying whether some of it is lost though the drive says nothing
   * @param fails whether any of it may be lost
   */
  void sync(boolean lying, boolean fails) {
    for (Write write : since) {
      if (lying && write.bytes != null && random.nextInt(20) == 0) {
        growTo(safe, write.offset + write.bytes.length);
      } else if (!fails || random.nextBoolean()) {
        apply(write, safe);
      }
    }
    since.clear(); // for good, also if it failed
  }

  /** What a power cut leaves: of what was written since the last fsync all, nothing or some. */
  byte[] afterAPowerCut() {
    Content content = new Content(safe.copy());
    int kind = random.nextInt(3); // all of it, nothing of it, some of it
    for (Write write : since) {
      if (kind == 0 || kind == 2 && random.nextInt(3) == 0) {
        apply(write, content);
      } else if (kind == 2 && write.bytes != null) {
        tear(write, content);
      }
    }
    return content.copy();
  }

  private void apply(Write write, Content to) {
    if (write.bytes == null) {
      to.cut(write.offset);
    } else {
      growTo(to, write.offset);
      to.put(write.offset, write.bytes, 0, write.bytes.length);
    }
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
}

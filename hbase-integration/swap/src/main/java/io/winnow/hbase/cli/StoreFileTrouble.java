package io.winnow.hbase.cli;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CorruptHFileException;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.security.AccessControlException;

/** Says in one sentence, with the file's name, what is wrong with a store file. */
public final class StoreFileTrouble {
  /** Takes a file's key out of its trailer, with the cluster's. */
  private static final String KEYS = "org.apache.hadoop.hbase.security.EncryptionUtil";

  /** Many bytes of a file, and the word in front of them. */
  private static final Pattern DUMP =
      Pattern.compile(
          "(?s)(?:, ?KeyValueBytesHex=|(?:[,:] ?(?:\\w+[=:]"
              + " ?)?)?(?:(?:\\\\x)?[0-9A-Fa-f]{2}){20,}).*");

  private StoreFileTrouble() {}

  /** A message that is a sentence for the user already. */
  private static final class UserMessage extends IOException {
    private static final long serialVersionUID = 1L;

    UserMessage(String sentence, Throwable cause) {
      super(sentence, cause);
    }
  }

  /**
   * Refuses what is not a whole store file, as far as its end tells.
   *
   * @throws IOException with a sentence for the user
   */
  public static void requireStoreFile(FileSystem fileSystem, Path file) throws IOException {
    FileStatus status;
    try {
      status = fileSystem.getFileStatus(file);
    } catch (IOException e) {
      throw new UserMessage(sentence(file, e), e);
    }
    if (status.isDirectory()) {
      throw new UserMessage(file + " is a directory, not a store file", null);
    }
    if (status.getLen() == 0) {
      throw new UserMessage(file + " is empty, so it is not a store file", null);
    }
    FSDataInputStream opened;
    try {
      opened = fileSystem.open(file);
    } catch (IOException e) {
      throw new UserMessage(sentence(file, e), e);
    }
    try (FSDataInputStream in = opened) {
      try {
        FixedFileTrailer.readFromStream(in, status.getLen());
      } catch (IOException | RuntimeException e) {
        throw new UserMessage(
            beginsLikeAStoreFile(in, status.getLen())
                ? file
                    + " begins like a store file, but has no trailer: its end was cut off or"
                    + " damaged, or it is still being written"
                : file + " is not a store file: it has no trailer of one",
            e);
      }
    }
  }

  /** By the name of the kind of its first block. */
  private static boolean beginsLikeAStoreFile(FSDataInputStream in, long length)
      throws IOException {
    byte[] magic = new byte[(int) Math.min(BlockType.MAGIC_LENGTH, length)];
    in.seek(0);
    in.readFully(magic);
    String text = new String(magic, StandardCharsets.ISO_8859_1);
    return Arrays.stream(BlockType.values())
        .map(type -> new String(magic(type), StandardCharsets.ISO_8859_1))
        .anyMatch(text::equals);
  }

  private static byte[] magic(BlockType type) {
    byte[] magic = new byte[BlockType.MAGIC_LENGTH];
    type.put(magic, 0);
    return magic;
  }

  /** What a read of the file met, once more with a sentence for the user, after a second look. */
  public static IOException of(FileSystem fileSystem, Path file, Throwable met) {
    if (met instanceof UserMessage) {
      UserMessage message = (UserMessage) met;
      return message;
    }
    try {
      requireStoreFile(fileSystem, file);
    } catch (UserMessage message) {
      message.addSuppressed(met);
      return message;
    } catch (IOException | RuntimeException e) {
      met.addSuppressed(e); // what was met first tells more
    }
    return new UserMessage(sentence(file, met), met);
  }

  /** What a read of the file met, in words. */
  public static String sentence(Object file, Throwable met) {
    List<Throwable> chain = chain(met);
    String reason = reason(chain);
    if (any(chain, StoreFileTrouble::isDenied)) {
      return "permission denied: " + file;
    }
    if (any(chain, e -> e instanceof FileNotFoundException || e instanceof NoSuchFileException)) {
      return "there is no file " + file;
    }
    if (any(chain, StoreFileTrouble::isOfKeys)) {
      return file
          + " is encrypted, and its key cannot be had with these settings of hbase.crypto: "
          + reason;
    }
    if (any(chain, e -> e instanceof ClassNotFoundException || e instanceof LinkageError)
        || reason.contains("native")) {
      return file + " needs a library that is not there: " + reason;
    }
    return file + (isDamage(chain) ? " is damaged: " : " cannot be read: ") + reason;
  }

  /** A local file system says so in its message alone. */
  private static boolean isDenied(Throwable e) {
    return e instanceof AccessControlException
        || e instanceof AccessDeniedException
        || e instanceof FileNotFoundException
            && String.valueOf(e.getMessage()).endsWith("(Permission denied)");
  }

  private static boolean isOfKeys(Throwable e) {
    return Arrays.stream(e.getStackTrace()).anyMatch(frame -> KEYS.equals(frame.getClassName()));
  }

  /** HBase complains of bytes with plain exceptions; what a network does has a class of its own. */
  private static boolean isDamage(List<Throwable> chain) {
    Throwable inner = chain.get(chain.size() - 1);
    return inner instanceof RuntimeException
        || inner instanceof EOFException
        || inner instanceof ChecksumException
        || inner instanceof CorruptHFileException
        || inner.getClass() == IOException.class
            && !String.valueOf(inner.getMessage()).equals("Filesystem closed");
  }

  private static boolean any(List<Throwable> chain, Predicate<Throwable> is) {
    return chain.stream().anyMatch(is);
  }

  private static List<Throwable> chain(Throwable e) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> chain = new ArrayList<>();
    for (Throwable at = e; at != null && seen.add(at); at = at.getCause()) {
      chain.add(at);
    }
    return chain;
  }

  /** The innermost message: those around it repeat the file, or say that it was damaged. */
  public static String reason(Throwable met) {
    return reason(chain(met));
  }

  private static String reason(List<Throwable> chain) {
    Throwable inner = chain.get(chain.size() - 1);
    return inner.getMessage() == null
        ? inner.getClass().getSimpleName()
        : DUMP.matcher(inner.getMessage())
            .replaceFirst("")
            .lines()
            .findFirst()
            .orElse(inner.getClass().getSimpleName());
  }

  /** All that HBase says of it: bytes that make no cell, in hexadecimal digits. */
  public static String dump(Throwable met) {
    List<Throwable> chain = chain(met);
    return String.valueOf(chain.get(chain.size() - 1).getMessage());
  }
}

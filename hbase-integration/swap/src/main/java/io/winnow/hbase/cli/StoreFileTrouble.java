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

/** Sentences for the user about errors in store files, each with the file's name. */
public final class StoreFileTrouble {
  /** HBase's class that decrypts the key in a store file's trailer with the key of the cluster. */
  private static final String KEYS = "org.apache.hadoop.hbase.security.EncryptionUtil";

  /** Pattern of a dump of a file's bytes in an exception's message, with the word before it. */
  private static final Pattern DUMP =
      Pattern.compile(
          "(?s)(?:, ?KeyValueBytesHex=|(?:[,:] ?(?:\\w+[=:]"
              + " ?)?)?(?:(?:\\\\x)?[0-9A-Fa-f]{2}){20,}).*");

  private StoreFileTrouble() {}

  /** Exception whose message is already a sentence for the user. */
  private static final class UserMessage extends IOException {
    private static final long serialVersionUID = 1L;

    UserMessage(String sentence, Throwable cause) {
      super(sentence, cause);
    }
  }

  /**
   * Refuses a file that is not a whole store file, judged by its trailer.
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

  /** Returns true if a file begins with the magic bytes of one of HBase's kinds of blocks. */
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

  /**
   * Returns an exception that explains a failed read of a store file to the user. It checks the
   * file again to find the reason.
   *
   * @param met the exception of the read
   */
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
      met.addSuppressed(e); // the first exception says more
    }
    return new UserMessage(sentence(file, met), met);
  }

  /**
   * Returns a sentence for the user about a failed read of a store file.
   *
   * @param file name of the file
   * @param met the exception of the read
   */
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

  /**
   * Returns true if an exception means that access to a file is denied. The exception of a local
   * file system says so only in its message.
   */
  private static boolean isDenied(Throwable e) {
    return e instanceof AccessControlException
        || e instanceof AccessDeniedException
        || e instanceof FileNotFoundException
            && String.valueOf(e.getMessage()).endsWith("(Permission denied)");
  }

  private static boolean isOfKeys(Throwable e) {
    return Arrays.stream(e.getStackTrace()).anyMatch(frame -> KEYS.equals(frame.getClassName()));
  }

  /**
   * Returns true if an exception means that a store file has damaged bytes. HBase reports these
   * with plain exceptions; errors of the network have classes of their own.
   */
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

  /**
   * Returns the message of an exception's innermost cause, without dumps of bytes. The exceptions
   * around it repeat the file's name, or that it is damaged.
   */
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

  /**
   * Returns the whole message of an exception's innermost cause, with the hexadecimal digits of
   * bytes that are not a cell.
   */
  public static String dump(Throwable met) {
    List<Throwable> chain = chain(met);
    return String.valueOf(chain.get(chain.size() - 1).getMessage());
  }
}

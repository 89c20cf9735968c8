package io.winnow.hbase.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Sentences about files that the user of a command named, and checks of these files. */
public final class UserFiles {
  private UserFiles() {}

  /**
   * Returns a sentence for the user about a failed access to a file. Java's own message is often
   * the path alone.
   *
   * @return a sentence that names the file, or the exception's own message
   */
  public static String sentence(Exception e) {
    if (!(e instanceof FileSystemException)) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
    FileSystemException problem = (FileSystemException) e;
    String file = problem.getFile();
    if (problem.getReason() != null) {
      return file + ": " + problem.getReason();
    }
    if (problem instanceof NoSuchFileException) {
      return "there is no " + file;
    }
    if (problem instanceof AccessDeniedException) {
      return "permission denied: " + file;
    }
    if (problem instanceof FileAlreadyExistsException) {
      return file + " is there already, and is no directory";
    }
    if (problem instanceof NotDirectoryException) {
      return file + " is no directory";
    }
    return problem.toString();
  }

  /**
   * Refuses a file that cannot be written, before a command does the work whose results it is for.
   *
   * @param file {@code null} for none, which passes
   * @throws IOException with a message for the user
   */
  public static void requireWritable(Path file) throws IOException {
    if (file == null) {
      return;
    }
    Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new IOException("cannot write the file " + file + ": it is a directory");
    }
    if (directory == null || !Files.isDirectory(directory)) {
      throw new IOException("cannot write the file " + file + ": there is no such directory");
    }
    if (!Files.isWritable(Files.exists(file) ? file : directory)) {
      throw new IOException("cannot write the file " + file + ": permission denied");
    }
  }

  /**
   * Refuses a file that the user of a command named and that cannot be read.
   *
   * @throws IOException with a message for the user
   */
  public static void requireReadable(Path file) throws IOException {
    if (Files.notExists(file)) {
      throw new IOException("there is no file " + file);
    }
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory, not a file");
    }
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read the file " + file + ": permission denied");
    }
  }
}

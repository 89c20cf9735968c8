package io.winnow.cascade;

import io.winnow.flash.drive.FileAccess;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/** The file system until so many requests were made, and none after that: a process that dies. */
final class DyingAccess implements FileAccess {
  private int left;

  DyingAccess(int requests) {
    left = requests;
  }

  /** From now on there are so many requests. */
  synchronized void dieAfter(int requests) {
    left = requests;
  }

  synchronized boolean isDead() {
    return left <= 0;
  }

  private synchronized void request() throws IOException {
    if (left <= 0) {
      throw new IOException("the process is dead (injected)");
    }
    left--;
  }

  @Override
  public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    request();
    return FileAccess.SYSTEM.open(file, options);
  }

  @Override
  public void replace(Path from, Path to) throws IOException {
    request();
    FileAccess.SYSTEM.replace(from, to);
  }

  @Override
  public void link(Path name, Path file) throws IOException {
    request();
    FileAccess.SYSTEM.link(name, file);
  }

  @Override
  public void delete(Path file) throws IOException {
    request();
    FileAccess.SYSTEM.delete(file);
  }

  @Override
  public void force(Path file, FileDescriptor open) throws IOException {
    request();
    FileAccess.SYSTEM.force(file, open);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    request();
    FileAccess.SYSTEM.forceDirectory(directory);
  }
}

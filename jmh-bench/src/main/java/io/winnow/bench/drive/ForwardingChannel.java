package io.winnow.bench.drive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file channel that forwards all calls to another one; subclasses override some. */
abstract class ForwardingChannel extends FileChannel {
  private final FileChannel real;

  ForwardingChannel(FileChannel real) {
    this.real = real;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    real.force(metaData);
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return real.read(into);
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    return real.read(into, offset, length);
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    return real.read(into, position);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return real.write(from);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return real.write(from, offset, length);
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    return real.write(from, position);
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long to) throws IOException {
    real.position(to);
    return this;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    real.truncate(size);
    return this;
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
    return real.transferTo(position, count, to);
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
    return real.transferFrom(from, position, count);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return real.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}

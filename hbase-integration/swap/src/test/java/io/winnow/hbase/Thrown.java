package io.winnow.hbase;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.Supplier;

/** One of each kind that can be thrown, and a way to throw it where it is not declared. */
public final class Thrown {
  public static final List<Supplier<Throwable>> KINDS =
      List.of(
          () -> new IllegalStateException("a fault"),
          () -> new IOException("a fault"),
          () -> new InterruptedIOException("an interrupt"),
          () -> new NoSuchMethodError("a fault"),
          () -> new StackOverflowError("a fault"),
          () -> new OutOfMemoryError("a fault"),
          () -> new AssertionError("a fault"),
          () -> new Exception("a fault, and a checked one"));

  private Thrown() {}

  public static <T> T sneakily(Throwable thrown) {
    throw Thrown.<RuntimeException>unchecked(thrown);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
    throw (E) thrown;
  }
}

package io.winnow.bench.drive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** IoCalls of peers and of other threads, whose exceptions become those of I/O. */
final class IoCalls {
  private IoCalls() {}

  static <T> T io(Callable<T> call) throws IOException {
    try {
      return call.call();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}

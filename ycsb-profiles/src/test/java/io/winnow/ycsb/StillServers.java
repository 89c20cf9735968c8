package io.winnow.ycsb;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Servers that have the counters that a test sets, and nothing else. */
final class StillServers extends Deployment {
  private final Supplier<ServerCounters> counters;

  StillServers(Supplier<ServerCounters> counters) {
    this.counters = counters;
  }

  @Override
  ServerCounters counters() {
    return counters.get();
  }

  @Override
  protected void restart(Map<String, String> properties) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected Configuration configuration() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected List<ProcessHandle> processes() {
    return List.of();
  }

  @Override
  Path staging() {
    throw new UnsupportedOperationException();
  }

  @Override
  boolean isLocal() {
    return false;
  }

  @Override
  public void close() {
    // Nothing was started.
  }
}

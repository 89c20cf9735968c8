package io.winnow.ycsb;

import io.winnow.hbase.standalone.CountedFiles;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A standalone HBase in one JVM, as the HBase that a run measures. Its directory is deleted by the
 * caller that made it.
 */
final class StandaloneDeployment extends Deployment {
  /** Approximate seconds until a standalone HBase serves its tables. */
  static final double START_SECONDS = 12;

  private final java.nio.file.Path directory;
  private final java.nio.file.Path agent;
  private final boolean isKept;
  private final String heap;
  private final Map<String, String> site;
  private final Consumer<String> progress;
  private StandaloneHBase hbase;

  /**
   * Starts an HBase with its data in a directory.
   *
   * @param isKept whether another server will open the directory again
   * @param heap the heap of its JVM in the form of {@code -Xmx}
   * @param site further properties of its hbase-site.xml
   */
  StandaloneDeployment(
      java.nio.file.Path directory,
      java.nio.file.Path agent,
      boolean isKept,
      String heap,
      Map<String, String> site,
      ServerCache cache,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    this.directory = directory;
    this.agent = agent;
    this.isKept = isKept;
    this.heap = heap;
    this.site = site;
    this.progress = progress;
    restart(cache);
  }

  @Override
  protected void restart(Map<String, String> properties) throws IOException, InterruptedException {
    if (hbase != null) {
      progress.accept("stopping HBase");
      hbase.close();
    }
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory).agent(agent).heap(heap).progress(progress);
    if (!isKept) {
      builder.throwaway();
    }
    builder.property("fs.file.impl", CountedFiles.class.getName());
    properties.forEach(builder::property);
    site.forEach(builder::property);
    hbase = builder.start();
  }

  @Override
  protected Configuration configuration() {
    return hbase.configuration();
  }

  @Override
  protected List<ProcessHandle> processes() {
    return List.of(hbase.process());
  }

  @Override
  Path staging() {
    return new Path("file://" + directory.resolve("staging"));
  }

  @Override
  boolean isLocal() {
    return true;
  }

  @Override
  public void close() throws IOException {
    try {
      disconnect();
    } finally {
      if (isKept) {
        hbase.close();
      } else {
        hbase.kill();
      }
    }
  }
}

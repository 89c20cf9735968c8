package io.winnow.hbase.it;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;

/**
 * Hadoop's local files without Hadoop's checksums. These keep the last bytes of a file back until
 * there are enough for a checksum: a server that is killed would lose rows that it acknowledged.
 * Without them what HBase's log has synced is the operating system's, and outlives the server.
 */
public final class PlainLocalFileSystem extends LocalFileSystem {
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setWriteChecksum(false);
    setVerifyChecksum(false);
  }
}

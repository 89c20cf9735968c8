package io.winnow.ycsb;

import io.winnow.hbase.standalone.JvmBeans;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/** The management beans of one region server, a process on this machine. */
interface ServerBeans extends Closeable {

  /**
   * Returns those of the given attributes of a management bean that are whole numbers. The map is
   * empty if the bean is missing: HBase removes its beans for a moment whenever a region comes or
   * goes.
   */
  Map<String, Long> read(String bean, List<String> attributes)
      throws IOException, InterruptedException;

  /** Returns the region server's counters, after waiting until HBase's management bean exists. */
  default ServerCounters counters() throws IOException, InterruptedException {
    for (int second = 0; ; second++) {
      Map<String, Long> server = read(ServerCounters.SERVER_BEAN, ServerCounters.SERVER_ATTRIBUTES);
      if (!server.isEmpty()) {
        return ServerCounters.of(
            server,
            read(ServerCounters.WINNOW_BEAN, ServerCounters.WINNOW_ATTRIBUTES),
            read(ServerCounters.PROCESS_BEAN, ServerCounters.PROCESS_ATTRIBUTES));
      }
      if (second == 600) {
        throw new IOException("a region server does not publish its counters");
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  /** Connects to the management beans of a region server's process on this machine. */
  static ServerBeans ofProcess(long pid) throws IOException {
    JvmBeans jvm =
        JvmBeans.of(
            ProcessHandle.of(pid)
                .orElseThrow(() -> new IOException("the process " + pid + " has ended")));
    return new ServerBeans() {
      @Override
      public Map<String, Long> read(String bean, List<String> attributes) throws IOException {
        Map<String, Long> values = new HashMap<>();
        try {
          for (Attribute attribute :
              jvm.connection()
                  .getAttributes(new ObjectName(bean), attributes.toArray(String[]::new))
                  .asList()) {
            values.put(attribute.getName(), ((Number) attribute.getValue()).longValue());
          }
        } catch (InstanceNotFoundException e) {
          return Map.of();
        } catch (JMException e) {
          throw new IOException("cannot read " + bean, e);
        }
        return values;
      }

      @Override
      public void close() throws IOException {
        jvm.close();
      }
    };
  }
}

package io.winnow.hbase.standalone;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The management beans of a JVM of this user on this machine. */
public final class JvmBeans implements AutoCloseable {
  private final JMXConnector connector;

  private JvmBeans(JMXConnector connector) {
    this.connector = connector;
  }

  /** Those of a process. */
  public static JvmBeans of(ProcessHandle server) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(server.pid()));
      try {
        String address = machine.startLocalManagementAgent();
        return new JvmBeans(JMXConnectorFactory.connect(new JMXServiceURL(address)));
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot read the counters of the process " + server.pid(), e);
    }
  }

  /** To all of them. */
  public MBeanServerConnection connection() throws IOException {
    return connector.getMBeanServerConnection();
  }

  /**
   * All whole numbers of a region server's bean; none if there is no such bean just now: HBase
   * takes its beans away for a moment when regions come and go.
   *
   * @param sub {@code Server}, {@code Winnow}
   */
  public Map<String, Long> numbers(String sub) throws IOException {
    try {
      ObjectName bean = new ObjectName("Hadoop:service=HBase,name=RegionServer,sub=" + sub);
      String[] names =
          Stream.of(connection().getMBeanInfo(bean).getAttributes())
              .map(MBeanFeatureInfo::getName)
              .toArray(String[]::new);
      Map<String, Long> numbers = new HashMap<>();
      for (Attribute attribute : connection().getAttributes(bean, names).asList()) {
        if (attribute.getValue() instanceof Long || attribute.getValue() instanceof Integer) {
          numbers.put(attribute.getName(), ((Number) attribute.getValue()).longValue());
        }
      }
      return numbers;
    } catch (InstanceNotFoundException e) {
      return Map.of();
    } catch (JMException e) {
      throw new IOException("cannot read the bean " + sub, e);
    }
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}

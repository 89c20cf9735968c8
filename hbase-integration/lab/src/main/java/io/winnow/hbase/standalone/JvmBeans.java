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

/** Management beans of another JVM of this user on this machine. */
public final class JvmBeans implements AutoCloseable {
  static {
    // The JDK waits 10 s for the other JVM, which a busy machine may need.
    System.getProperties().putIfAbsent("sun.tools.attach.attachTimeout", "600000");
  }

  private final JMXConnector connector;

  private JvmBeans(JMXConnector connector) {
    this.connector = connector;
  }

  /** Connects to the management beans of a process. */
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

  /** Returns the connection through which the other JVM's management beans are read. */
  public MBeanServerConnection connection() throws IOException {
    return connector.getMBeanServerConnection();
  }

  /**
   * Returns all integer attributes of a management bean of a region server, by name. The map is
   * empty if the bean is missing: HBase removes its beans for a moment when regions come and go.
   *
   * @param sub the bean's {@code sub}, such as {@code Server} or {@code Winnow}
   */
  public Map<String, Long> numbers(String sub) throws IOException {
    return numbersOf("Hadoop:service=HBase,name=RegionServer,sub=" + sub);
  }

  /** Returns all integer attributes of the management bean of a name; none if it is missing. */
  public Map<String, Long> numbersOf(String name) throws IOException {
    try {
      ObjectName bean = new ObjectName(name);
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
      throw new IOException("cannot read the bean " + name, e);
    }
  }

  /** Sets an attribute of the management bean of a name. */
  public void set(String name, String attribute, Object value) throws IOException {
    try {
      connection().setAttribute(new ObjectName(name), new Attribute(attribute, value));
    } catch (JMException e) {
      throw new IOException("cannot set " + attribute + " of the bean " + name, e);
    }
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}

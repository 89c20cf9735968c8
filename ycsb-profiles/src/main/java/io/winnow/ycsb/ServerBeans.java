package io.winnow.ycsb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The management beans of one region server: of a process on this machine through the attach API,
 * of any other through the {@code /jmx} page of its info server.
 */
interface ServerBeans extends Closeable {

  /**
   * The bean's attributes that are whole numbers; empty if there is no such bean just now. HBase
   * takes its beans away for a moment whenever a region comes or goes.
   */
  Map<String, Long> read(String bean, List<String> attributes)
      throws IOException, InterruptedException;

  /** The counters; waits for HBase's bean to be there. */
  default ServerCounters counters() throws IOException, InterruptedException {
    for (int second = 0; ; second++) {
      Map<String, Long> server = read(ServerCounters.SERVER_BEAN, ServerCounters.SERVER_ATTRIBUTES);
      if (!server.isEmpty()) {
        return ServerCounters.of(
            server,
            read(ServerCounters.WINNOW_BEAN, ServerCounters.WINNOW_ATTRIBUTES),
            read(ServerCounters.PROCESS_BEAN, ServerCounters.PROCESS_ATTRIBUTES));
      }
      if (second == 60) {
        throw new IOException("a region server does not show its counters");
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  /** Of a process of this user on this machine. */
  static ServerBeans ofProcess(long pid) throws IOException {
    String address;
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        address = machine.startLocalManagementAgent();
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot read the counters of the process " + pid, e);
    }
    JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
    return new ServerBeans() {
      @Override
      public Map<String, Long> read(String bean, List<String> attributes) throws IOException {
        Map<String, Long> values = new HashMap<>();
        try {
          for (Attribute attribute :
              connector
                  .getMBeanServerConnection()
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
        connector.close();
      }
    };
  }

  /** Of a server with an info server at this port. */
  static ServerBeans ofInfoServer(String host, int port) {
    HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    ObjectMapper json = new ObjectMapper();
    return new ServerBeans() {
      @Override
      public Map<String, Long> read(String bean, List<String> attributes)
          throws IOException, InterruptedException {
        URI page =
            URI.create(
                "http://%s:%d/jmx?qry=%s"
                    .formatted(host, port, URLEncoder.encode(bean, StandardCharsets.UTF_8)));
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
          throw new IOException(page + " answers " + answer.statusCode());
        }
        Map<String, Long> values = new HashMap<>();
        for (JsonNode found : json.readTree(answer.body()).path("beans")) {
          for (String attribute : attributes) {
            if (found.path(attribute).isNumber()) {
              values.put(attribute, found.path(attribute).asLong());
            }
          }
        }
        return values;
      }

      @Override
      public void close() {
        // Nothing stays open.
      }
    };
  }
}

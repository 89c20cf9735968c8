package io.winnow.hbase.standalone;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The address 127.0.0.1, to which all servers of trials and tests are bound, and its free ports.
 */
final class Loopback {
  static final String ADDRESS = "127.0.0.1";

  private static final int CONNECT_MILLIS = 500;
  private static final int FIRST_PORT = 20_000;
  private static final int LAST_PORT = 32_767;
  private static final int MAX_ATTEMPTS = 1000;

  /** Next candidate, from a random one on: a port comes again only after all others. */
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(LAST_PORT));

  private Loopback() {}

  static int freePort() throws IOException {
    return freePorts(1).get(0);
  }

  /**
   * Returns distinct free ports of 127.0.0.1. They are below the range from which systems take
   * ports for outgoing connections, so that no connection takes one before its server does.
   */
  static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      for (int attempt = 0; ports.size() < count; attempt++) {
        int port = FIRST_PORT + NEXT.getAndIncrement() % (LAST_PORT - FIRST_PORT + 1);
        try {
          held.add(new ServerSocket(port, 1, InetAddress.getByName(ADDRESS)));
          ports.add(port);
        } catch (BindException e) {
          if (attempt >= MAX_ATTEMPTS) {
            throw e;
          }
        }
      }
      return ports;
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  /**
   * Returns a given port of 127.0.0.1 after checking that it is free.
   *
   * @throws IOException with a message for the user, if the port is taken
   */
  static int requireFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(ADDRESS, port));
      return port;
    } catch (IOException e) {
      throw new IOException("port " + port + " on " + ADDRESS + " is taken: " + e.getMessage(), e);
    }
  }

  static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(ADDRESS, port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

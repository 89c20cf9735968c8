package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** JVMs with the agent and an HBase that is not what the agent was made for. */
class AgentStartIT {
  private static final String TARGET = "org.apache.hadoop.hbase.util.BloomFilterFactory";
  private static final String MAIN = "org.apache.hadoop.hbase.util.VersionInfo";

  @Test
  void theHBaseItWasMadeForStarts() throws IOException, InterruptedException {
    JavaProcess.Result result = JavaProcess.withAgent(JavaProcess.classPath()).run(MAIN);
    assertEquals(0, result.exitCode(), result.toString());
    assertFalse(result.errors().contains("Winnow"), result.errors());
  }

  @Test
  void factoryOfAnotherShapeIsRefused() throws IOException, InterruptedException {
    Path classes = TestServer.emptyDirectory("other-factory");
    Path source = classes.resolve("BloomFilterFactory.java");
    Files.writeString(
        source,
        """
        package org.apache.hadoop.hbase.util;
        public final class BloomFilterFactory {
          public static Object createFromMeta(java.io.DataInput meta) {
            return null;
          }
        }
        """);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertEquals(
        0, compiler.run(null, null, null, "-d", classes.toString(), source.toString()), "javac");
    assertRefused(
        JavaProcess.withAgent(JavaProcess.classPath(classes)).run(MAIN),
        "no static BloomFilter createFromMeta(DataInput, HFile.Reader, BloomFilterMetrics),"
            + " but static Object createFromMeta(DataInput)");
  }

  @Test
  void classPathWithoutHBaseIsRefused() throws IOException, InterruptedException {
    Path nothing = TestServer.emptyDirectory("no-hbase");
    assertRefused(
        JavaProcess.withAgent(nothing.toString()).run(MAIN), "the class is not on the class path");
  }

  private static void assertRefused(JavaProcess.Result result, String found) {
    assertEquals(1, result.exitCode(), result.toString());
    assertEquals("", result.output());
    String message = result.errors();
    assertEquals(1, message.split("Winnow: cannot put its filters", -1).length - 1, message);
    for (String part : List.of(TARGET, found, "Expected:", "What to do:")) {
      assertTrue(message.contains(part), part + " is not in: " + message);
    }
    assertFalse(message.contains("\tat "), message);
    assertFalse(message.contains("Exception"), message);
    assertEquals(5, message.lines().count(), message);
  }
}

package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A client has no HBase server on its class path: the library must not ask for one. */
class ClientOnlyTest {
  private static final Pattern REFERENCE =
      Pattern.compile("-> (org\\.apache\\.\\S+|io\\.winnow\\.hbase\\.\\S+) +(\\S+)");

  @Test
  void usesHBasesClientAndNothingOfItsServer() throws Exception {
    Path home = Path.of(Deduplicator.class.getResource("Deduplicator.class").toURI()).getParent();
    List<String> arguments =
        new ArrayList<>(List.of("-verbose:class", "-filter:none", "--ignore-missing-deps"));
    arguments.addAll(List.of("--multi-release", "base", "-cp"));
    arguments.add(jars());
    try (Stream<Path> files = Files.list(home)) {
      files.filter(Files::isRegularFile).map(Path::toString).sorted().forEach(arguments::add);
    }
    StringWriter output = new StringWriter();
    PrintWriter out = new PrintWriter(output);
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    assertEquals(0, jdeps.run(out, out, arguments.toArray(String[]::new)), output.toString());
    Set<String> jars = new TreeSet<>();
    Matcher reference = REFERENCE.matcher(output.toString());
    while (reference.find()) {
      if (reference.group(1).startsWith("io.winnow.hbase.")) {
        assertTrue(reference.group(1).startsWith("io.winnow.hbase.dedup."), reference.group());
      } else {
        jars.add(reference.group(2).replaceFirst("-[0-9].*", ""));
      }
    }
    assertEquals(Set.of("hbase-client", "hbase-common"), jars, output.toString());
  }

  /** What jdeps knows by its name. */
  private static String jars() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.contains("hbase-") && entry.endsWith(".jar"))
        .reduce((first, second) -> first + File.pathSeparator + second)
        .orElseThrow();
  }
}

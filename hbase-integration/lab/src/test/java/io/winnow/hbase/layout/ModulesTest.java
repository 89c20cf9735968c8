package io.winnow.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Where classes stand, in all modules. */
class ModulesTest {
  private static final List<String> MODULES =
      List.of(
          "filter-core",
          "hbase-integration/swap",
          "hbase-integration/dedup",
          "hbase-integration/lab",
          "jmh-bench",
          "ycsb-profiles");

  /** By package or by simple name, from where: of main code, or of tests too. */
  private static Map<String, Set<String>> found(boolean names, String... kinds) throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    for (String module : MODULES) {
      for (String kind : kinds) {
        Path root = Path.of("..", "..", module, "src", kind, "java");
        try (Stream<Path> files = Files.walk(root)) {
          for (Path file : files.filter(any -> any.toString().endsWith(".java")).toList()) {
            String name = file.getFileName().toString();
            Path directory = root.relativize(file).getParent();
            if (names && directory != null && !name.equals("package-info.java")) {
              found.computeIfAbsent(name, any -> new TreeSet<>()).add(directory.toString());
            } else if (!names && directory != null) {
              found.computeIfAbsent(directory.toString(), any -> new TreeSet<>()).add(module);
            }
          }
        }
      }
    }
    assertTrue(found.size() > 20, found::toString);
    found.values().removeIf(places -> places.size() == 1);
    return found;
  }

  /** So that each jar can be a module of Java's, and package-private means what it says. */
  @Test
  void noPackageIsInTwoModules() throws IOException {
    assertEquals(Map.of(), found(false, "main", "test"));
  }

  /** What has the same name is the same thing. */
  @Test
  void noNameIsInTwoPackages() throws IOException {
    assertEquals(Map.of(), found(true, "main"));
  }
}

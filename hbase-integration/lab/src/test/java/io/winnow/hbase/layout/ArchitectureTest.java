package io.winnow.hbase.layout;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrows between packages are those that docs/design/architecture.md draws. */
class ArchitectureTest {
  private static final String ROOT = "io.winnow";
  private static final String SWAP = ROOT + ".hbase";

  /** A row of a table: a package, what it is, whom it knows. */
  private static final Pattern ROW = Pattern.compile("\\| `([a-z.]+)` \\|[^|]*\\|([^|]*)\\|");

  private static JavaClasses classes;

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(ROOT);
  }

  @Test
  void arrowsAreThoseOfThePage() throws IOException {
    assertEquals(drawn(ROOT), found(ROOT));
    assertEquals(drawn(SWAP), found(SWAP));
  }

  /** The root package is one of them, so the pattern begins above it. */
  @Test
  void noPackagesKnowEachOtherInACircle() {
    slices().matching("io.(**)").should().beFreeOfCycles().check(classes);
  }

  private static String page() throws IOException {
    return Files.readString(Path.of("..", "..", "docs", "design", "architecture.md"));
  }

  /** Each table is of a module. */
  @Test
  void packagesStandInTheModulesOfThePage() throws IOException {
    Map<String, String> drawn = new TreeMap<>();
    Map<String, String> found = new TreeMap<>();
    Pattern head = Pattern.compile("\\| `hbase-integration/([a-z]+)` \\| what it is,");
    String module = null;
    for (String line : page().lines().toList()) {
      Matcher table = head.matcher(line);
      Matcher row = ROW.matcher(line);
      if (table.lookingAt()) {
        module = table.group(1);
      } else if (module != null && row.lookingAt()) {
        drawn.put(row.group(1), module);
        found.put(row.group(1), module(row.group(1)));
      }
    }
    assertTrue(found.size() > 10, found::toString);
    assertEquals(drawn, found);
  }

  private static String module(String name) throws IOException {
    String directory = (name.equals("hbase") ? SWAP : SWAP + "." + name).replace('.', '/');
    StringBuilder modules = new StringBuilder();
    try (Stream<Path> all = Files.list(Path.of(".."))) {
      for (Path module : (Iterable<Path>) all.sorted()::iterator) {
        if (Files.exists(
            module.resolve("src/main/java").resolve(directory).resolve("package-info.java"))) {
          modules.append(module.getFileName());
        }
      }
    }
    return modules.toString();
  }

  /** By package, those of the same root that its classes know. */
  private static Map<String, Set<String>> found(String root) {
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (JavaClass one : classes) {
      if (isOf(root, one)) {
        Set<String> known =
            arrows.computeIfAbsent(name(root, one.getPackageName()), none -> new TreeSet<>());
        for (Dependency arrow : one.getDirectDependenciesFromSelf()) {
          JavaClass target = arrow.getTargetClass().getBaseComponentType();
          if (isOf(root, target) && !target.getPackageName().equals(one.getPackageName())) {
            known.add(name(root, target.getPackageName()));
          }
        }
      }
    }
    return arrows;
  }

  private static boolean isOf(String root, JavaClass one) {
    return (one.getPackageName() + ".").startsWith(root + ".")
        && (root.equals(SWAP) || !(one.getPackageName() + ".").startsWith(SWAP + "."));
  }

  private static String name(String root, String packageName) {
    if (packageName.equals(root)) {
      return root.equals(SWAP) ? "hbase" : root;
    }
    return packageName.substring(root.length() + 1);
  }

  private static Map<String, Set<String>> drawn(String root) throws IOException {
    String page = page();
    int core = page.indexOf("| `filter-core` | what it is |");
    int swap = page.indexOf("| `hbase-integration/swap` | what it is, ");
    String tables = root.equals(SWAP) ? page.substring(swap) : page.substring(core, swap);
    Map<String, Set<String>> arrows = new TreeMap<>();
    Matcher row = ROW.matcher(tables);
    while (row.find()) {
      Set<String> known = new TreeSet<>();
      Pattern.compile("`([a-z.]+)`")
          .matcher(row.group(2))
          .results()
          .forEach(name -> known.add(name.group(1)));
      arrows.put(row.group(1), known);
    }
    return arrows;
  }
}

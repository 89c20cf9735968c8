package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.hooks.WinnowHooks;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which classes the JVM is told to load while it starts. */
class OwnClassesTest {
  private static final ClassLoader HERE = OwnClassesTest.class.getClassLoader();

  /** What stands among the classes of the swap, for tools only. */
  private static final Pattern OF_TOOLS =
      Pattern.compile("\\.(StorePlan|StoreFilters|FilterFacts|FilterTrial|FamilyFilters)\\b");

  /** Is asked for classes, and finds them here; or says that one is not there. */
  private static final class Asked extends ClassLoader {
    private final Set<String> names = new TreeSet<>();
    private final String missing;

    Asked(String missing) {
      super(HERE);
      this.missing = missing;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      names.add(name);
      if (name.equals(missing)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static OwnClasses classes(ClassFiles files, ClassLoader loader) {
    return new OwnClasses(new ClassShapes(files, files), loader, OwnJar.open(files));
  }

  private static OwnClasses classes(ClassLoader loader) {
    return classes(ClassFiles.of(HERE), loader);
  }

  /** All of the swap, but for what only tools have. */
  private static Set<String> ofTheSwap() throws IOException, URISyntaxException {
    Path root =
        Path.of(WinnowHooks.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = WovenFactory.ofTheSwap(root)) {
      return files
          .map(file -> root.relativize(file).toString().replace('/', '.'))
          .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class"))
          .filter(name -> !OF_TOOLS.matcher(name).find())
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void everyClassOfTheSwapIsLoaded() throws Exception {
    Asked asked = new Asked(null);
    OwnClasses classes = classes(asked);
    for (Feature feature : Feature.values()) {
      assertNull(classes.problemWith(feature));
    }
    Set<String> missed = ofTheSwap();
    assertTrue(missed.size() > 50, missed.toString());
    missed.removeAll(asked.names);
    assertEquals(Set.of(), missed);
    for (String ofTheCore :
        new String[] {
          "io.winnow.image.Filters",
          "io.winnow.FilterFormatException",
          "io.winnow.ribbon.BumpedRibbonLayout",
          "io.winnow.ribbon.HomogeneousRibbonLayout",
          "io.winnow.KeyHash"
        }) {
      assertTrue(asked.names.contains(ofTheCore), ofTheCore);
    }
    assertFalse(asked.names.contains(Installation.class.getName()), "it runs already");
  }

  /** One that is entered, one that it uses. */
  @Test
  void classThatIsNotThereIsNamed() {
    for (String missing :
        new String[] {WinnowHooks.class.getName(), "io.winnow.hbase.write.FilterAssembly"}) {
      String problem = classes(new Asked(missing)).problemWith(Feature.FILTERS);
      assertTrue(problem.startsWith("no class " + missing + " ("), problem);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"METRICS", "PAGE", "FALSE_POSITIVES", "SETTINGS_CHECK", "BULK_LOAD"})
  void classOfOneFeatureIsNoProblemOfAnother(Feature feature) {
    String entry = feature.entries.iterator().next().replace('/', '.');
    OwnClasses classes = classes(new Asked(entry));
    assertNull(classes.problemWith(Feature.FILTERS));
    assertTrue(classes.problemWith(feature).startsWith("no class " + entry + " ("), entry);
  }

  /** A jar that is cut off has the class and cannot be read, or not to its end. */
  @Test
  void classFileThatCannotBeReadIsAProblem() {
    OwnClasses unreadable =
        classes(
            name -> {
              throw new IOException("cut off");
            },
            HERE);
    assertTrue(unreadable.problemWith(Feature.FILTERS).endsWith("(java.io.IOException: cut off)"));
    OwnClasses garbage = classes(name -> new byte[9], HERE);
    assertTrue(garbage.problemWith(Feature.FILTERS).startsWith("no class io.winnow.hbase."));
    OwnClasses gone = classes(name -> null, HERE);
    assertTrue(gone.problemWith(Feature.FILTERS).startsWith("no class io.winnow.hbase."));
  }
}

package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** What {@code ./mvnw install} hands out: the classes, their sources and their Javadoc. */
class JarsIT {
  private static final String JAR = System.getProperty("winnow.jar");

  @Test
  void theClassesAreAModule() {
    ModuleDescriptor module =
        ModuleFinder.of(Path.of(JAR + ".jar")).find("io.winnow").orElseThrow().descriptor();
    assertTrue(module.isAutomatic());
    assertTrue(module.packages().contains("io.winnow.ribbon"));
  }

  @Test
  void eachJarHasItsContent() throws IOException {
    assertHas(".jar", "io/winnow/Filters.class", "META-INF/LICENSE", "META-INF/NOTICE");
    assertHas("-sources.jar", "io/winnow/Filters.java", "META-INF/LICENSE", "META-INF/NOTICE");
    assertHas("-javadoc.jar", "io/winnow/Filters.html", "index.html");
  }

  private static void assertHas(String suffix, String... names) throws IOException {
    try (JarFile jar = new JarFile(JAR + suffix)) {
      for (String name : names) {
        assertNotNull(jar.getEntry(name), () -> name + " in " + jar.getName());
      }
    }
  }

  @Test
  void onlyTheClassesNameTheModule() throws IOException {
    assertEquals("io.winnow", moduleName(".jar"));
    assertEquals(null, moduleName("-sources.jar"));
  }

  private static String moduleName(String suffix) throws IOException {
    try (JarFile jar = new JarFile(JAR + suffix)) {
      return jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
    }
  }
}

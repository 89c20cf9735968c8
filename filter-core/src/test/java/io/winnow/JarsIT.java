package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import io.winnow.ribbon.RibbonSizing;
import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** What {@code ./mvnw install} hands out: the classes, their sources and their Javadoc. */
class JarsIT {
  private static final String JAR = System.getProperty("winnow.jar");

  /** On the module path, with the libraries that it requires; Netty is not needed to begin. */
  @Test
  void theClassesAreAModule() throws Exception {
    Class<?> sizing = module().findLoader("io.winnow").loadClass(RibbonSizing.class.getName());
    assertTrue(sizing.getModule().isNamed());
    assertTrue(sizing.getModule().getDescriptor().version().isPresent());
    Object made = sizing.getMethod("forRate", double.class).invoke(null, 0.01);
    Object bytes = sizing.getMethod("expectedImageBytes", long.class).invoke(made, 1_000_000L);
    assertEquals(RibbonSizing.forRate(0.01).expectedImageBytes(1_000_000), bytes);
  }

  /** Small enough to be read in an hour; what only Winnow's other modules call is not for users. */
  @Test
  void fewTypesAreExported() throws Exception {
    Module module = module().findModule("io.winnow").orElseThrow();
    Set<String> types = new TreeSet<>();
    try (JarFile jar = new JarFile(JAR + ".jar")) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName().replace('/', '.');
        if (name.startsWith("io.winnow.") && name.endsWith(".class") && !name.contains("$")) {
          Class<?> type = module.getClassLoader().loadClass(name.substring(0, name.length() - 6));
          if (Modifier.isPublic(type.getModifiers()) && module.isExported(type.getPackageName())) {
            types.add(type.getName());
          }
        }
      }
    }
    types.removeIf(name -> name.matches("io\\.winnow\\.(flash|cascade)\\..*"));
    assertTrue(types.contains(Filters.class.getName()), types.toString());
    assertTrue(types.size() <= 25, types.size() + ": " + types);
    for (ModuleDescriptor.Exports exported : module.getDescriptor().exports()) {
      assertTrue(
          Set.of("io.winnow.hbase", "io.winnow.hbase.dedup").containsAll(exported.targets()),
          exported.toString());
    }
  }

  private static ModuleLayer module() {
    List<Path> path = new ArrayList<>();
    path.add(Path.of(JAR + ".jar"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (entry.contains("hash4j") || entry.contains("commons-codec")) {
        path.add(Path.of(entry));
      }
    }
    ModuleLayer boot = ModuleLayer.boot();
    Configuration resolved =
        boot.configuration()
            .resolve(
                ModuleFinder.of(path.toArray(Path[]::new)), ModuleFinder.of(), Set.of("io.winnow"));
    return boot.defineModulesWithOneLoader(resolved, ClassLoader.getPlatformClassLoader());
  }

  @Test
  void eachJarHasItsContent() throws IOException {
    assertHas(".jar", "io/winnow/image/Filters.class", "META-INF/LICENSE", "META-INF/NOTICE");
    assertHas(
        "-sources.jar", "io/winnow/image/Filters.java", "META-INF/LICENSE", "META-INF/NOTICE");
    assertHas("-javadoc.jar", "io/winnow/image/Filters.html", "index.html");
  }

  private static void assertHas(String suffix, String... names) throws IOException {
    try (JarFile jar = new JarFile(JAR + suffix)) {
      for (String name : names) {
        assertNotNull(jar.getEntry(name), () -> name + " in " + jar.getName());
      }
    }
  }
}

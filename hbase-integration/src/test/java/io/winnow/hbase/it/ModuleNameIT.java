package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The agent's jar, on a module path. */
class ModuleNameIT {
  @Test
  void theJarIsAModule() {
    ModuleFinder jar = ModuleFinder.of(Path.of(System.getProperty("winnow.agent.jar")));
    ModuleDescriptor module = jar.find("io.winnow.hbase").orElseThrow().descriptor();
    assertTrue(module.packages().contains("io.winnow.shaded.hash4j.hashing"));
  }
}

package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Woven classes beside hooks that cannot be loaded: HBase's own code goes on. */
class MissingHooksTest {
  private final ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.of("f");
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).setColumnFamily(family).build();

  /** Has a woven class and those within it; everything else is shared, but for the hooks. */
  private static final class Loader extends ClassLoader {
    private final WovenClass woven;

    Loader(WovenClass woven) {
      super(MissingHooksTest.class.getClassLoader());
      this.woven = woven;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("io.winnow.") && !name.endsWith(".HookFailures")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith(woven.className())) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(WovenFactory.stockBytes(name.replace('.', '/'))) : loaded;
    }

    private Class<?> define(byte[] classFile) {
      return defineClass(null, classFile, 0, classFile.length);
    }

    Class<?> woven() {
      return define(woven.weaver().apply(WovenFactory.stockBytes(woven.target())));
    }
  }

  private static Class<?> woven(String target) {
    return new Loader(
            WovenClass.ALL.stream()
                .filter(one -> one.target().equals(target))
                .findAny()
                .orElseThrow())
        .woven();
  }

  @Test
  void storeIsConfiguredWithoutTheLayerOfSystemTables() throws ReflectiveOperationException {
    Configuration site = new Configuration(false);
    site.set("a", "b");
    Object conf =
        woven(StoreUtilsWeaver.TARGET)
            .getMethod(
                "createStoreConfiguration",
                Configuration.class,
                TableDescriptor.class,
                ColumnFamilyDescriptor.class)
            .invoke(null, site, table, family);
    assertEquals("b", assertInstanceOf(CompoundConfiguration.class, conf).get("a"));
  }

  @Test
  void tableIsCheckedByHBaseAlone() throws ReflectiveOperationException {
    woven(TableDescriptorCheckerWeaver.TARGET)
        .getMethod("sanityCheck", Configuration.class, TableDescriptor.class)
        .invoke(null, new Configuration(), table);
  }

  @Test
  void serverStartsWithoutOurMetrics() {
    Constructor<?> constructor =
        woven(RegionServerMetricsWeaver.TARGET).getDeclaredConstructors()[0];
    constructor.setAccessible(true);
    Throwable failure =
        assertThrows(
            InvocationTargetException.class, () -> constructor.newInstance(new Object[] {null}));
    // HBase's own code has come to the server that it was not given.
    assertEquals(NullPointerException.class, failure.getCause().getClass());
  }

  @Test
  void scannerGoesOnAfterEachOfItsCalls() throws ReflectiveOperationException {
    Map<String, Integer> called = new HashMap<>();
    for (Method method : woven(StoreFileScannerWeaver.TARGET).getDeclaredMethods()) {
      String name = method.getName();
      if (name.startsWith("winnow$") && !name.endsWith("AtOrAfter")) {
        Object[] arguments = new Object[method.getParameterCount()];
        if (method.getParameterTypes()[0] == boolean.class) {
          arguments[0] = true;
        }
        method.setAccessible(true);
        assertNull(method.invoke(null, arguments));
        called.merge(name, 1, Integer::sum);
      }
    }
    assertEquals(5, called.size(), called.toString());
  }
}

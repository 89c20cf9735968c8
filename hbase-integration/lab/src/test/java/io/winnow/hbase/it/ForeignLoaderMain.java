package io.winnow.hbase.it;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs {@link StoreFileMain} in a class loader of its own, as containers of applications do. */
public final class ForeignLoaderMain {
  private ForeignLoaderMain() {}

  /**
   * Called by the JVM.
   *
   * @param arguments the class path
   */
  public static void main(String[] arguments) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : arguments[0].split(File.pathSeparator)) {
      urls.add(new File(entry).toURI().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      loader
          .loadClass("io.winnow.hbase.it.StoreFileMain")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    }
  }
}

package io.winnow.hbase.agent;

/**
 * A class of HBase and those within it, woven as the agent would, beside hooks that cannot be
 * loaded. Everything else is shared with the tests.
 */
public final class WithoutHooks extends ClassLoader {
  private final String outer;

  private WithoutHooks(String outer) {
    super(WithoutHooks.class.getClassLoader());
    this.outer = outer;
  }

  /** Loads the class. */
  static Class<?> load(String internalName) {
    String name = internalName.replace('/', '.');
    try {
      return new WithoutHooks(name).loadClass(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError(name, e);
    }
  }

  /** The tool of bulk load that splits store files. */
  public static Class<?> splitter() {
    return load(WovenSplitter.target());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith("io.winnow.") && !name.endsWith(".HookFailures")) {
      throw new ClassNotFoundException(name);
    }
    if (!name.equals(outer) && !name.startsWith(outer + "$")) {
      return super.loadClass(name, resolve);
    }
    Class<?> loaded = findLoadedClass(name);
    return loaded == null ? define(name.replace('.', '/')) : loaded;
  }

  private Class<?> define(String internalName) {
    byte[] stock = WovenFactory.stockBytes(internalName);
    byte[] classFile =
        WovenClass.ALL.stream()
            .filter(one -> one.target().equals(internalName))
            .findAny()
            .map(one -> one.weaver().weave(stock))
            .orElse(stock);
    return defineClass(null, classFile, 0, classFile.length);
  }
}

package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * Has this JVM's {@code BloomFilterFactory} and the classes for settings woven as the agent would,
 * without an agent: the woven bytes are defined before anyone loads the classes.
 */
public final class WovenFactory {
  static {
    try {
      MethodHandles.Lookup inHBase =
          MethodHandles.privateLookupIn(BloomFilterUtil.class, MethodHandles.lookup());
      inHBase.defineClass(BloomFilterFactoryWeaver.weave(stockBytes()));
      inHBase.defineClass(
          TableDescriptorCheckerWeaver.weave(stockBytes(TableDescriptorCheckerWeaver.TARGET)));
      MethodHandles.privateLookupIn(BloomType.class, MethodHandles.lookup())
          .defineClass(StoreUtilsWeaver.weave(stockBytes(StoreUtilsWeaver.TARGET)));
    } catch (IllegalAccessException e) {
      throw new LinkageError("cannot define the woven class", e);
    }
  }

  private WovenFactory() {}

  /** Makes sure that it is so; to be called before any test touches a store file. */
  public static void install() {}

  static byte[] stockBytes() {
    return stockBytes(BloomFilterFactoryWeaver.TARGET);
  }

  private static byte[] stockBytes(String name) {
    String resource = name + ".class";
    try (InputStream in = WovenFactory.class.getClassLoader().getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

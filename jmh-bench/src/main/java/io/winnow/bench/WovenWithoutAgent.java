package io.winnow.bench;

import io.winnow.hbase.agent.BloomFilterFactoryWeaver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * Weaves this JVM's {@code BloomFilterFactory} like the agent does, so that the benchmarks need no
 * agent: the woven class is defined before any code loads the stock one. A configuration without a
 * Winnow filter gets the stock filter, from HBase's own code.
 */
final class WovenWithoutAgent {
  static {
    try {
      MethodHandles.Lookup inHBase =
          MethodHandles.privateLookupIn(BloomFilterUtil.class, MethodHandles.lookup());
      inHBase.defineClass(
          new BloomFilterFactoryWeaver().weave(stockBytes(BloomFilterFactoryWeaver.TARGET)));
    } catch (IllegalAccessException e) {
      throw new LinkageError("cannot define the woven class", e);
    }
  }

  private WovenWithoutAgent() {}

  /**
   * Weaves HBase's {@code BloomFilterFactory} as Winnow's agent does, if it is not woven yet. It
   * must be called before any use of a store file.
   */
  static void install() {}

  private static byte[] stockBytes(String name) {
    String resource = name + ".class";
    try (InputStream in = WovenWithoutAgent.class.getClassLoader().getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

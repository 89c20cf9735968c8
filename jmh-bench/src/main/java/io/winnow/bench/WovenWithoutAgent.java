package io.winnow.bench;

import io.winnow.hbase.agent.BloomFilterFactoryWeaver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * Has this JVM's {@code BloomFilterFactory} woven as the agent would, so that the benchmarks need
 * no agent: the woven bytes are defined before anyone loads the class. A configuration that does
 * not ask for a Winnow filter gets the stock one, from HBase's own code.
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

  /** Makes sure that it is so; to be called before anything touches a store file. */
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

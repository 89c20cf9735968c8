package io.winnow.hbase;

import io.winnow.bits.ByteAccess;
import org.apache.hadoop.hbase.nio.ByteBuff;

/** Hands the benchmarks the access through which chunks in HBase's buffers are probed. */
public final class ByteBuffDoor {
  public static final ByteAccess<ByteBuff> ACCESS = ByteBuffAccess.INSTANCE;

  private ByteBuffDoor() {}
}

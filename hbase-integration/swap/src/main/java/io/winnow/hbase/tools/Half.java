package io.winnow.hbase.tools;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FSProtos;

/**
 * The part of a store file that a region has of it since a split or a merge, until it is compacted.
 */
final class Half {
  private static final int MAX_BYTES = 1 << 17;

  /** The first one of the top half. */
  final byte[] row;

  final boolean isTop;

  Half(byte[] row, boolean isTop) {
    this.row = row;
    this.isTop = isTop;
  }

  /** From the small file that stands for it; null if this is none, but for its name. */
  static Half read(FileSystem fs, Path reference) throws IOException {
    byte[] bytes;
    try (FSDataInputStream in = fs.open(reference)) {
      bytes = in.readNBytes(MAX_BYTES);
    }
    if (!ProtobufUtil.isPBMagicPrefix(bytes)) {
      return null;
    }
    int magic = ProtobufUtil.lengthOfPBMagic();
    FSProtos.Reference read =
        FSProtos.Reference.parseFrom(Arrays.copyOfRange(bytes, magic, bytes.length));
    byte[] first = read.getSplitkey().toByteArray();
    return new Half(
        CellUtil.cloneRow(new KeyValue.KeyOnlyKeyValue(first)),
        read.getRange() == FSProtos.Reference.Range.TOP);
  }

  /**
   * About how much of the file it is: all, a half, or nothing.
   *
   * @param first row of the file
   * @param last row of the file
   */
  double share(byte[] first, byte[] last) {
    if (Arrays.compareUnsigned(row, first) <= 0) {
      return isTop ? 1 : 0;
    }
    if (Arrays.compareUnsigned(row, last) > 0) {
      return isTop ? 0 : 1;
    }
    return 0.5;
  }
}

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
 * Half of a store file: the part that a region reads after a split or a merge, until a compaction
 * rewrites it.
 */
final class Half {
  private static final int MAX_BYTES = 1 << 17;

  /** Row at which a store file is divided into halves: the first row of the top half. */
  final byte[] row;

  final boolean isTop;

  Half(byte[] row, boolean isTop) {
    this.row = row;
    this.isTop = isTop;
  }

  /**
   * Reads from a reference file which half of a store file it stands for.
   *
   * @return null if the file is no reference although its name says so
   */
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
   * Returns the estimated share of a store file's rows that are in one of its halves: 1, 0.5 or 0.
   *
   * @param first first row of the file
   * @param last last row of the file
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

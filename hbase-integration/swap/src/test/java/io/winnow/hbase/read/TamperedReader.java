package io.winnow.hbase.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileBlockBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.HFilePreadReader;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.nio.SingleByteBuff;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/** HBase's reader of a file, except that a test has its hand in what filter blocks it loads. */
public final class TamperedReader extends HFilePreadReader {
  /** What becomes of a filter block that was loaded. */
  @FunctionalInterface
  public interface Tampering {
    HFileBlock of(HFileBlock block) throws IOException;
  }

  private Tampering tampering = block -> block;
  private int loads;

  private TamperedReader(
      ReaderContext context, HFileInfo info, CacheConfig cacheConf, Configuration conf)
      throws IOException {
    super(context, info, cacheConf, conf);
  }

  public static TamperedReader open(Configuration conf, CacheConfig cacheConf, Path path)
      throws IOException {
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    FSDataInputStreamWrapper stream = new FSDataInputStreamWrapper(fs, path);
    ReaderContext context =
        new ReaderContextBuilder()
            .withFilePath(path)
            .withInputStreamWrapper(stream)
            .withFileSize(fs.getFileStatus(path).getLen())
            .withFileSystem(stream.getHfs())
            .withPrimaryReplicaReader(true)
            .withReaderType(ReaderContext.ReaderType.PREAD)
            .build();
    HFileInfo info = new HFileInfo(context, conf);
    TamperedReader reader = new TamperedReader(context, info, cacheConf, conf);
    info.initMetaAndIndex(reader); // as HFile does; in HBase 2.6 the constructor has done it
    return reader;
  }

  /** The file's general filter, which asks this reader for its blocks. */
  public WinnowFilterReader filter(BloomFilterMetrics metrics) throws IOException {
    return (WinnowFilterReader)
        BloomFilterFactory.createFromMeta(getGeneralBloomFilterMetadata(), this, metrics);
  }

  public void tamper(Tampering newTampering) {
    tampering = newTampering;
  }

  /** How often a filter block was asked for. */
  public int loads() {
    return loads;
  }

  @Override
  public HFileBlock readBlock(
      long offset,
      long size,
      boolean cacheBlock,
      boolean pread,
      boolean isCompaction,
      boolean updateCacheMetrics,
      BlockType expectedBlockType,
      DataBlockEncoding expectedDataBlockEncoding)
      throws IOException {
    HFileBlock block =
        super.readBlock(
            offset,
            size,
            cacheBlock,
            pread,
            isCompaction,
            updateCacheMetrics,
            expectedBlockType,
            expectedDataBlockEncoding);
    if (expectedBlockType != BlockType.BLOOM_CHUNK) {
      return block;
    }
    loads++;
    return tampering.of(block);
  }

  /** The same block in other memory: an array that it fills but for what is before and after it. */
  public static HFileBlock copy(HFileBlock block, byte[] memory, int before, boolean shared) {
    byte[] bytes = new byte[block.getBufferReadOnly().limit()];
    block.getBufferReadOnly().get(0, bytes, 0, bytes.length);
    System.arraycopy(bytes, 0, memory, before, bytes.length);
    return block(block, ByteBuffer.wrap(memory, before, bytes.length).slice(), shared);
  }

  /** A block with the sizes of another one. */
  public static HFileBlock block(HFileBlock like, ByteBuffer bytes, boolean shared) {
    int size = like.getOnDiskSizeWithHeader() - like.headerSize();
    return new HFileBlockBuilder()
        .withBlockType(BlockType.BLOOM_CHUNK)
        .withOnDiskSizeWithoutHeader(size)
        .withUncompressedSizeWithoutHeader(like.getUncompressedSizeWithoutHeader())
        .withOnDiskDataSizeWithHeader(like.headerSize() + size)
        .withOffset(like.getOffset())
        .withByteBuff(new SingleByteBuff(bytes))
        .withHFileContext(like.getHFileContext())
        .withShared(shared)
        .build();
  }
}

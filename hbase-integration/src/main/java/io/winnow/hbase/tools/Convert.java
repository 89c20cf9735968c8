package io.winnow.hbase.tools;

import io.winnow.FilterType;
import io.winnow.hbase.FamilyFilters;
import io.winnow.hbase.FilterFacts;
import io.winnow.hbase.agent.WinnowAgent;
import io.winnow.hbase.cli.Arguments;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;

/** A store file again, by HBase's own writer, with another filter. */
final class Convert implements Tool {
  /** What HBase's writer puts in by itself, or must not if the file gets another filter. */
  private static final Set<String> OF_THE_WRITER =
      Set.of("BLOOM_FILTER_TYPE", "BLOOM_FILTER_PARAM", "LAST_BLOOM_KEY");

  /** Data blocks that are looked at to know how large they were meant to be. */
  private static final int BLOCKS_SEEN = 64;

  private static final int STRIDE = 1 << 16;

  @Override
  public int run(Configuration conf, PrintStream out, PrintStream err, String... args)
      throws IOException {
    Arguments arguments =
        Arguments.parseWithOperands(
            List.of("overwrite"), List.of("filter", "table", "block-size"), args);
    List<String> paths = arguments.operands();
    if (paths.size() < 2) {
      throw new IllegalArgumentException("name a store file, and where the new one goes");
    }
    String filter = filter(arguments);
    Path named = new Path(paths.get(paths.size() - 1));
    FileSystem fs = named.getFileSystem(conf);
    Path target = fs.makeQualified(named);
    boolean isDirectory = fs.exists(target) && fs.getFileStatus(target).isDirectory();
    if (paths.size() > 2 && !isDirectory) {
      throw new IllegalArgumentException(target + " is no directory, and there are several files");
    }
    if (FamilyFilters.isWinnow(filter) && !WinnowAgent.isActive()) {
      throw new IOException(
          "a "
              + filter
              + " filter is written by HBase's classes with the agent in them: set"
              + " HBASE_OPTS=\"-javaagent:winnow-hbase.jar\", and start again");
    }
    try (Counting counting = Counting.of(err, "bytes of cells")) {
      for (String path : paths.subList(0, paths.size() - 1)) {
        for (StoreFile file : StoreFile.under(conf, new Path(path))) {
          Path to = isDirectory ? new Path(target, file.path().getName()) : target;
          if (to.equals(file.path()) || to.equals(file.data())) {
            throw new IOException(to + " would be written over while it is read: name another");
          }
          if (fs.exists(to) && !arguments.has("overwrite")) {
            throw new IOException(to + " is there already: say --overwrite, or name another");
          }
          out.println(convert(conf, file, to, filter, arguments, counting));
        }
      }
    }
    return DONE;
  }

  private static String filter(Arguments arguments) {
    Set<String> known = new TreeSet<>(List.of(FilterFacts.STOCK, FamilyFilters.NONE));
    Arrays.stream(FilterType.values()).forEach(type -> known.add(type.label()));
    String filter = arguments.text("filter");
    if (filter == null || !known.contains(filter)) {
      throw new IllegalArgumentException("--filter must be one of " + String.join(", ", known));
    }
    return filter;
  }

  private static String convert(
      Configuration site,
      StoreFile file,
      Path to,
      String filter,
      Arguments arguments,
      Counting counting)
      throws IOException {
    if (file.isHalf()) {
      throw new IOException(file.path() + " is a reference to a half of another file: compact it");
    }
    try (OpenFile open = OpenFile.open(site, file.data())) {
      Configuration conf = settings(site, file, open, filter, arguments);
      int blockSize = (int) arguments.whole("block-size", blockSize(conf, open), 1, 1 << 30);
      counting.expect(open.reader().getTrailer().getTotalUncompressedBytes());
      FileSystem fs = to.getFileSystem(conf);
      Path unfinished = new Path(to.getParent(), "." + to.getName() + ".unfinished");
      boolean isWhole = false;
      BloomType type =
          filter.equals(FamilyFilters.NONE)
              ? BloomType.NONE
              : open.type() == BloomType.NONE ? BloomType.ROW : open.type();
      try {
        write(conf, open, fs, unfinished, type, context(conf, open, blockSize), counting);
        String found = check(conf, open, unfinished, filter);
        if (fs.exists(to)) {
          fs.delete(to, false);
        }
        isWhole = true; // and perhaps the only one: it stays, whatever comes
        if (!fs.rename(unfinished, to)) {
          throw new IOException(
              "the new file is " + unfinished + ": it cannot be renamed to " + to);
        }
        return String.format(
            Locale.ROOT, "%s: %,d cells, %s -> %s", to, open.cells(), open.filter(), found);
      } finally {
        if (!isWhole && fs.exists(unfinished)) {
          fs.delete(unfinished, false);
        }
      }
    }
  }

  private static Configuration settings(
      Configuration site, StoreFile file, OpenFile open, String filter, Arguments arguments)
      throws IOException {
    Configuration conf = site;
    if (arguments.has("table")) {
      HBaseTable table = HBaseTable.named(site, arguments.text("table"));
      ColumnFamilyDescriptor family =
          table.descriptor().getColumnFamily(Bytes.toBytesBinary(file.family()));
      if (family == null) {
        throw new IOException("table " + table.name() + " has no family '" + file.family() + "'");
      }
      conf = StoreUtils.createStoreConfiguration(site, table.descriptor(), family);
    }
    Map<String, String> chosen = new TreeMap<>();
    chosen.put("winnow.filter", filter.equals(FamilyFilters.NONE) ? FilterFacts.STOCK : filter);
    chosen.put("winnow.filter.flush", "");
    chosen.put("winnow.filter.compaction", "");
    if (open.prefix() > 0) {
      chosen.put(BloomFilterUtil.PREFIX_LENGTH_KEY, Integer.toString(open.prefix()));
    }
    return new CompoundConfiguration().add(conf).addStringMap(chosen);
  }

  private static int blockSize(Configuration conf, OpenFile open) throws IOException {
    String ofFamily = conf.get("BLOCKSIZE");
    if (ofFamily != null) {
      return Integer.parseInt(ofFamily);
    }
    HFileBlock.BlockIterator blocks =
        open.reader()
            .getUncachedBlockReader()
            .blockRange(0, open.reader().getTrailer().getLoadOnOpenDataOffset());
    int least = Integer.MAX_VALUE;
    int last = Integer.MAX_VALUE;
    try {
      HFileBlock block = blocks.nextBlock();
      for (int seen = 0; block != null && seen < BLOCKS_SEEN; block = blocks.nextBlock()) {
        if (block.getBlockType().getCategory() == BlockType.BlockCategory.DATA
            && block.getBlockType() != BlockType.LEAF_INDEX) {
          least = Math.min(least, last); // not the last one, which is what was left
          last = block.getUncompressedSizeWithoutHeader();
          seen++;
        }
      }
    } finally {
      blocks.freeBlocks();
    }
    // A block ends with the cell that makes it reach its size.
    return least == Integer.MAX_VALUE
        ? HConstants.DEFAULT_BLOCKSIZE
        : Math.max(1 << 10, Integer.highestOneBit(least));
  }

  private static HFileContext context(Configuration conf, OpenFile open, int blockSize) {
    HFileInfo info = open.reader().getHFileInfo();
    return new HFileContextBuilder(open.reader().getFileContext())
        .withBlockSize(blockSize)
        .withDataBlockEncoding(open.reader().getDataBlockEncoding())
        .withChecksumType(StoreUtils.getChecksumType(conf))
        .withBytesPerCheckSum(StoreUtils.getBytesPerChecksum(conf))
        .withIncludesMvcc(info.shouldIncludeMemStoreTS())
        .withCreateTime(open.reader().getFileContext().getFileCreateTime())
        .build();
  }

  private static void write(
      Configuration conf,
      OpenFile from,
      FileSystem fs,
      Path to,
      BloomType type,
      HFileContext context,
      Counting counting)
      throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, fs)
            .withFilePath(to)
            .withBloomType(type)
            .withMaxKeyCount(from.cells())
            .withFileContext(context)
            .build();
    try {
      HFileScanner scanner = from.reader().getScanner(conf, false, false, false);
      long cells = 0;
      long bytes = 0;
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        Cell cell = scanner.getCell();
        writer.append(cell);
        bytes += cell.getSerializedSize();
        if (++cells % STRIDE == 0) {
          counting.add(bytes);
          bytes = 0;
        }
      }
      counting.add(bytes);
      for (Map.Entry<byte[], byte[]> entry : from.reader().getHFileInfo().entrySet()) {
        if (!HFileInfo.isReservedFileInfoKey(entry.getKey())
            && !OF_THE_WRITER.contains(Bytes.toString(entry.getKey()))) {
          writer.appendFileInfo(entry.getKey(), entry.getValue());
        }
      }
    } finally {
      writer.close();
    }
  }

  private static String check(Configuration conf, OpenFile from, Path written, String filter)
      throws IOException {
    try (OpenFile open = OpenFile.open(conf, written)) {
      if (open.cells() != from.cells()) {
        throw new IOException(
            "%s has %,d cells, and what was written %,d"
                .formatted(from.reader().getPath(), from.cells(), open.cells()));
      }
      if (!open.filter().equals(filter) && from.cells() > 0) {
        throw new IOException(
            "HBase's writer made the filter " + open.filter() + ": its log says why not " + filter);
      }
      return open.filter();
    }
  }
}

package io.winnow.hbase.tools;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.FamilyFilters;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code convert}: writes a store file again with another filter, by HBase's own
 * writer.
 */
@Command(name = "winnow convert")
final class Convert extends Tool.OfCells {
  private static final String SCAN_PREFIX = Setting.SCAN_PREFIX.key;

  /**
   * Entries of a store file's file info that {@code convert} does not copy: HBase's writer writes
   * them itself, or they are wrong with another filter.
   */
  private static final Set<String> OF_THE_WRITER =
      Set.of("BLOOM_FILTER_TYPE", "BLOOM_FILTER_PARAM", "LAST_BLOOM_KEY");

  /** Number of data blocks that are read to find out the block size of a store file. */
  private static final int BLOCKS_READ = 64;

  /** Result of converting one store file, as it stands in the JSON document of {@code convert}. */
  private static final class Done {
    String file;
    String out;
    long cells;
    String filterBefore;
    String filter;
    long bytes;
    long filterBytes;
  }

  @Option(names = "--filter")
  private String filter;

  @Option(names = "--table")
  private String tableName;

  @Option(names = "--block-size")
  @Range(min = 1, max = 1 << 30)
  private Integer blockSize;

  @Option(names = "--overwrite")
  private boolean overwrites;

  @Parameters private List<String> paths = List.of();

  @Override
  protected void check() {
    if (paths.size() < 2) {
      throw new IllegalArgumentException("name a store file, and where the new one goes");
    }
    Set<String> known = new TreeSet<>(List.of(FamilyFilters.NONE));
    Arrays.stream(FilterChoice.values()).forEach(choice -> known.add(choice.label));
    if (filter == null || !known.contains(filter)) {
      throw new IllegalArgumentException("--filter must be one of " + String.join(", ", known));
    }
  }

  @Override
  int execute() throws IOException {
    if (FamilyFilters.isWinnow(filter) && !AgentState.isActive()) {
      throw new IOException(
          "a "
              + filter
              + " filter is written by HBase's classes with the agent in them: set"
              + " HBASE_OPTS=\"-javaagent:winnow-hbase.jar\", and start again");
    }
    List<Done> all = new ArrayList<>();
    Set<String> tables = new TreeSet<>();
    try (Progress counting = Progress.counting(err, "cells written")) {
      Map<StoreFile, Path> targets = targets();
      for (StoreFile file : targets.keySet()) {
        try (OpenFile open = OpenFile.open(conf, file)) {
          counting.expect(open.cells());
        }
      }
      for (Map.Entry<StoreFile, Path> entry : targets.entrySet()) {
        StoreFile file = entry.getKey();
        Done done = convert(file, entry.getValue(), counting);
        all.add(done);
        out.printf(
            Locale.ROOT,
            "%s: %,d cells, %s -> %s, %,d bytes%n",
            done.out,
            done.cells,
            done.filterBefore,
            done.filter,
            done.bytes);
        HBaseTable table = HBaseTable.around(conf, file);
        if (table != null && table.hasFamily(file.family)) {
          tables.add(
              String.format(
                      "the files of table %s, family %s, stay as they are. To change those, alter"
                          + " the family,",
                      table.name(), file.family)
                  + String.format(" then major_compact '%s', '%s'", table.name(), file.family));
        }
      }
    }
    tables.forEach(line -> err.println("winnow convert: " + line));
    write(all);
    return DONE;
  }

  /**
   * Returns the path to write for each store file to convert, and refuses all conflicts before any
   * file is written.
   */
  private Map<StoreFile, Path> targets() throws IOException {
    Path named = new Path(paths.get(paths.size() - 1));
    FileSystem fs = named.getFileSystem(conf);
    Path target = fs.makeQualified(named);
    boolean isDirectory = fs.exists(target) && fs.getFileStatus(target).isDirectory();
    List<StoreFile> files = new ArrayList<>();
    for (String path : paths.subList(0, paths.size() - 1)) {
      files.addAll(StoreFile.under(conf, new Path(path)));
    }
    if (files.size() > 1 && !isDirectory) {
      throw new IllegalArgumentException(target + " is no directory, and there are several files");
    }
    Map<StoreFile, Path> targets = new LinkedHashMap<>();
    Set<Path> taken = new HashSet<>();
    for (StoreFile file : files) {
      Path to = isDirectory ? new Path(target, file.path.getName()) : target;
      if (file.half != null) {
        throw new IOException(
            file.path + " stands for a part of another file since a split: compact it");
      }
      if (file.isAt(to)) {
        throw new IOException(to + " would be written over while it is read: name another");
      }
      if (!taken.add(to)) {
        throw new IOException("two of the files would be written to " + to);
      }
      if (fs.exists(to) && !overwrites) {
        throw new IOException(to + " is there already: say --overwrite, or name another");
      }
      targets.put(file, to);
    }
    return targets;
  }

  private Done convert(StoreFile file, Path to, Progress counting) throws IOException {
    try (OpenFile open = OpenFile.open(conf, file)) {
      BloomType ofTable = BloomType.NONE;
      Configuration family = conf;
      if (tableName != null) {
        HBaseTable table = HBaseTable.named(conf, tableName);
        if (!table.hasFamily(file.family)) {
          throw new IOException("table " + table.name() + " has no family '" + file.family + "'");
        }
        ColumnFamilyDescriptor descriptor =
            table.descriptor.getColumnFamily(Bytes.toBytesBinary(file.family));
        ofTable = descriptor.getBloomFilterType();
        family = FamilyConfiguration.of(conf, table.descriptor, descriptor);
      }
      Configuration settings = settings(family, open, filter);
      FileSystem fs = to.getFileSystem(settings);
      Path unfinished = new Path(to.getParent(), "." + to.getName() + ".unfinished");
      int size = blockSize == null ? blockSize(settings, open) : blockSize;
      BloomType type =
          filter.equals(FamilyFilters.NONE) ? BloomType.NONE : type(ofTable, open.type());
      Reading reading = new Reading(settings, open);
      try {
        write(settings, reading, fs, unfinished, type, context(settings, open, size), counting);
      } catch (IOException | RuntimeException | LinkageError e) {
        deleteQuietly(fs, unfinished);
        if (reading.trouble != null) {
          throw reading.trouble;
        }
        throw new IOException(
            String.format("%s cannot be written: %s", to, StoreFileTrouble.reason(e)), e);
      }
      try (OpenFile written = check(settings, open, unfinished, filter)) {
        if (fs.exists(to)) {
          fs.delete(to, false);
        }
        // From now on it may be the only copy: it must stay, even if the rename fails.
        fs.cancelDeleteOnExit(unfinished);
        if (!fs.rename(unfinished, to)) {
          throw new IOException(
              "the new file is " + unfinished + ": it cannot be renamed to " + to);
        }
        Done done = new Done();
        done.file = file.path.toString();
        done.out = to.toString();
        done.cells = open.cells();
        done.filterBefore = open.filter();
        done.filter = written.filter();
        done.bytes = written.reader.length();
        done.filterBytes = Math.round(written.filterBytes());
        return done;
      }
    }
  }

  private static void deleteQuietly(FileSystem fs, Path path) {
    try {
      fs.cancelDeleteOnExit(path);
      fs.delete(path, false);
    } catch (IOException e) {
      // The failure before this one is reported.
    }
  }

  /**
   * Returns the Bloom type, which says what part of a cell is a key, for the new filter of a
   * converted file. A file without a filter does not record one, so the table's type comes first,
   * and ROW last.
   */
  private static BloomType type(BloomType ofTable, BloomType ofFile) {
    if (ofTable != BloomType.NONE) {
      return ofTable;
    }
    return ofFile == BloomType.NONE ? BloomType.ROW : ofFile;
  }

  private static Configuration settings(Configuration family, OpenFile open, String filter) {
    Map<String, String> chosen = new TreeMap<>();
    chosen.put(
        Setting.FILTER.key, filter.equals(FamilyFilters.NONE) ? FilterChoice.BLOOM.label : filter);
    chosen.put(Setting.FILTER_FLUSH.key, "");
    chosen.put(Setting.FILTER_COMPACTION.key, "");
    if (open.prefix() > 0 && family.get(BloomFilterUtil.PREFIX_LENGTH_KEY) == null) {
      chosen.put(BloomFilterUtil.PREFIX_LENGTH_KEY, Integer.toString(open.prefix()));
    }
    String prefixRule = open.general == null ? null : open.general.prefixRule();
    if (prefixRule != null && family.get(SCAN_PREFIX) == null) {
      chosen.put(SCAN_PREFIX, prefixRule); // the file's rule, unless the family has one
    }
    return FamilyConfiguration.over(family, chosen);
  }

  /**
   * Reader of the cells of the store file that is converted. It keeps the exception of a failed
   * read, so that a failed read is not reported as a failed write.
   */
  private static final class Reading {
    private final Configuration conf;
    private final OpenFile open;
    private final HFileScanner scanner;
    private boolean hasBegun;
    private IOException trouble;

    Reading(Configuration conf, OpenFile open) {
      this.conf = conf;
      this.open = open;
      this.scanner = open.reader.getScanner(conf, false, false, false);
    }

    /** Returns the next cell of the store file that is converted; null after the last cell. */
    Cell next() throws IOException {
      try {
        boolean more = hasBegun ? scanner.next() : scanner.seekTo();
        hasBegun = true;
        return more ? scanner.getCell() : null;
      } catch (IOException | RuntimeException | LinkageError e) {
        trouble = OpenFile.trouble(conf, open.file, e);
        throw trouble;
      }
    }
  }

  private static int blockSize(Configuration conf, OpenFile open) throws IOException {
    String ofFamily = conf.get("BLOCKSIZE");
    if (ofFamily != null) {
      return Integer.parseInt(ofFamily);
    }
    if (open.reader.getDataBlockEncoding() != DataBlockEncoding.NONE) {
      return HConstants.DEFAULT_BLOCKSIZE; // encoded blocks are smaller than the block size
    }
    try {
      return blockSize(open);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw OpenFile.trouble(conf, open.file, e);
    }
  }

  private static int blockSize(OpenFile open) throws IOException {
    long end = open.reader.getTrailer().getLoadOnOpenDataOffset();
    int least = Integer.MAX_VALUE;
    int last = Integer.MAX_VALUE;
    long offset = 0;
    for (int seen = 0; offset < end && seen < BLOCKS_READ; ) {
      HFileBlock block = open.reader.readBlock(offset, -1, false, true, false, false, null, null);
      try {
        offset += block.getOnDiskSizeWithHeader();
        if (block.getBlockType().getCategory() == BlockType.BlockCategory.DATA
            && block.getBlockType() != BlockType.LEAF_INDEX) {
          least = Math.min(least, last); // without the last block, which may be short
          last = block.getBufferReadOnly().limit() - block.headerSize();
          seen++;
        }
      } finally {
        block.release();
      }
    }
    // A block ends with the cell with which it reaches its size, so it is a little larger.
    return least == Integer.MAX_VALUE
        ? HConstants.DEFAULT_BLOCKSIZE
        : Math.max(1 << 10, Integer.highestOneBit(least));
  }

  private static HFileContext context(Configuration conf, OpenFile open, int blockSize) {
    HFileInfo info = open.reader.getHFileInfo();
    return new HFileContextBuilder(open.reader.getFileContext())
        .withBlockSize(blockSize)
        .withDataBlockEncoding(open.reader.getDataBlockEncoding())
        .withChecksumType(StoreUtils.getChecksumType(conf))
        .withBytesPerCheckSum(StoreUtils.getBytesPerChecksum(conf))
        .withIncludesMvcc(info.shouldIncludeMemStoreTS())
        .withCreateTime(open.reader.getFileContext().getFileCreateTime())
        .build();
  }

  private static void write(
      Configuration conf,
      Reading from,
      FileSystem fs,
      Path to,
      BloomType type,
      HFileContext context,
      Progress counting)
      throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, fs)
            .withFilePath(to)
            .withBloomType(type)
            .withMaxKeyCount(from.open.cells())
            .withFileContext(context)
            .build();
    try {
      fs.deleteOnExit(to); // so that Ctrl-C leaves no unfinished file
      CellCount count = new CellCount(counting::add);
      for (Cell cell = from.next(); cell != null; cell = from.next()) {
        writer.append(cell);
        count.add(cell);
      }
      count.end();
      for (Map.Entry<byte[], byte[]> entry : from.open.reader.getHFileInfo().entrySet()) {
        if (!HFileInfo.isReservedFileInfoKey(entry.getKey())
            && !OF_THE_WRITER.contains(Bytes.toString(entry.getKey()))) {
          writer.appendFileInfo(entry.getKey(), entry.getValue());
        }
      }
    } finally {
      writer.close();
    }
  }

  private static OpenFile check(Configuration conf, OpenFile from, Path written, String filter)
      throws IOException {
    OpenFile open = OpenFile.open(conf, StoreFile.of(conf, written));
    String problem = null;
    if (open.cells() != from.cells()) {
      problem =
          String.format(
              "%s has %d cells, and what was written %d",
              from.file.path, from.cells(), open.cells());
    } else if (!open.filter().equals(filter) && from.cells() > 0) {
      problem =
          "HBase's writer made the filter "
              + open.filter()
              + " instead of "
              + filter
              + ": its log has the reason";
    }
    if (problem != null) {
      open.close();
      deleteQuietly(written.getFileSystem(conf), written);
      throw new IOException(problem);
    }
    return open;
  }
}

package io.winnow.hbase.command;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hbase.thirdparty.org.apache.commons.cli.CommandLine;
import org.apache.hbase.thirdparty.org.apache.commons.cli.DefaultParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Options;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;

/**
 * {@code ./winnow hfile}: HBase's {@link HFilePrettyPrinter}, which says nothing, or prints a stack
 * trace, where a file cannot be read. Here a sentence says what is wrong with which file.
 */
public final class HFileCommand extends Configured implements Tool {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 64;

  private HFileCommand() {}

  public static void main(String[] args) throws Exception {
    QuietEnd.install();
    System.exit(execute(args));
  }

  static int execute(String... args) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    // As HBase does for this tool: it needs no cache.
    configuration.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);
    return ToolRunner.run(configuration, new HFileCommand(), args);
  }

  @Override
  public int run(String[] args) {
    if (Arrays.asList(args).contains("--help")) {
      System.out.println(Help.of("hfile"));
      return 0;
    }
    CommandLine line;
    try {
      line = new DefaultParser(false).parse(options(), args);
    } catch (ParseException e) {
      return wrong(e.getMessage());
    }
    if (!line.hasOption("f") && !line.hasOption("r") && line.getArgList().isEmpty()) {
      return wrong("no file is named");
    }
    try {
      Configuration configuration = getConf();
      CommonFSUtils.setFsDefault(configuration, CommonFSUtils.getRootDir(configuration));
      List<Path> files = files(line);
      for (Path file : files) {
        check(file);
      }
      if (!isPrinted(args)) {
        throw new IOException(complaint(files, args));
      }
      return 0;
    } catch (IOException e) {
      System.err.println("winnow hfile: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    } catch (ParseException | IllegalArgumentException e) {
      return wrong(e.getMessage());
    }
  }

  private static int wrong(String what) {
    System.err.println("winnow hfile: " + what + "\n" + Help.of("hfile"));
    return EXIT_USAGE;
  }

  /** HBase's own: see its {@code HFilePrettyPrinter}. */
  private static Options options() {
    Options options =
        new Options()
            .addOption("w", "seekToRow", true, "")
            .addOption("f", "file", true, "")
            .addOption("r", "region", true, "");
    String[] flags = {
      "v", "verbose", "p", "printkv", "e", "printkey", "m", "printmeta", "b", "printblocks",
      "h", "printblockheaders", "k", "checkrow", "a", "checkfamily", "s", "stats", "d", "details",
      "i", "checkMobIntegrity"
    };
    for (int i = 0; i < flags.length; i += 2) {
      options.addOption(flags[i], flags[i + 1], false, "");
    }
    return options;
  }

  private List<Path> files(CommandLine line) throws IOException {
    List<Path> files = new ArrayList<>();
    if (line.hasOption("f")) {
      files.add(new Path(line.getOptionValue("f")));
    }
    if (line.hasOption("r")) {
      files.addAll(ofRegion(line.getOptionValue("r")));
    }
    line.getArgList().forEach(file -> files.add(new Path(file)));
    return files;
  }

  private List<Path> ofRegion(String region) throws IOException {
    byte[] name = Bytes.toBytes(region);
    TableName table;
    try {
      table = TableName.valueOf(RegionInfo.parseRegionName(name)[0]);
    } catch (IOException e) {
      throw new IOException(region + " is not the name of a region, such as hbase:meta,,1", e);
    }
    Path directory =
        new Path(
            CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(getConf()), table),
            RegionInfo.encodeRegionName(name));
    FileSystem fileSystem = directory.getFileSystem(getConf());
    if (!fileSystem.exists(directory)) {
      throw new IOException("there is no directory " + directory + " of the region " + region);
    }
    return HFile.getStoreFiles(fileSystem, directory);
  }

  private boolean isPrinted(String... args) {
    try {
      return new HFilePrettyPrinter(getConf()).run(args) == 0;
    } catch (RuntimeException e) {
      return false; // a second look says why
    } finally {
      System.out.flush();
    }
  }

  /** What is wrong, which HBase's tool logs at most: found by printing the files into nowhere. */
  private String complaint(List<Path> files, String... args) throws ParseException, IOException {
    HFilePrettyPrinter printer = new HFilePrettyPrinter(getConf());
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    printer.setPrintStreams(nowhere, nowhere);
    printer.parseOptions(args);
    for (Path file : files) {
      try {
        printer.processFile(file, false);
      } catch (IOException | RuntimeException e) {
        return file + " is damaged: " + reason(e);
      }
    }
    return "HBase's own tool for store files failed and does not say why";
  }

  /** Refuses what is not a whole store file, as far as its end tells. */
  private void check(Path file) throws IOException {
    FileSystem fileSystem = file.getFileSystem(getConf());
    if (!fileSystem.exists(file)) {
      throw new IOException("there is no file " + file);
    }
    FileStatus status = fileSystem.getFileStatus(file);
    if (status.isDirectory()) {
      throw new IOException(file + " is a directory, not a store file");
    }
    if (status.getLen() == 0) {
      throw new IOException(file + " is empty, so it is not a store file");
    }
    try (FSDataInputStream in = open(fileSystem, file)) {
      try {
        FixedFileTrailer.readFromStream(in, status.getLen());
      } catch (IOException | RuntimeException e) {
        throw new IOException(
            beginsLikeAStoreFile(in, status.getLen())
                ? file
                    + " begins like a store file, but has no trailer: its end was cut off or"
                    + " damaged, or it is still being written"
                : file + " is not a store file: it has no trailer of one",
            e);
      }
    }
  }

  private static FSDataInputStream open(FileSystem fileSystem, Path file) throws IOException {
    try {
      return fileSystem.open(file);
    } catch (IOException e) {
      throw new IOException("cannot open " + file + ": " + reason(e), e);
    }
  }

  /** By the name of the kind of its first block. */
  private static boolean beginsLikeAStoreFile(FSDataInputStream in, long length)
      throws IOException {
    byte[] magic = new byte[(int) Math.min(BlockType.MAGIC_LENGTH, length)];
    in.seek(0);
    in.readFully(magic);
    String text = new String(magic, StandardCharsets.ISO_8859_1);
    return Arrays.stream(BlockType.values())
        .map(type -> new String(magic(type), StandardCharsets.ISO_8859_1))
        .anyMatch(text::equals);
  }

  private static byte[] magic(BlockType type) {
    byte[] magic = new byte[BlockType.MAGIC_LENGTH];
    type.put(magic, 0);
    return magic;
  }

  /** The innermost message: those around it repeat the file, or say that it was damaged. */
  private static String reason(Throwable e) {
    Throwable inner = e;
    while (inner.getCause() != null && inner.getCause() != inner) {
      inner = inner.getCause();
    }
    return inner.getMessage() == null ? inner.getClass().getSimpleName() : inner.getMessage();
  }
}

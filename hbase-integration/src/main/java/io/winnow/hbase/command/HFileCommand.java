package io.winnow.hbase.command;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
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
        StoreFileTrouble.requireStoreFile(file.getFileSystem(configuration), file);
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
    } catch (RuntimeException | LinkageError e) {
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
      } catch (IOException | RuntimeException | LinkageError e) {
        return StoreFileTrouble.sentence(file, e);
      }
    }
    return "HBase's own tool for store files failed and does not say why";
  }
}

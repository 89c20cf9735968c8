package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.StoreFileTrouble;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.util.GenericOptionsParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code hfile}: HBase's {@link HFilePrettyPrinter} with clear errors. Where HBase's
 * tool prints nothing or a stack trace, this one prints a sentence that names the file and its
 * problem. It reads Winnow's filters if the agent is in its JVM.
 */
@Command(name = "winnow hfile")
final class Hfile extends Program {
  @Option(names = {"-f", "-file", "--file"})
  private String file;

  @Option(names = {"-r", "-region", "--region"})
  private String region;

  /**
   * Option {@code -w} of HBase's tool, declared so that it is accepted; HBase's tool parses the
   * command line again.
   */
  @Option(names = {"-w", "-seekToRow", "--seekToRow"})
  private String row;

  @Option(
      names = {
        "-v", "-verbose", "--verbose",
        "-p", "-printkv", "--printkv",
        "-e", "-printkey", "--printkey",
        "-m", "-printmeta", "--printmeta",
        "-b", "-printblocks", "--printblocks",
        "-h", "-printblockheaders", "--printblockheaders",
        "-k", "-checkrow", "--checkrow",
        "-a", "-checkfamily", "--checkfamily",
        "-s", "-stats", "--stats",
        "-d", "-details", "--details",
        "-i", "-checkMobIntegrity", "--checkMobIntegrity"
      })
  private boolean[] flags;

  @Parameters private List<String> named = List.of();

  private Configuration conf;
  private String[] args;

  /**
   * Runs the command {@code hfile}, which prints a store file as HBase's tool does. All that is
   * printed about a file goes to the standard output, because HBase's tool prints there.
   */
  static int execute(Configuration conf, PrintStream out, PrintStream err, String... args)
      throws IOException {
    Hfile command = new Hfile();
    command.conf = conf;
    // HBase does the same for this tool, which needs no cache.
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);
    // options of Hadoop, such as -D key=value
    command.args = new GenericOptionsParser(conf, args).getRemainingArgs();
    return command.run(out, err, command.args);
  }

  @Override
  protected void check() {
    if (file == null && region == null && named.isEmpty()) {
      throw new IllegalArgumentException("no file is named");
    }
  }

  @Override
  protected int work() throws IOException {
    CommonFSUtils.setFsDefault(conf, CommonFSUtils.getRootDir(conf));
    List<Path> files = files();
    for (Path each : files) {
      StoreFileTrouble.requireStoreFile(each.getFileSystem(conf), each);
    }
    if (!isPrinted()) {
      throw new IOException(complaint(files));
    }
    return DONE;
  }

  /** Refuses the command line if an argument has no meaning, such as a malformed path. */
  @Override
  protected int fail(Exception e) {
    return e instanceof IllegalArgumentException ? refuse(e.getMessage()) : super.fail(e);
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    if (file != null) {
      files.add(new Path(file));
    }
    if (region != null) {
      files.addAll(ofRegion());
    }
    named.forEach(each -> files.add(new Path(each)));
    return files;
  }

  private List<Path> ofRegion() throws IOException {
    byte[] name = Bytes.toBytes(region);
    TableName table;
    try {
      table = TableName.valueOf(RegionInfo.parseRegionName(name)[0]);
    } catch (IOException e) {
      throw new IOException(region + " is not the name of a region, such as hbase:meta,,1", e);
    }
    Path directory =
        new Path(
            CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(conf), table),
            RegionInfo.encodeRegionName(name));
    FileSystem fileSystem = directory.getFileSystem(conf);
    if (!fileSystem.exists(directory)) {
      throw new IOException("there is no directory " + directory + " of the region " + region);
    }
    return HFile.getStoreFiles(fileSystem, directory);
  }

  private boolean isPrinted() {
    try {
      return new HFilePrettyPrinter(conf).run(args) == 0;
    } catch (RuntimeException | LinkageError e) {
      return false; // complaint() finds the reason
    } finally {
      System.out.flush();
    }
  }

  /**
   * Returns a sentence on the first store file that cannot be printed, with the reason. HBase's
   * tool at most logs the reason, so the files are printed again to a null stream to find it.
   */
  private String complaint(List<Path> files) throws IOException {
    HFilePrettyPrinter printer = new HFilePrettyPrinter(conf);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    printer.setPrintStreams(nowhere, nowhere);
    try {
      printer.parseOptions(args);
    } catch (ParseException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    for (Path each : files) {
      try {
        printer.processFile(each, false);
      } catch (IOException | RuntimeException | LinkageError e) {
        return StoreFileTrouble.sentence(each, e);
      }
    }
    return "HBase's own tool for store files failed and does not say why";
  }
}

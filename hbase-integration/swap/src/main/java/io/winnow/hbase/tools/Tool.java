package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One command of {@link Winnow}. */
abstract class Tool extends Program {
  /** There is something that the user asked about. */
  static final int FOUND = 3;

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  /** The site's, with what the command line has of Hadoop's own options. */
  Configuration conf;

  /** Where a document with the outcome goes, on the local file system. */
  @Option(names = "--json")
  private Path json;

  /** What is damaged is told with its bytes: an option of tools that read cells. */
  boolean verbose;

  /** What went wrong with a file, in a sentence; under it all that HBase says, if it is wanted. */
  final String sentence(IOException e) {
    return verbose ? e.getMessage() + "\n  " + StoreFileTrouble.dump(e) : e.getMessage();
  }

  /** Does what it is for, after all that can be wrong with its options was looked at. */
  abstract int execute() throws IOException, InterruptedException;

  @Override
  protected final int work() throws IOException, InterruptedException {
    UserFiles.requireWritable(json);
    useFileSystemOfHBase(conf);
    return execute();
  }

  /**
   * As HBase's own tools do: a path without a scheme is on the file system of hbase.rootdir, unless
   * another one was chosen.
   */
  private static void useFileSystemOfHBase(Configuration conf) throws IOException {
    if (conf.get(HConstants.HBASE_DIR) == null) {
      return;
    }
    org.apache.hadoop.fs.Path root = CommonFSUtils.getRootDir(conf);
    if (FileSystem.getDefaultUri(conf).getScheme().equals("file")
        && !root.toUri().getScheme().equals("file")) {
      CommonFSUtils.setFsDefault(conf, root);
    }
  }

  /** Writes the document, if it is asked for. */
  final void write(Object document) throws IOException {
    if (json != null) {
      Files.writeString(json, GSON.toJson(document) + "\n");
    }
  }

  @Override
  protected final int refuse(String sentence) {
    String name = getClass().getAnnotation(Command.class).name();
    err.println(name + ": " + sentence);
    err.println(name + " --help tells how it is called");
    return WRONG_USAGE;
  }

  /** Names of tables and files are looked at in the work. */
  @Override
  protected final int fail(Exception e) {
    if (e instanceof IllegalArgumentException) {
      return refuse(e.getMessage());
    }
    int code = super.fail(e);
    if (verbose) {
      err.println("  " + StoreFileTrouble.dump(e));
    }
    return code;
  }
}

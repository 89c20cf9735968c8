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

/** A command of Winnow's tools, with its options {@code --json} and {@code --verbose}. */
abstract class Tool extends Program {
  /** Exit code of a tool that found something for the user to do. */
  static final int FOUND = 3;

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  /** Configuration of the site, with the settings of the command line. */
  Configuration conf;

  /** Path of the JSON document that the tool writes, on the local file system; null for none. */
  @Option(names = "--json")
  private Path json;

  /** True if messages of the tool include all that HBase reports about damaged bytes. */
  private boolean verbose;

  /** A tool that reads cells. Only these have the option {@code --verbose}. */
  abstract static class OfCells extends Tool {
    @Option(names = "--verbose")
    void verbose(boolean isWanted) {
      ((Tool) this).verbose = isWanted;
    }
  }

  /**
   * Returns the message for the user about a failed read, and below it all that HBase reports if
   * {@code --verbose} is set.
   */
  final String sentence(IOException e) {
    return verbose ? e.getMessage() + "\n  " + StoreFileTrouble.dump(e) : e.getMessage();
  }

  /**
   * Runs the tool and returns its exit code. Options were checked before.
   *
   * @return the exit code
   */
  abstract int execute() throws IOException, InterruptedException;

  @Override
  protected final int work() throws IOException, InterruptedException {
    UserFiles.requireWritable(json);
    useFileSystemOfHBase(conf);
    return execute();
  }

  /**
   * Sets the default file system of a tool as HBase's own tools do: a path without a scheme is on
   * the file system of hbase.rootdir, unless the site chose another.
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

  /** Writes the tool's JSON document if {@code --json} names a file. */
  final void write(Object document) throws IOException {
    if (json != null) {
      Files.writeString(json, GSON.toJson(document) + "\n");
    }
  }

  @Override
  protected final int refuse(String sentence) {
    String name = getClass().getAnnotation(Command.class).name();
    err.println(name + ": " + sentence);
    err.println("For its usage: " + name + " --help");
    return WRONG_USAGE;
  }

  /**
   * Refuses the command line if the name of a table or a file in it is malformed. These names are
   * first checked during the work.
   */
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

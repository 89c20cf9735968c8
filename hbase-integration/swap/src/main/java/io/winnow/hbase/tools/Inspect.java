package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code inspect}: reports all that is recorded about a store file's filters, and
 * checks them with {@code --verify}.
 */
@Command(name = "winnow inspect")
final class Inspect extends Tool.OfCells {
  private static final int SHOWN_KEY_CHARS = 48;

  /**
   * Facts about a store file and its filters, as they stand in the JSON document of {@code
   * inspect}.
   */
  private static final class Inspected {
    String file;
    long fileBytes;
    long cells;
    String writtenBy;
    String compression;
    String encoding;
    String standsFor;
    Filter general;
    Filter deleteFamily;
    Segment segment;
    FilterProof.Outcome verified;

    boolean hasDamagedSegment() {
      return segment != null && segment.problem != null;
    }
  }

  private static final class Segment {
    String rule;
    List<Interval> intervals = new ArrayList<>();

    /** Reason why the segments of a file cannot be used; null if they can. */
    String problem;
  }

  private static final class Interval {
    final String smallest;
    final String largest;

    Interval(byte[] smallest, byte[] largest) {
      this.smallest = Bytes.toStringBinary(smallest);
      this.largest = Bytes.toStringBinary(largest);
    }
  }

  private static final class Filter {
    String filter;
    String keyKind;
    String hash;
    long bytes;
    long keys;
    double bitsPerKey;
    Double askedRate;
    double estimatedRate;
    String prefixRule;
    Long prefixes;
    Integer chunksWithoutPrefixes;
    List<Chunk> chunks = new ArrayList<>();
  }

  private static final class Chunk {
    final long offset;
    final long bytes;
    final long keys;
    final double bitsPerKey;
    final String firstKey;

    Chunk(long offset, long bytes, long keys, double bitsPerKey, String firstKey) {
      this.offset = offset;
      this.bytes = bytes;
      this.keys = keys;
      this.bitsPerKey = bitsPerKey;
      this.firstKey = firstKey;
    }
  }

  @Option(names = "--verify")
  private boolean verifies;

  @Option(names = "--no-chunks")
  private boolean leavesChunksOut;

  @Parameters private List<String> paths = List.of();

  @Override
  protected void check() {
    if (paths.isEmpty()) {
      throw new IllegalArgumentException("name a store file, or a directory of them");
    }
  }

  @Override
  int execute() throws IOException {
    List<StoreFile> files = new ArrayList<>();
    for (String path : new LinkedHashSet<>(paths)) {
      files.addAll(StoreFile.under(conf, new Path(path)));
    }
    List<Inspected> all = new ArrayList<>();
    boolean allFine = true;
    Notes notes = new Notes();
    try (Progress counting = Progress.counting(err, verifies ? "cells verified" : "files opened")) {
      if (verifies) { // each answer must be that of the key's chunk
        conf.set(Setting.READ_RELOADS.key, "always");
      }
      CacheConfig cache = verifies ? HeapCache.of(conf) : CacheConfig.DISABLED;
      counting.expect(verifies ? cells(conf, files) : files.size());
      for (StoreFile file : files) {
        try {
          Inspected seen = inspect(conf, file, cache, verifies, counting);
          all.add(seen);
          out.print(text(seen, !leavesChunksOut));
          allFine &= seen.verified == null || seen.verified.isFine() && !seen.hasDamagedSegment();
        } catch (IOException e) {
          notes.recordFailure(sentence(e));
        }
      }
    }
    notes.print(err, "inspect");
    write(all);
    if (notes.hasFailures()) {
      return FAILED;
    }
    return allFine ? DONE : FOUND;
  }

  private static long cells(Configuration conf, List<StoreFile> files) {
    long cells = 0;
    for (StoreFile file : files) {
      try (OpenFile open = OpenFile.open(conf, file)) {
        cells += open.allCells();
      } catch (IOException e) {
        // The file is reported when it is inspected.
      }
    }
    return cells;
  }

  private static Inspected inspect(
      Configuration conf, StoreFile file, CacheConfig cache, boolean verifies, Progress counting)
      throws IOException {
    try (OpenFile open = OpenFile.open(conf, file, cache)) {
      Inspected seen = new Inspected();
      seen.file = file.path.toString();
      seen.standsFor = file.half == null ? null : half(file);
      seen.fileBytes = open.reader.length();
      seen.cells = open.allCells();
      seen.writtenBy = open.writtenBy();
      seen.compression = open.reader.getTrailer().getCompressionCodec().getName();
      seen.encoding = open.reader.getDataBlockEncoding().name();
      seen.general = filter(open.general);
      seen.deleteFamily = filter(open.deleteFamily);
      seen.segment = segment(open);
      if (verifies) {
        seen.verified = verified(conf, open, counting);
      } else {
        counting.add(1);
      }
      return seen;
    }
  }

  private static String half(StoreFile file) {
    return String.format(
        "the rows %s %s of %s",
        file.half.isTop ? "from" : "before",
        Bytes.toStringBinary(file.half.row),
        file.data.getLocations()[0]);
  }

  private static FilterProof.Outcome verified(Configuration conf, OpenFile open, Progress counting)
      throws IOException {
    FilterProof.Outcome proof;
    try {
      proof = FilterProof.of(open, counting::add);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw OpenFile.trouble(conf, open.file, e);
    }
    if (proof.cells != open.allCells()) {
      throw new IOException(
          String.format(
              "%s has %d cells, but its trailer says %d",
              open.file.path, proof.cells, open.allCells()));
    }
    return proof;
  }

  private static Segment segment(OpenFile open) {
    KeySegment segment = open.segment;
    if (segment == null && open.segmentProblem == null) {
      return null;
    }
    Segment seen = new Segment();
    seen.problem = open.segmentProblem;
    seen.rule = open.segmentRule();
    for (int i = 0; segment != null && i < segment.intervals(); i++) {
      seen.intervals.add(new Interval(segment.smallest(i), segment.largest(i)));
    }
    return seen;
  }

  private static Filter filter(FilterFacts facts) {
    if (facts == null) {
      return null;
    }
    Filter filter = new Filter();
    filter.filter = facts.filter;
    filter.keyKind = facts.keyKind;
    filter.hash = facts.hash;
    filter.bytes = facts.bytes;
    filter.keys = facts.keys;
    filter.bitsPerKey = 8.0 * facts.bytes / Math.max(1, facts.keys);
    filter.askedRate = Double.isNaN(facts.configuredRate) ? null : facts.configuredRate;
    filter.estimatedRate = facts.estimatedRate;
    filter.prefixRule = facts.prefixRule();
    if (filter.prefixRule != null) {
      filter.prefixes = facts.prefixes();
      filter.chunksWithoutPrefixes = facts.chunksWithoutPrefixes();
    }
    for (FilterFacts.Chunk chunk : facts.chunks) {
      filter.chunks.add(
          new Chunk(
              chunk.offset,
              chunk.bytes,
              chunk.keys,
              chunk.bitsPerKey(),
              Bytes.toStringBinary(chunk.firstKey)));
    }
    return filter;
  }

  private static String text(Inspected seen, boolean withChunks) {
    StringBuilder text = new StringBuilder();
    text.append(seen.file).append('\n');
    text.append(
        String.format(
            Locale.ROOT,
            "  %,d bytes, %,d cells, written by %s, compression %s, encoding %s%n",
            seen.fileBytes,
            seen.cells,
            seen.writtenBy,
            seen.compression,
            seen.encoding));
    if (seen.standsFor != null) {
      text.append("  stands for ")
          .append(seen.standsFor)
          .append("; all that follows is of the whole file\n");
    }
    text.append(text("filter", seen.general, withChunks));
    text.append(text("filter of delete-family markers", seen.deleteFamily, withChunks));
    if (seen.segment != null) {
      text.append(text(seen.segment));
    }
    FilterProof.Outcome proof = seen.verified;
    if (proof != null) {
      text.append(
          String.format(
              Locale.ROOT,
              "  verified: %,d cells read, %,d keys probed, %,d ruled out%s; %s%n",
              proof.cells,
              proof.keys,
              proof.denied,
              proof.denied == 0
                  ? ""
                  : " (THIS MUST NOT BE: please report it with the file; "
                      + proof.firstDenied
                      + ")",
              proof.falsePositiveRate == null
                  ? "no absent keys probed"
                  : String.format(
                      Locale.ROOT,
                      "%.4f %% false positives of %,d absent keys",
                      100 * proof.falsePositiveRate,
                      proof.absentKeysAsked)));
      if (proof.unusableChunks > 0) {
        text.append("  damaged, or cannot be loaded: ")
            .append(Table.counted(proof.unusableChunks, "chunk"))
            .append(". There every probe answers maybe. A compaction writes them anew\n");
      }
    }
    return text.append('\n').toString();
  }

  private static String text(Segment segment) {
    if (segment.problem != null) {
      return "  " + segment.problem + ": scans read the file\n";
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "  key segments: winnow.scan.segment = %s, %s%n",
            segment.rule, Table.counted(segment.intervals.size(), "interval")));
    for (Interval interval : segment.intervals) {
      text.append(String.format("    %s to %s%n", interval.smallest, interval.largest));
    }
    return text.toString();
  }

  private static String text(String what, Filter filter, boolean withChunks) {
    if (filter == null) {
      return "  " + what + ": none\n";
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "  %s: %s, of %s keys, hashed by %s%n    %,d bytes, %,d keys, %.3f bits per key, %s%n",
            what,
            filter.filter,
            filter.keyKind,
            filter.hash,
            filter.bytes,
            filter.keys,
            filter.bitsPerKey,
            Table.counted(filter.chunks.size(), "chunk")));
    text.append(
        String.format(
            Locale.ROOT,
            "    false positives of a probe: %sbuilt %.5f %%%n",
            filter.askedRate == null
                ? ""
                : String.format(Locale.ROOT, "made for %.5f %%, ", 100 * filter.askedRate),
            100 * filter.estimatedRate));
    if (filter.prefixRule != null) {
      text.append(
          String.format(
              Locale.ROOT,
              "    prefixes for scans: winnow.scan.prefix = %s, %,d beside the keys, left out of"
                  + " %s%n",
              filter.prefixRule,
              filter.prefixes,
              Table.counted(filter.chunksWithoutPrefixes, "chunk")));
    }
    if (withChunks) {
      Table table =
          new Table(
              "    chunks", "  chunk", "offset", "bytes", "keys", "bits per key", "first key");
      for (int i = 0; i < filter.chunks.size(); i++) {
        Chunk chunk = filter.chunks.get(i);
        String key = chunk.firstKey;
        table.row(
            "  " + i,
            Table.number(chunk.offset, 0),
            Table.number(chunk.bytes, 0),
            Table.number(chunk.keys, 0),
            Table.number(chunk.bitsPerKey, 3),
            key.length() <= SHOWN_KEY_CHARS ? key : key.substring(0, SHOWN_KEY_CHARS) + "...");
      }
      text.append(table.text());
    }
    return text.toString();
  }
}

package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;

/** A store file as it lies on the disks of the DataNodes, where some of its bytes are turned. */
final class Replicas {
  /** What a block of the filter begins with, and the block that tells of all of them. */
  static final String CHUNK = "BLMFBLK2";

  static final String META = "BLMFMET2";

  private static final int HFILE_HEADER = 33;
  private static final int TURNED = 16;
  private static final int META_VERSION_SIZE = 2;

  private final DistributedFileSystem hdfs;
  private final List<Path> disks;
  private final org.apache.hadoop.fs.Path file;
  private final List<Long> positions;
  private final int blocks;

  private Replicas(
      DistributedFileSystem hdfs,
      List<Path> disks,
      org.apache.hadoop.fs.Path file,
      List<Long> positions,
      int blocks) {
    this.hdfs = hdfs;
    this.disks = disks;
    this.file = file;
    this.positions = positions;
    this.blocks = blocks;
  }

  /**
   * The middle of each block of a kind.
   *
   * @param disks the data directories of all DataNodes
   * @param leastSize blocks of fewer bytes are left alone
   */
  static Replicas of(
      DistributedFileSystem hdfs,
      List<Path> disks,
      org.apache.hadoop.fs.Path file,
      String kind,
      int leastSize)
      throws IOException {
    byte[] bytes = new byte[(int) hdfs.getFileStatus(file).getLen()];
    try (FSDataInputStream in = hdfs.open(file)) {
      in.readFully(bytes);
    }
    byte[] magic = kind.getBytes(StandardCharsets.US_ASCII);
    List<Long> positions = new ArrayList<>();
    int blocks = 0;
    for (int at = 0; at + HFILE_HEADER < bytes.length; at++) {
      if (Bytes.equals(bytes, at, magic.length, magic, 0, magic.length)) {
        blocks++;
        int size = Bytes.toInt(bytes, at + magic.length);
        if (size >= leastSize) {
          positions.add((long) at + HFILE_HEADER + size / 2);
        }
      }
    }
    return new Replicas(hdfs, disks, file, positions, blocks);
  }

  /** How many blocks of the kind the file has. */
  int blocks() {
    return blocks;
  }

  /** How many of them are turned. */
  int turned() {
    return positions.size();
  }

  /**
   * Turns every bit of some bytes in the middle of each block; again: back.
   *
   * @param copies how many replicas of each
   */
  void turn(int copies) throws IOException {
    for (long position : positions) {
      LocatedBlock block = hdfs.getClient().getLocatedBlocks(path(), position, 1).get(0);
      for (Path replica : replicas(block).subList(0, copies)) {
        try (RandomAccessFile data = new RandomAccessFile(replica.toFile(), "rw")) {
          byte[] bytes = new byte[TURNED];
          data.seek(position - block.getStartOffset());
          data.readFully(bytes);
          for (int i = 0; i < TURNED; i++) {
            bytes[i] = (byte) ~bytes[i];
          }
          data.seek(position - block.getStartOffset());
          data.write(bytes);
        }
      }
    }
  }

  /** Makes HDFS believe what is on the disks now: writes its checksums of the file anew. */
  void believe() throws IOException {
    for (LocatedBlock block :
        hdfs.getClient().getLocatedBlocks(path(), 0, Long.MAX_VALUE).getLocatedBlocks()) {
      for (Path replica : replicas(block)) {
        Path sums =
            replica.resolveSibling(
                replica.getFileName() + "_" + block.getBlock().getGenerationStamp() + ".meta");
        byte[] old = Files.readAllBytes(sums);
        DataChecksum checksum = DataChecksum.newDataChecksum(old, META_VERSION_SIZE);
        int header = META_VERSION_SIZE + DataChecksum.getChecksumHeaderSize();
        ByteBuffer anew = ByteBuffer.wrap(old, header, old.length - header).slice();
        checksum.calculateChunkedSums(ByteBuffer.wrap(Files.readAllBytes(replica)), anew);
        Files.write(sums, old);
      }
    }
  }

  private String path() {
    return file.toUri().getPath();
  }

  private List<Path> replicas(LocatedBlock block) throws IOException {
    List<Path> replicas = new ArrayList<>();
    for (Path disk : disks) {
      try (Stream<Path> all = Files.walk(disk)) {
        all.filter(path -> path.getFileName().toString().equals(block.getBlock().getBlockName()))
            .forEach(replicas::add);
      }
    }
    assertEquals(disks.size(), replicas.size(), "replicas of " + block);
    return replicas;
  }
}

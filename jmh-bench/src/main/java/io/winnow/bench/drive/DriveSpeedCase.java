package io.winnow.bench.drive;

import java.io.IOException;

/** The speed of the drive itself: random reads of pages, and large reads and writes. */
final class DriveSpeedCase implements DriveCase {
  /** Number of threads that read from the drive at the same time. */
  private static final int DEPTH = 16;

  private final long bytes;
  private final double seconds;

  DriveSpeedCase(long bytes, double seconds) {
    this.bytes = bytes;
    this.seconds = seconds;
  }

  @Override
  public double weight() {
    return seconds;
  }

  @Override
  public void run(Run run) throws IOException {
    try (Drive drive = Drive.create(run.directory().resolve("drive"), bytes)) {
      double large = drive.readMegabytesPerSecond(seconds / 4);
      double single = drive.pagesPerSecond(1, seconds / 4);
      double many = drive.pagesPerSecond(DEPTH, seconds / 4);
      run.samples(FlashBench.SETUP)
          .add("largeWriteMegabytesPerSecond", drive.writtenMegabytesPerSecond())
          .add("largeReadMegabytesPerSecond", large)
          .add("longestLargeRequestMillis", drive.longestLargeMillis())
          .add("pageReadsPerSecond", single)
          .add("pageReadsPerSecondAtDepth16", many);
      String format = "%,.0f page reads/s one at a time, %,.0f at depth %d";
      run.step(seconds, "drive", format, single, many, DEPTH);
    }
  }
}

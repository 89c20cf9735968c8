package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import java.io.IOException;

/** The speed of the drive itself: random reads of pages, and large reads and writes. */
record DriveSpeedCase(FlashBench options, Run run, long bytes) implements Part {
  /** Number of threads that read from the drive at the same time. */
  private static final int DEPTH = 16;

  @Override
  public double weight() {
    return options.seconds;
  }

  @Override
  public void measure() throws IOException {
    double each = options.seconds / 4;
    try (Drive drive = Drive.create(options.scratch.resolve("drive"), bytes)) {
      double large = drive.readMegabytesPerSecond(each);
      double single = drive.pagesPerSecond(1, each);
      double many = drive.pagesPerSecond(DEPTH, each);
      run.samples(FlashBench.SETUP)
          .add("largeWriteMegabytesPerSecond", drive.writtenMegabytesPerSecond())
          .add("largeReadMegabytesPerSecond", large)
          .add("pageReadsPerSecond", single)
          .add("pageReadsPerSecondAtDepth16", many);
      String format = "%,.0f page reads/s one at a time, %,.0f at depth %d";
      run.step(weight(), "drive", format, single, many, DEPTH);
    }
  }
}

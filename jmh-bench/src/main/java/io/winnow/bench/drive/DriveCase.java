package io.winnow.bench.drive;

import java.io.IOException;

/** A part of a bench on a drive: one workload, or several that belong together. */
interface DriveCase {
  /** Returns the approximate seconds that the case takes. */
  double weight();

  void run(Run run) throws IOException, InterruptedException;
}

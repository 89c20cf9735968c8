package io.winnow.ycsb;

/** A kind of measurement of {@code ./winnow ycsb}, with the names of its benchmarks in results. */
enum Measurement {
  /** Tables with one kind of filter each. */
  TABLES("reads", "filters", "run"),

  /** Tables with one kind of filter each, behind an off-heap BucketCache. */
  BUCKET("bucketReads", "filters", "bucketRun"),

  /** Stores of one large file and small ones, in which a filter's rate may depend on its file. */
  STORES("storeReads", "storeFiles", "storeRun"),

  /** Scans of such stores, whose filters may have the prefixes of groups. */
  SCANS("scanReads", "scanFiles", "scanRun");

  /** Name of the benchmark that has the samples of reads. */
  final String reads;

  /** Name of the benchmark that has the sizes and rates of the filters in the store files. */
  final String files;

  /** Name of the benchmark that has the sizes of tables, caches and blocks. */
  final String setup;

  Measurement(String reads, String files, String setup) {
    this.reads = reads;
    this.files = files;
    this.setup = setup;
  }
}

package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.PlainBloomFilter;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Inserts into the buffered Bloom filter and deferred probes of it, beside the classic one in
 * memory: table 2 and figure 4 of Canim et al., "Buffered Bloom Filters on Solid State Storage",
 * ADMS 2010.
 *
 * <p>All keys are inserted, and then as many are probed, half of which are present. The time of
 * inserts ends when the last key is on flash, and the time of probes with the last answer.
 */
record BufferedCase(FlashBench options, Run run, long keys) implements Part {
  /**
   * Number of hash functions of the buffered Bloom filter on flash in the paper by Canim et al.;
   * the classic filter in memory has one more.
   */
  static final int HASH_FUNCTIONS = 2;

  /**
   * False-positive rate for which a buffered Bloom filter has entries so long that two keys hardly
   * ever have the same one.
   */
  private static final double LOW_RATE = 1e-5;

  private static final double[] MEMORY_TIMES = {0.25, 0.5, 2, 4};

  BufferedCase(FlashBench options, Run run) {
    this(options, run, options.batchedKeys());
  }

  @Override
  public double weight() {
    return (5 + MEMORY_TIMES.length) * weightOfOne();
  }

  private double weightOfOne() {
    return 2 * keys / ProbeKeys.PER_SECOND;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    inMemory(", in memory, 4 x the memory", 128, HASH_FUNCTIONS + 1);
    inMemory(", in memory, 2 x the memory", 64, HASH_FUNCTIONS + 1);
    inMemory(", in memory, 2 x the memory, 2 hash functions", 64, HASH_FUNCTIONS);
    BufferedBloomOptions shape = options.buffered(1);
    onFlash("", 1, shape.hashFunctions(HASH_FUNCTIONS));
    onFlash(", 3 hash functions", 1, shape.hashFunctions(HASH_FUNCTIONS + 1).rate(LOW_RATE));
    for (double times : MEMORY_TIMES) {
      String variant = (times < 1 ? ", memory x %.2f" : ", memory x %.0f").formatted(times);
      onFlash(variant, times, options.buffered(times).hashFunctions(HASH_FUNCTIONS));
    }
  }

  private void inMemory(String variant, double megabytes, int hashFunctions) throws IOException {
    PlainBloomFilter filter =
        new PlainBloomFilter(new BloomSizing(options.bits(megabytes), hashFunctions));
    ProbeKeys probes = new ProbeKeys(keys);
    Timed.Step insert =
        (first, count) -> {
          for (long hash : probes.batch) {
            filter.insert(hash);
          }
        };
    Timed.Step probe =
        (first, count) -> {
          for (int i = 0; i < count; i++) {
            probes.answer(first + i, filter.mightContain(probes.batch[i]));
          }
        };
    Structure.State none = new Structure.State(new IoSnapshot(0, 0, 0, 0), 0);
    measure(FlashBench.PLAIN, variant, probes, insert, probe, () -> {}, () -> none)
        .add("memoryBytes", filter.sizeInBytes())
        .add("hashFunctions", hashFunctions)
        .add("lost", probes.lost());
  }

  private void onFlash(String variant, double times, BufferedBloomOptions shape)
      throws IOException, InterruptedException {
    options.in("buffered", files -> onFlash(variant, times, shape, files));
  }

  private void onFlash(String variant, double times, BufferedBloomOptions shape, Path files)
      throws IOException {
    ProbeKeys probes = new ProbeKeys(keys);
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(files, shape.onAnswer(probes::answer))) {
      Timed.Step insert = (first, count) -> filter.insert(probes.batch, 0, count);
      Timed.Step probe = (first, count) -> filter.probe(probes.batch, 0, count, (int) first);
      Timed.Source source = () -> new Structure.State(filter.statistics().io(), 0);
      measure(FlashBench.BUFFERED, variant, probes, insert, probe, filter::drain, source)
          .add("memoryBytes", options.memoryBytes(times))
          .add("hashFunctions", filter.sizing().hashFunctions())
          .add("flashBytes", filter.sizing().sizeInBytes())
          .add("lost", probes.lost() + filter.statistics().get(BufferedBloomCount.WAITING_PROBES));
    }
  }

  /**
   * Measures a filter that takes many keys in one call.
   *
   * @param insert inserts the batch of keys
   * @param probe probes the batch of keys
   * @param drain waits until all inserts are done and all probes are answered
   */
  private Samples measure(
      String structure,
      String variant,
      ProbeKeys probes,
      Timed.Step insert,
      Timed.Step probe,
      Closeable drain,
      Timed.Source source)
      throws IOException {
    Timed inserts = new Timed(source);
    inserts.run(
        ProbeKeys.BATCH,
        keys,
        (first, count) -> {
          probes.built(first);
          inserts.begin();
          insert.run(first, count);
        });
    drain.close();
    inserts.end();
    Timed lookups = new Timed(source);
    lookups.run(
        ProbeKeys.BATCH,
        keys,
        (first, count) -> {
          probes.probed(first, count);
          probe.run(first, count);
        });
    drain.close();
    lookups.end();
    run.step(
        weightOfOne(),
        structure + variant,
        "%,.0f inserts/s, %,.0f probes/s",
        inserts.perSecond(),
        lookups.perSecond());
    return FlashBench.samples(run, structure, FlashBench.SET + variant)
        .add("keys", keys)
        .add("insertsPerSecond", inserts.perSecond())
        .add("lookupsPerSecond", lookups.perSecond())
        .add("seconds", inserts.seconds() + lookups.seconds())
        .add("falsePositiveRate", probes.falsePositiveRate(keys))
        .latencies(Samples.INSERT, inserts.nanos)
        .traffic(Samples.INSERT, keys, inserts.traffic)
        .traffic(Samples.LOOKUP, keys, lookups.traffic);
  }
}

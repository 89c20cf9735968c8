package io.winnow.hbase.rates;

import io.winnow.hbase.storefile.RowKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Rows of a time series: an entity, a time of eight bytes, and an id of nine. The rows arrive in
 * the order of their times, up to a minute late, and a file is flushed each hour. The large file
 * has all hours before. Each entity has 40 rows an hour, but of a <i>sparse</i> store few are
 * active.
 *
 * <p>The name of the store also says how many rows of each flush are up to three days late, and if
 * times are <i>hashed</i>, so that no file has a range of them.
 */
final class TimeRows extends ScanRows {
  static final int ROWS_PER_HOUR = 4000;
  static final int LATE = 30;

  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;

  /** Time at which the flushed files begin. */
  private static final long START = 1_790_000_000_000L / HOUR * HOUR;

  /** Number of rows that a scan without a time reads. */
  private static final int LIMIT = 20;

  private final ScanStore.Shape shape;
  private final byte[][] names;

  private TimeRows(ScanStore.Shape shape, byte[][] names, List<List<byte[]>> files) {
    super(names[0].length, files);
    this.shape = shape;
    this.names = names;
  }

  static TimeRows of(ScanStore.Shape shape) {
    int prefix = shape.hasFewActive() ? 15 : 8;
    byte[][] names =
        IntStream.range(0, shape.entities()).mapToObj(i -> name(i, prefix)).toArray(byte[][]::new);
    List<List<byte[]>> files = noRows(shape);
    SplittableRandom random = new SplittableRandom(shape.seed());
    long flushed = (long) shape.flushes() * ROWS_PER_HOUR;
    for (long i = flushed - shape.rows(); i < flushed; i++) {
      byte[] name = names[shape.hasFewActive() ? active(shape, random) : entity(i, names.length)];
      long arrival = START + (long) ((i + random.nextDouble()) * HOUR / ROWS_PER_HOUR);
      // The factor spreads the late rows over all entities.
      boolean isLate = i >= 0 && i * 1237 % ROWS_PER_HOUR < shape.late();
      long late =
          isLate
              ? (long) (random.nextDouble() * random.nextDouble() * 3 * DAY)
              : random.nextInt(60_000);
      int file = i < 0 ? 0 : 1 + (int) (i / ROWS_PER_HOUR);
      files.get(file).add(row(name, value(shape, arrival - late), i));
    }
    return new TimeRows(shape, names, files);
  }

  private static int entity(long row, int entities) {
    return (int) Math.floorMod(row, (long) entities);
  }

  /** Returns a random entity by Zipf's law with the exponent 0.9. */
  private static int active(ScanStore.Shape shape, SplittableRandom random) {
    double top = Math.pow(shape.entities(), 0.1) - 1;
    return Math.min(shape.entities(), (int) Math.pow(top * random.nextDouble() + 1, 10)) - 1;
  }

  private static long value(ScanStore.Shape shape, long time) {
    return shape.hasHashedTimes() ? RowKey.mix(time) >>> 1 : time;
  }

  private static byte[] row(byte[] name, long value, long id) {
    return ByteBuffer.allocate(name.length + 17)
        .put(name)
        .putLong(value)
        .putLong(RowKey.mix(id))
        .put((byte) id)
        .array();
  }

  @Override
  Scan scan(ScanStore.QueryKind kind, SplittableRandom random) {
    byte[] name =
        names[shape.hasFewActive() ? active(shape, random) : random.nextInt(shape.entities())];
    long end = START + shape.flushes() * HOUR;
    long from = end - HOUR - random.nextLong((shape.flushes() - 1) * HOUR);
    return switch (kind) {
      case PRESENT -> range(name, end - HOUR, HOUR);
      case REVERSED -> reversed(range(name, end - HOUR, HOUR));
      case ONE_HOUR -> range(name, from, HOUR);
      case ONE_HOUR_REVERSED -> reversed(range(name, from, HOUR));
      case ABSENT -> range(name, from, 100);
      case ENTITY -> new Scan().setStartStopRowForPrefixScan(name).setLimit(LIMIT);
      case WITHOUT_PREFIX -> ofManyEntities(name, LIMIT);
      case PRESENT_GET -> {
        byte[][] file = files.get(1 + random.nextInt(shape.flushes()));
        yield new Scan(new Get(file[random.nextInt(file.length)]));
      }
      case ABSENT_GET -> new Scan(new Get(row(name, value(shape, from), random.nextLong())));
    };
  }

  private Scan range(byte[] name, long from, long millis) {
    long first = value(shape, from);
    // Of hashed times, a range with as many rows.
    long width = shape.hasHashedTimes() ? Long.MAX_VALUE / (shape.rows() / ROWS_PER_HOUR) : millis;
    return new Scan()
        .withStartRow(ByteBuffer.allocate(name.length + 8).put(name).putLong(first).array())
        .withStopRow(ByteBuffer.allocate(name.length + 8).put(name).putLong(first + width).array());
  }
}

package io.winnow.hbase.rates;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;

/** Rows of entities, each of which is in some of the files, and queries of all rows of one. */
final class EntityRows extends ScanRows {
  private static final int PREFIX = 12;

  private final ScanStore.Shape shape;

  private EntityRows(ScanStore.Shape shape, List<List<byte[]>> files) {
    super(PREFIX, files);
    this.shape = shape;
  }

  /** Makes the rows of a store. The large file has rows of most entities. */
  static EntityRows of(ScanStore.Shape shape) {
    List<List<byte[]>> files = noRows(shape);
    SplittableRandom random = new SplittableRandom(shape.seed());
    int whole = (int) shape.filesPerPrefix();
    for (int entity = 0; entity < shape.entities(); entity++) {
      int in = whole + (random.nextDouble() < shape.filesPerPrefix() - whole ? 1 : 0);
      int first = in == shape.files() ? 0 : random.nextInt(4) == 0 ? random.nextInt(13) : 0;
      first = Math.min(first, shape.flushes());
      int[] places = new int[in];
      for (int i = 0; i < in; i++) {
        places[i] = i == 0 ? first : (first + 1 + random.nextInt(shape.flushes())) % shape.files();
        for (int j = 0; j < i; j++) {
          if (places[j] == places[i]) {
            places[i] = (places[i] + 1) % shape.files();
            j = -1;
          }
        }
      }
      for (int row = 0; row < shape.rowsPerPrefix(); row++) {
        files.get(places[row % in]).add(row(entity, 2 * row));
      }
    }
    return new EntityRows(shape, files);
  }

  private static byte[] row(int entity, int number) {
    String name = new String(name(entity, PREFIX), StandardCharsets.US_ASCII);
    return String.format(Locale.ROOT, "%s-%04d", name, number).getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  Scan scan(ScanStore.QueryKind kind, SplittableRandom random) {
    int from = kind == ScanStore.QueryKind.ABSENT ? shape.entities() : 0;
    int number = from + random.nextInt(shape.entities());
    byte[] prefix = name(number, PREFIX);
    Scan scan = new Scan().setStartStopRowForPrefixScan(prefix).setCaching(1000);
    return switch (kind) {
      case PRESENT, ABSENT -> scan;
      case REVERSED -> reversed(scan);
      case WITHOUT_PREFIX -> ofManyEntities(prefix, shape.rowsPerPrefix());
      default -> new Scan(new Get(row(number, 2 * (number % shape.rowsPerPrefix()) + 1)));
    };
  }
}

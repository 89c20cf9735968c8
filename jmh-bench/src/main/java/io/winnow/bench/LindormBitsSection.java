package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** The space of a store file's filter, beside what Lindorm's authors published. */
final class LindormBitsSection {
  private final Results results;

  private LindormBitsSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new LindormBitsSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Bits per key",
            """
            The chunks and the meta block, at a million keys and 1 %%. Only the first keys in the chunk index
            depend on the key length. Lindorm's authors published %s bits per key for their ribbon filter and
            %s for their Bloom filter: %s times as many.
            """
                .formatted(
                    Table.number(LindormPublished.RIBBON_BITS_PER_KEY, 3),
                    Table.number(LindormPublished.BLOOM_BITS_PER_KEY, 3),
                    Table.number(
                        LindormPublished.RIBBON_BITS_PER_KEY / LindormPublished.BLOOM_BITS_PER_KEY,
                        2)));
    Table table =
        new Table(
            "bits per key",
            "key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    for (String length : results.values("LindormConstruct.construct", "keyLength")) {
      OptionalDouble[] bits = new OptionalDouble[3];
      for (int i = 0; i < 3; i++) {
        bits[i] =
            results.median(
                "LindormConstruct.construct",
                JmhRuns.BITS_PER_KEY,
                "filter",
                Labels.FAMILY_FILTERS.get(i),
                "keyLength",
                length);
      }
      table.row(
          length,
          Table.number(bits[0], 3),
          Table.number(bits[1], 3),
          Table.number(bits[2], 3),
          Table.ratio(bits[1], bits[0]),
          Table.ratio(bits[2], bits[0]));
    }
    section.add(table);
    return section;
  }
}

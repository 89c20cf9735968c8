package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Ribbon filters of hashes, no keys, no file. */
final class KernelsSection {
  private static final List<String> OURS = List.of("ribbon", "bumped-ribbon");

  private final Results results;

  private KernelsSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new KernelsSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Kernels",
            """
            64-bit hashes at 1 %, no keys, no file. *Counted* adds up the answers without a branch. *Branched*
            branches on each answer, as a caller does. *Batched* asks for 20 answers at a time. The filters are
            on the heap unless it says otherwise; *split* is HBase's buffer of 64 KiB pieces.
            """);
    List<String> sizes = results.values("KernelBuild.build", "n");
    Table builds = new Table("kernel build, ns per key", "keys", "ribbon", "bumped-ribbon");
    for (String n : sizes) {
      builds.row(
          Table.number(Double.parseDouble(n), 0),
          Table.number(built("ribbon", n, true), 1),
          Table.number(built("bumped-ribbon", n, true), 1));
    }
    section.add(builds);
    Table shares =
        new Table("shares of a build of 145,000 keys, ns per key", "", "ribbon", "bumped-ribbon");
    if (results.has("KernelBuild.build")) {
      shares.row("whole", share("ribbon", true), share("bumped-ribbon", true));
      shares.row("without verification", share("ribbon", false), share("bumped-ribbon", false));
    }
    section.add(shares);
    Table probes =
        new Table(
            "kernel probe, ns",
            "keys, mix",
            "ribbon",
            "bumped-ribbon",
            "ribbon branched",
            "bumped branched",
            "ribbon batched",
            "bumped batched");
    List<String> probed = results.values("KernelProbe.counted", "n");
    for (String n : probed) {
      for (String mix : List.of("positive", "negative", "mixed")) {
        if (probe("counted", "ribbon", n, mix, "heap").isPresent()) {
          List<String> row = new ArrayList<>();
          row.add(Table.number(Double.parseDouble(n), 0) + ", " + mix);
          for (String call : List.of("counted", "branched", "batched")) {
            for (String filter : OURS) {
              row.add(Table.number(probe(call, filter, n, mix, "heap"), 1));
            }
          }
          probes.row(row.toArray(String[]::new));
        }
      }
    }
    section.add(probes);
    Table buffers =
        new Table(
            "counted probe of 145,000 keys by buffer, mixed, ns",
            "buffer",
            "ribbon",
            "bumped-ribbon");
    for (String buffer : results.values("KernelProbe.counted", "buffer")) {
      buffers.row(
          buffer,
          Table.number(probe("counted", "ribbon", 145_000, "mixed", buffer), 1),
          Table.number(probe("counted", "bumped-ribbon", 145_000, "mixed", buffer), 1));
    }
    section.add(buffers);
    Table hashing =
        new Table(
            "hashing alone, ns per key",
            "key length",
            "XXH3",
            "MurmurHash3",
            "HBase Murmur, twice");
    for (String length : results.values("Hashing.hash", "keyLength")) {
      hashing.row(
          length,
          hash("xxh3", length),
          hash("murmur3", length),
          hash("hbase-murmur-twice", length));
    }
    section.add(hashing);
    if (sizes.size() > 1) {
      Chart build =
          Chart.linear("Building from hashes", "keys", "ns per key", Labels.grouped(sizes));
      Chart probe =
          Chart.linear("Probing, half present", "keys", "ns per probe", Labels.grouped(sizes));
      for (String filter : OURS) {
        build.add(
            filter,
            sizes.stream().mapToDouble(n -> built(filter, n, true).orElse(Double.NaN)).toArray());
        for (String call : List.of("counted", "branched", "batched")) {
          probe.add(
              filter + ", " + call,
              sizes.stream()
                  .mapToDouble(n -> probe(call, filter, n, "mixed", "heap").orElse(Double.NaN))
                  .toArray());
        }
      }
      section.plot("kernel-build", build.lines());
      section.plot("kernel-probe", probe.lines());
    }
    return section;
  }

  private OptionalDouble probe(String call, String filter, Object n, String mix, String buffer) {
    return results.median(
        "KernelProbe." + call,
        JmhRuns.NS_PER_KEY,
        "filter",
        filter,
        "n",
        n,
        "mix",
        mix,
        "buffer",
        buffer);
  }

  private OptionalDouble built(String filter, Object n, boolean verified) {
    return results.median(
        "KernelBuild.build", JmhRuns.NS_PER_KEY, "filter", filter, "n", n, "verified", verified);
  }

  private String share(String filter, boolean verified) {
    return Table.number(built(filter, 145_000, verified), 1);
  }

  private String hash(String hash, String length) {
    return Table.number(
        results.median("Hashing.hash", JmhRuns.NS_PER_KEY, "hash", hash, "keyLength", length), 1);
  }
}

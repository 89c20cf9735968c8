package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.ycsb.TableFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ModelTest {
  private static Model read(String... args) {
    return Program.read(new Model(), args);
  }

  @Test
  void defaultIsANodeOfATerabyte() {
    Model options = read();
    assertEquals(80_000_000_000L, options.rows);
    assertEquals(10_000_000, new Fleet(options, TableFilter.BLOOM).keysPerFile());
    assertEquals(12.8 * (1 << 30), options.cacheBytes(), 1);
    assertEquals(365, options.rowBytes);
    assertEquals(ReadPattern.hotSet(2_400_000, 0.95), options.pattern);
  }

  @Test
  void everyOption() {
    Model options =
        read(
            ("--rows=3e6 --key-length=300 --files=8 --rewritten=0.1 --regions=1 --servers=1"
                    + " --cache=0.5 --rate=0.001 --chunk=65536 --absent=0.5 --hot-reads=0 --reads=10"
                    + " --row-us=1 --found-us=4 --block-us=2 --read-us=3 --disk-us=100 --on-disk=0.25"
                    + " --probe-ns=300,60,70")
                .split(" "));
    String output = options.output();
    for (String part :
        new String[] {
          "3,000,000 rows, keys of 300 bytes, 1,740 bytes a row: 6.6 GiB of data blocks\n",
          "1 region servers, 1 regions, 8 files in a store, 506,250 keys in a file\n",
          "0.5 GiB of block cache on each server\n",
          "all rows alike, 50 % of the rows that are read are absent, 10 rows per second\n",
          "1 us a row, 4 more if it is there, 2 a data or index block looked up, 3 a block read"
              + " and 25 for the disk\n"
        }) {
      assertTrue(output.contains(part), output);
    }
    assertEquals(70, options.probes[TableFilter.KINDS.indexOf(TableFilter.BUMPED_RIBBON)]);
    assertTrue(options.pattern.groups().isEmpty());
    assertEquals(ReadPattern.zipf(3e6), read("--rows=3e6", "--zipf").pattern);
  }

  @Test
  void nonsenseIsRefusedByName() {
    for (String[] args :
        new String[][] {
          {"--rows", "many"},
          {"--rows", "0.5"},
          {"--rate", "0.9"},
          {"--files", "1.5"},
          {"--probe-ns", "1,2"},
          {"--absent", "-1"}
        }) {
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(args));
      assertTrue(e.getMessage().contains(args[0] + " " + args[1]), e.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> read("--zipf", "--hot-rows=0.1"));
    assertThrows(IllegalArgumentException.class, () -> read("--cache=1", "--heap=8"));
    assertThrows(IllegalArgumentException.class, () -> read("surplus"));
  }

  /** If it does not: {@code ./winnow model --report}. */
  @Test
  void pageShowsTheOutputOfTheCommand() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "cost-model.md"));
    assertEquals(Model.renewed(page), page);
    assertTrue(page.split("\\$ \\./winnow model", -1).length >= 3, "an example each");
  }

  @Test
  void otherOutputIsNoticed() {
    String page = "```\n$ ./winnow model --rows 1e9\nnothing\n```\n";
    String renewed = Model.renewed(page);
    assertNotEquals(page, renewed);
    assertTrue(renewed.startsWith("```\n$ ./winnow model --rows 1e9\n1,000,000,000 rows"), renewed);
    assertTrue(renewed.endsWith("\n```\n"), renewed);
  }
}

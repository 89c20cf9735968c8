package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void slugs() {
    assertEquals("intel-r-xeon-r-cpu-2-70ghz", Machine.slug("Intel(R) Xeon(R) CPU @ 2.70GHz"));
    assertEquals("amd-epyc-9b45", Machine.slug(" AMD EPYC 9B45 "));
  }
}

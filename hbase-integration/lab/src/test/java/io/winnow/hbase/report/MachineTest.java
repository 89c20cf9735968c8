package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void slugs() {
    assertEquals("intel-r-xeon-r-cpu-2-70ghz", Machine.slug("Intel(R) Xeon(R) CPU @ 2.70GHz"));
    assertEquals("amd-epyc-9b45", Machine.slug(" AMD EPYC 9B45 "));
  }

  /** Two machines whose processors have the same name are not the same. */
  @Test
  void processorIsToldByItsKindToo() {
    List<String> lines =
        List.of(
            "processor\t: 0",
            "cpu family\t: 6",
            "model\t\t: 207",
            "model name\t: Intel(R) Xeon(R) Processor",
            "stepping\t: 2",
            "processor\t: 1",
            "model\t\t: 1");
    assertEquals("Intel(R) Xeon(R) Processor 6/207/2", Machine.processor(lines));
    assertEquals("ARM", Machine.processor(List.of("model name : ARM")));
    assertNull(Machine.processor(List.of("processor : 0")));
  }

  @Test
  void settingIsToldToTheMinuteAndHasADay() {
    Results.Setting setting = Machine.setting("./winnow x");
    assertTrue(setting.date().matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC"), setting.date());
    assertEquals(setting.date().substring(0, 10), setting.day());
  }
}

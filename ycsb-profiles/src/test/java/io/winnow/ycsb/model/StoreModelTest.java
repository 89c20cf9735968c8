package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreModelTest {

  private static Model options(String... args) {
    return Program.read(new Model(), args);
  }

  @Test
  void storesAreAskedForByTheirOptions() {
    assertNull(options("--files=4").keys);
    assertEquals(List.of(10_000_000L, 100_000L), options("--files=1e7,100000").keys);
    assertEquals(1, options("--files=1e7,100000").regions);
    assertEquals(7, options("--files=1e7,100000", "--regions=7").regions);
    Model grown = options("--files=3", "--growth=10", "--rows=1110", "--regions=10");
    assertEquals(List.of(100L, 10L, 1L), grown.keys);
    assertEquals(10, grown.regions);
    assertEquals(4, options("--wish-memory=5bits").keys.size());
  }

  @Test
  void halfOfTheGetsFindTheirRow() {
    assertEquals(0.5, options("--files=9,1").absent);
    assertEquals(0.2, options("--files=9,1", "--absent=0.2").absent);
    assertEquals(0.7, options("--files=9,1", "--store-memory=0.7").storeMemory);
    assertNull(options("--files=9,1").storeMemory);
  }

  @Test
  void memoryIsOfAllStoresOrPerKey() {
    String[] files = {"--files=8000,2000", "--regions=10", ""};
    for (String[] wish :
        new String[][] {
          {"81920", "8192"},
          {"80k", "8192"},
          {"1m", "104857.6"},
          {"6bits", "7500"},
          {"4.5bits", "5625"}
        }) {
      files[2] = "--wish-memory=" + wish[0];
      double bytes = options(files).wishedBytes;
      assertEquals(Double.parseDouble(wish[1]), bytes, 1e-6, wish[0]);
    }
  }

  @Test
  void nonsenseIsRefusedByName() {
    for (String[] wrong :
        new String[][] {
          {"--files=5,x", "--files x"},
          {"--files=5,", "--files"},
          {"--files=5,1 --growth=2", "--growth"},
          {"--files=5,1 --rows=100", "--rows"},
          {"--files=5,1 --zipf --hot-rows=1", "--zipf"},
          {"--files=5,1 --cache=3", "--cache"},
          {"--store-memory=2", "--store-memory 2"},
          {"--wish-memory=much", "--wish-memory much"},
          {"--wish-false-reads=0", "--wish-false-reads 0"}
        }) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> options(wrong[0].split(" ")));
      assertTrue(e.getMessage().contains(wrong[1]), e.getMessage());
    }
  }

  /** The memory is on the wish's side, and one that is a little off is not. */
  @Test
  void wishesAreMet() {
    Model options =
        options(
            "--files=10000000,400000,400000,40000",
            "--wish-memory=5.5bits",
            "--wish-false-reads=0.01",
            "--absent=0.7");
    StoreModel model = new StoreModel(options);
    List<StoreModel.Wish> wishes = model.wishes();
    double memory = wishes.get(0).memory();
    assertTrue(model.filters(memory).bitsPerKey() <= 5.5);
    assertTrue(model.filters(memory * 1.02).bitsPerKey() > 5.5);
    double reads = wishes.get(1).memory();
    assertTrue(model.filters(reads).falseReads(0.3) <= 0.01);
    assertTrue(model.filters(reads * 0.98).falseReads(0.3) > 0.01);
    assertTrue(memory > 0.5 && memory < 0.75, memory + " of stock's 9.7 bits");
  }

  @Test
  void aWishThatNothingMeetsIsTold() {
    String text = new StoreModel(options("--files=1000,10", "--wish-memory=0.001")).text();
    assertTrue(text.contains("none does"), text);
    assertTrue(text.contains("No winnow.store.memory meets the wish."), text);
    assertFalse(text.contains("alter"), text);
  }

  @Test
  void theLineToCopyHasWhatWasAskedFor() {
    String line = "'winnow.filter' => 'bumped-ribbon'";
    String text = new StoreModel(options("--files=1e6,1e4")).text();
    assertTrue(text.contains(line + "}}"), text);
    text = new StoreModel(options("--files=1e6,1e4", "--store-memory=0.7")).text();
    assertTrue(text.contains(line + ", 'winnow.store.memory' => '0.7'}}"), text);
    text = new StoreModel(options("--files=1e6,1e4", "--wish-memory=5bits")).text();
    assertTrue(text.contains(line + ", 'winnow.store.memory' => '0."), text);
  }
}

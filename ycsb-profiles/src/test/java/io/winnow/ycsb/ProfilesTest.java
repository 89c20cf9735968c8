package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import site.ycsb.WorkloadException;

class ProfilesTest {
  private static final Set<String> KNOWN =
      Set.of(
          "workload",
          "recordcount",
          "operationcount",
          "requestdistribution",
          "updateproportion",
          ReadWorkload.HOT_ROWS,
          ReadWorkload.HOT_READS,
          ReadWorkload.KEY_LENGTH,
          ReadWorkload.BATCH,
          ReadWorkload.ABSENT,
          ReadWorkload.FILES,
          ReadWorkload.REWRITTEN,
          ReadWorkload.SMALL,
          ReadWorkload.GROUP,
          ReadWorkload.SCAN,
          Profile.ARRIVALS,
          Profile.CONDITION,
          WinnowHBaseClient.SCANNED_PREFIX);

  @Test
  void eachProfileIsOneThatTheWorkloadTakesAndIsAlsoAResource()
      throws IOException, WorkloadException {
    List<Path> files;
    try (Stream<Path> all = Files.list(Path.of("profiles"))) {
      files = all.sorted().toList();
    }
    assertEquals(
        List.of(
            "half-miss.properties",
            "hit-only.properties",
            "lindorm.properties",
            "miss-only.properties",
            "read-mostly.properties",
            "scan-absent.properties",
            "scan-present.properties",
            "scan-rows.properties",
            "skewed.properties",
            "store-absent.properties",
            "store-arrivals.properties",
            "store-bucket.properties",
            "store-busy.properties",
            "store-cold.properties",
            "store-hot.properties",
            "store-mixed.properties",
            "store-present.properties",
            "store-skewed.properties",
            "uniform.properties"),
        files.stream().map(file -> file.getFileName().toString()).toList());
    for (Path file : files) {
      Properties profile = new Properties();
      try (Reader in = Files.newBufferedReader(file)) {
        profile.load(in);
      }
      assertEquals(Set.of(), without(profile.stringPropertyNames(), KNOWN), file.toString());
      assertEquals(ReadWorkload.class.getName(), profile.getProperty("workload"));
      new ReadWorkload().init(profile);
      try (InputStream in = getClass().getResourceAsStream("profiles/" + file.getFileName())) {
        assertNotNull(in);
        assertEquals(Files.readString(file), new String(in.readAllBytes()));
      }
    }
  }

  @Test
  void hotSetsOfOtherSizesAreLindormsOtherwise() throws IOException {
    Profile larger = Profile.of("lindorm@4");
    assertEquals("lindorm@4", larger.name());
    assertEquals(4, larger.hotSets());
    assertEquals(Profile.of("lindorm").properties(), larger.properties());
    assertEquals(0.25, Profile.of("lindorm@0.25").hotSets());
    assertEquals(1, Profile.of("skewed").hotSets());
    for (String name : Profile.ALL) {
      Profile.of(name);
    }
  }

  private static Set<String> without(Set<String> names, Set<String> known) {
    return Set.copyOf(names.stream().filter(name -> !known.contains(name)).toList());
  }
}

package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A member is found by whichever of its names an HBase has; ReleasesCheck looks at all releases.
 */
class HBaseMemberTest {
  /** As in HBase 2.5.8 and 2.6.0. */
  private static final class Old {
    Collection<String> getStorefiles() {
      return List.of("old");
    }
  }

  private static final class Both {
    Collection<String> getStoreFiles() {
      return List.of("new");
    }

    Collection<String> getStorefiles() {
      return List.of("old");
    }
  }

  private static final class WithField {
    private final List<String> generalBloomFilter = List.of("hidden");
  }

  @Test
  void secondNameIsFound() throws Throwable {
    assertEquals(
        List.of("old"),
        HBaseMember.STORE_FILES.getter(Collection.class, Old.class).invoke(new Old()));
  }

  @Test
  void firstNameGoesFirst() throws Throwable {
    assertEquals(
        List.of("new"),
        HBaseMember.STORE_FILES.getter(Collection.class, Both.class).invoke(new Both()));
  }

  @Test
  void fieldNeedNotBePublic() throws Throwable {
    assertEquals(
        List.of("hidden"),
        HBaseMember.GENERAL_FILTER.getter(List.class, WithField.class).invoke(new WithField()));
  }

  @Test
  void whatIsNotThereIsNamed() {
    LinkageError error =
        assertThrows(
            LinkageError.class, () -> HBaseMember.STORE_FILES.getter(List.class, String.class));
    assertTrue(error.getMessage().endsWith("getStoreFiles() or getStorefiles()"), error.toString());
  }
}

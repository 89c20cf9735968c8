package io.winnow.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** As docs/design/architecture.md says: flash knows cascade, and both know bench. */
@AnalyzeClasses(packages = "io.winnow.bench", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule BENCH_KNOWS_NO_DRIVE =
      noClasses()
          .that()
          .resideInAPackage("io.winnow.bench")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.winnow.bench.cascade..", "io.winnow.bench.flash..");

  @ArchTest
  static final ArchRule CASCADE_KNOWS_NO_FLASH =
      noClasses()
          .that()
          .resideInAPackage("io.winnow.bench.cascade..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.bench.flash..");
}

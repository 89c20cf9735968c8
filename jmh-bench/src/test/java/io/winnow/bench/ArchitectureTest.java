package io.winnow.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrow between packages that docs/design/architecture.md has: drive knows bench. */
@AnalyzeClasses(packages = "io.winnow.bench", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule BENCH_KNOWS_NO_DRIVE =
      noClasses()
          .that()
          .resideInAPackage("io.winnow.bench")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.bench.drive..");
}

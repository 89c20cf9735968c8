package io.winnow.ycsb;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** As docs/design/architecture.md says: the model knows what was measured, and not the reverse. */
@AnalyzeClasses(packages = "io.winnow.ycsb", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule MEASUREMENTS_KNOW_NO_MODEL =
      noClasses()
          .that()
          .resideInAPackage("io.winnow.ycsb")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.ycsb.model..");

  @ArchTest
  static final ArchRule SERVERS_ARE_ASKED_BY_THEIR_CLIENTS =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.winnow.hbase.agent..", "io.winnow.hbase.hooks..", "io.winnow.hbase.page..");
}

package io.winnow;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Dependencies point one way: to the types of the root, and from there to {@code base}. */
@AnalyzeClasses(packages = "io.winnow", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  /** The root package is one of them, so the pattern begins above it. */
  @ArchTest
  static final ArchRule NO_PACKAGES_KNOW_EACH_OTHER_IN_A_CIRCLE =
      slices().matching("io.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SHARED_PACKAGES_KNOW_NO_FILTER =
      noClasses()
          .that()
          .resideInAnyPackage("io.winnow", "io.winnow.base..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.winnow.image..",
              "io.winnow.ribbon..",
              "io.winnow.quotient..",
              "io.winnow.flash..",
              "io.winnow.cascade..");

  @ArchTest
  static final ArchRule RIBBON_KNOWS_THE_SHARED_PACKAGES_ALONE =
      classes()
          .that()
          .resideInAPackage("io.winnow.ribbon..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.winnow", "io.winnow.ribbon..", "io.winnow.base..", "java..");

  @ArchTest
  static final ArchRule QUOTIENT_KNOWS_THE_SHARED_PACKAGES_ALONE =
      classes()
          .that()
          .resideInAPackage("io.winnow.quotient..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.winnow", "io.winnow.quotient..", "io.winnow.base..", "java..");

  @ArchTest
  static final ArchRule BASE_STANDS_ALONE =
      classes()
          .that()
          .resideInAPackage("io.winnow.base..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.winnow.base..", "java..");

  @ArchTest
  static final ArchRule NOTHING_BUT_REPORTS_DEPENDS_ON_THE_CASCADE =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.winnow.cascade..", "io.winnow.flash")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.cascade..");

  @ArchTest
  static final ArchRule STORAGE_KNOWS_NO_STRUCTURE =
      classes()
          .that()
          .resideInAnyPackage("io.winnow.flash.drive..", "io.winnow.flash.store..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                      "io.winnow.flash.drive..",
                      "io.winnow.flash.store..",
                      "io.winnow.base..",
                      "io.netty..",
                      "java..")
                  .or(type(FilterFormatException.class)));

  @ArchTest
  static final ArchRule BUFFERED_BLOOM_FILTER_KNOWS_NO_MAP =
      noClasses()
          .that()
          .resideInAnyPackage("io.winnow.flash.bloom..", "io.winnow.flash.buffered..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.flash.bufferhash..");

  @ArchTest
  static final ArchRule BUFFERHASH_AND_CASCADE_KNOW_NO_BUFFERED_BLOOM_FILTER =
      noClasses()
          .that()
          .resideInAnyPackage("io.winnow.flash.bufferhash..", "io.winnow.cascade..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.flash.buffered..");

  @ArchTest
  static final ArchRule NETTY_STAYS_IN_FLASH =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.winnow.flash.drive..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule HASHING_LIBRARIES_STAY_IN_KEY_HASH =
      noClasses()
          .that()
          .doNotBelongToAnyOf(KeyHash.class)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.dynatrace..", "org.apache.commons..");

  @ArchTest
  static final ArchRule THE_CORE_KNOWS_NOTHING_OF_HBASE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.hadoop..", "io.winnow.hbase..");
}

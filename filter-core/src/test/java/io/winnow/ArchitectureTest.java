package io.winnow;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Dependencies point one way: filters to {hash, bits, format}, and the root may know all. */
@AnalyzeClasses(packages = "io.winnow", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String[] SHARED = {
    "io.winnow.build..", "io.winnow.hash..", "io.winnow.bits..", "io.winnow.format.."
  };

  @ArchTest
  static final ArchRule SHARED_PACKAGES_KNOW_NO_FILTER =
      noClasses()
          .that()
          .resideInAnyPackage(SHARED)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
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
          .resideInAnyPackage(
              "io.winnow",
              "io.winnow.ribbon..",
              "io.winnow.build..",
              "io.winnow.hash..",
              "io.winnow.bits..",
              "io.winnow.format..",
              "java..");

  @ArchTest
  static final ArchRule QUOTIENT_KNOWS_THE_SHARED_PACKAGES_ALONE =
      classes()
          .that()
          .resideInAPackage("io.winnow.quotient..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.winnow",
              "io.winnow.quotient..",
              "io.winnow.build..",
              "io.winnow.hash..",
              "io.winnow.bits..",
              "io.winnow.format..",
              "java..");

  @ArchTest
  static final ArchRule BITS_STAND_ALONE =
      classes()
          .that()
          .resideInAPackage("io.winnow.bits..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.winnow.bits..", "java..");

  @ArchTest
  static final ArchRule NOTHING_DEPENDS_ON_THE_CASCADE =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.winnow.cascade..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.winnow.cascade..");

  @ArchTest
  static final ArchRule STORAGE_KNOWS_NO_STRUCTURE =
      classes()
          .that()
          .resideInAPackage("io.winnow.flash.store..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                      "io.winnow.flash.store..",
                      "io.winnow.hash..",
                      "io.winnow.bits..",
                      "io.winnow.format..",
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
          .resideOutsideOfPackage("io.winnow.flash.store..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule HASHING_LIBRARIES_STAY_IN_HASH =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.winnow.hash..")
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

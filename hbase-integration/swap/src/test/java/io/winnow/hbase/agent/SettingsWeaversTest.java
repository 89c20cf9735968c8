package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/** The classes by which settings are checked and laid over each other, of every line of HBase. */
class SettingsWeaversTest {
  private static final String HERE = "on the class path";

  private static byte[] classFile(String version, String name) throws IOException {
    if (!version.equals(HERE)) {
      return OtherLines.classFile(version, name);
    }
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void methodsAreThereOnEveryLine(String version) throws IOException {
    byte[] checker = classFile(version, WovenFactory.row("TableDescriptorChecker").target());
    assertNull(WovenFactory.row("TableDescriptorChecker").weaver.problemWith(checker));
    assertEquals(
        List.of("sanityCheck: check"),
        WovenFactory.hooks(WovenFactory.row("TableDescriptorChecker").weaver.weave(checker)));
    byte[] utils = classFile(version, WovenFactory.row("StoreUtils").target());
    assertNull(WovenFactory.row("StoreUtils").weaver.problemWith(utils));
    assertEquals(
        List.of("createStoreConfiguration: below"),
        WovenFactory.hooks(WovenFactory.row("StoreUtils").weaver.weave(utils)));
  }

  @Test
  void wovenCheckerRefusesWhatIsWrongAndPassesTheRest() throws IOException {
    WovenFactory.install();
    Configuration site = new Configuration();
    TableDescriptorChecker.sanityCheck(site, table("ribbon", 1024));
    assertRefused(site, table("?", 1024), "winnow.filter is '?'");
    assertRefused(site, table("ribbon", 1), "Block size"); // HBase's own check
  }

  private static void assertRefused(Configuration site, TableDescriptor table, String why) {
    String sentence =
        assertThrows(
                DoNotRetryIOException.class, () -> TableDescriptorChecker.sanityCheck(site, table))
            .getMessage();
    assertTrue(sentence.contains(why), sentence);
  }

  private static TableDescriptor table(String filter, int blockSize) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                .setConfiguration("winnow.filter", filter)
                .setBlocksize(blockSize)
                .build())
        .build();
  }

  @Test
  void classOfAnotherShapeIsRefusedInWords() throws IOException {
    ClassWriter other = new ClassWriter(0);
    other.visit(
        Opcodes.V1_8,
        Opcodes.ACC_PUBLIC,
        WovenFactory.row("StoreUtils").target(),
        null,
        "java/lang/Object",
        null);
    other.visitEnd();
    String problem = WovenFactory.row("StoreUtils").weaver.problemWith(other.toByteArray());
    assertTrue(problem.startsWith("it has no static method createStoreConfiguration("), problem);
    problem = WovenFactory.row("TableDescriptorChecker").weaver.problemWith(other.toByteArray());
    assertEquals(
        "it calls itself " + WovenFactory.row("StoreUtils").target().replace('/', '.'), problem);
    problem = WovenFactory.row("StoreUtils").weaver.problemWith(new byte[7]);
    assertTrue(problem.startsWith("it is not a class file of a version known here"), problem);
  }
}

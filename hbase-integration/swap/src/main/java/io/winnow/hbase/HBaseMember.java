package io.winnow.hbase;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;

/**
 * The members of HBase that its releases do not all show, or do not all call the same. All such
 * differences are here: a name that another release has is one more word.
 *
 * <p>The agent reads this table too: its link check looks the names up in HBase's class files, for
 * each class of ours that names a constant. So nothing here may name a class of HBase but by text.
 */
public enum HBaseMember {
  /** {@code getCacheConf()} is there from 2.6.3 on. */
  CACHE_CONFIG("io/hfile/HFileReaderImpl", "cacheConf"),
  /** Returns an {@code ExtendedCell} in HBase 3. */
  CELL("io/hfile/HFileScanner", "getCell()"),
  /** There is no accessor. */
  DELETE_FAMILY_FILTER("regionserver/StoreFileReader", "deleteFamilyBloomFilter"),
  /** There is no accessor. */
  FILE_SCANNER("regionserver/StoreFileScanner", "hfs"),
  /** {@code getGeneralBloomFilter()} is public from 2.5.12 and 2.6.4 on. */
  GENERAL_FILTER("regionserver/StoreFileReader", "generalBloomFilter"),
  /** {@code getReader()} is for HBase's package only. */
  SCANNED_READER("regionserver/StoreFileScanner", "reader"),
  /** The first name is of 2.5.9 and 2.6.1. */
  STORE_FILES("regionserver/StoreFileManager", "getStoreFiles()", "getStorefiles()");

  private final String owner;
  private final List<String> names;

  /**
   * @param names of fields, and of methods, which have parentheses; the first that is there is used
   */
  HBaseMember(String owner, String... names) {
    this.owner = "org/apache/hadoop/hbase/" + owner;
    this.names = List.of(names);
  }

  /** The internal name of the class that declares it. */
  public String owner() {
    return owner;
  }

  /** Names of fields and methods; those of methods have parentheses. */
  public List<String> names() {
    return names;
  }

  /**
   * Gets its value from an object, for {@code invokeExact}. Keep it in a static final field: then
   * it costs what the member itself costs.
   *
   * @throws LinkageError if this HBase has none of the names
   */
  public MethodHandle getter(Class<?> value, Class<?> object) {
    for (String name : names) {
      MethodHandle found = find(object, name);
      if (found != null) {
        return found.asType(MethodType.methodType(value, object));
      }
    }
    throw new NoSuchMethodError(owner.replace('/', '.') + "." + String.join(" or ", names));
  }

  private static MethodHandle find(Class<?> object, String name) {
    try {
      if (name.endsWith("()")) {
        Method method = object.getDeclaredMethod(name.substring(0, name.length() - 2));
        method.setAccessible(true);
        return MethodHandles.lookup().unreflect(method);
      }
      Field field = object.getDeclaredField(name);
      field.setAccessible(true);
      return MethodHandles.lookup().unreflectGetter(field);
    } catch (NoSuchMethodException | NoSuchFieldException e) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalAccessError(e.getMessage()); // it was made accessible
    }
  }
}

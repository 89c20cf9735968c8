package io.winnow.hbase;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;

/**
 * Methods and fields of HBase that not all releases publish, or that have another name in some. If
 * another release has another name, add it to the constant.
 *
 * <p>The agent reads this table too: for each class of ours that uses a constant, its link check
 * searches HBase's class files for the names. So this class names classes of HBase only by text.
 *
 * <p>Other differences between releases are handled by the class that meets them:
 *
 * <ul>
 *   <li>woven classes and methods: {@code agent.WovenClass}, {@code BloomFilterFactoryWeaver},
 *       {@code StoreFileScannerWeaver} and {@code PageLinkWeaver};
 *   <li>methods with an {@code ExtendedCell} of HBase 3: {@code read.WinnowFilterReader} and {@code
 *       write.WinnowChunkWriter};
 *   <li>metrics of scans: {@code read.ScanMetrics};
 *   <li>members of the block cache: {@code read.FirstLevelChunkCache};
 *   <li>members and classes that are found by text, which the link check does not see: {@code
 *       hooks.BulkLoadHooks}, {@code hooks.KnownReaders}, {@code hooks.RangeHooks}, {@code
 *       settings.ForeignReaders}, {@code settings.SettingsCheck} and {@code cli.StoreFileTrouble}.
 * </ul>
 */
public enum HBaseMember {
  /**
   * Method that returns the cache configuration of a store file's reader: {@code getCacheConf()}
   * exists from 2.6.3 on.
   */
  CACHE_CONFIG("io/hfile/HFileReaderImpl", "cacheConf"),
  /**
   * Method that returns the cell at which the scanner of a file is: HBase 3 has another return
   * type, {@code ExtendedCell}.
   */
  CELL("io/hfile/HFileScanner", "getCell()"),
  /** Field with the filter of a store file's delete-family markers, which has no accessor. */
  DELETE_FAMILY_FILTER("regionserver/StoreFileReader", "deleteFamilyBloomFilter"),
  /** Field with the HFile scanner below HBase's scanner of a store file, which has no accessor. */
  FILE_SCANNER("regionserver/StoreFileScanner", "hfs"),
  /**
   * Field with the filter of a store file's rows, whose accessor is public from 2.5.12 and 2.6.4
   * on.
   */
  GENERAL_FILTER("regionserver/StoreFileReader", "generalBloomFilter"),
  /**
   * Field with the reader of HBase's scanner of a store file, whose accessor {@code getReader()} is
   * not public.
   */
  SCANNED_READER("regionserver/StoreFileScanner", "reader"),
  /**
   * Method that returns the files of a store, which is {@code getStoreFiles()} in HBase 2.5.9 and
   * 2.6.1, and {@code getStorefiles()} in older releases.
   */
  STORE_FILES("regionserver/StoreFileManager", "getStoreFiles()", "getStorefiles()");

  private final String owner;
  private final List<String> names;

  /**
   * Creates the description of a method or field of HBase by its names in different releases.
   *
   * @param owner the class, below {@code org.apache.hadoop.hbase}
   * @param names names of fields, and of methods with parentheses; the first that exists is used
   */
  HBaseMember(String owner, String... names) {
    this.owner = "org/apache/hadoop/hbase/" + owner;
    this.names = List.of(names);
  }

  /** Returns the internal name of the HBase class that declares the method or field. */
  public String owner() {
    return owner;
  }

  /**
   * Returns the names that a field or method has in different releases of HBase; names of methods
   * have parentheses.
   */
  public List<String> names() {
    return names;
  }

  /**
   * Returns a handle for {@code invokeExact}, which reads the field or calls the method of an
   * object of HBase. In a static final field it is as fast as the member itself.
   *
   * @param value the type of the value
   * @param object the type of the object
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

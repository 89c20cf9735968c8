package io.winnow.hbase.agent;

import io.winnow.hbase.HBaseMember;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Checks that every class, method and field of HBase and its libraries that Winnow's code uses
 * exists, and that Winnow's classes implement all abstract methods of their supertypes there.
 *
 * <p>It reads class files and loads no class, so no initialiser runs, and the jars of any version
 * can be checked. Of the members that are found by reflection it sees those of {@link HBaseMember}.
 * It does not see if a method became static.
 *
 * <p>It follows our classes from the entries of each {@link Feature}, so that a missing member
 * counts against the features that use it and no other. Not thread-safe.
 */
final class LinkCheck {
  private static final String OURS = "io/winnow/hbase/";
  private static final String MEMBERS = "io/winnow/hbase/HBaseMember";

  private final ClassShapes shapes;

  LinkCheck(ClassShapes shapes) {
    this.shapes = shapes;
  }

  /**
   * Returns the members that HBase lacks, by the feature that needs them, in words that begin with
   * "no", "not" or "class". Features that miss nothing are left out. A member that a required
   * feature needs is not listed for others again.
   */
  Map<Feature, Set<String>> problems() {
    Set<String> entries = new HashSet<>();
    for (Feature feature : Feature.values()) {
      entries.addAll(feature.entries);
    }
    Set<String> checked = new HashSet<>();
    Set<String> listed = new HashSet<>();
    Map<Feature, Set<String>> problems = new EnumMap<>(Feature.class);
    for (Feature feature : Feature.values()) { // required ones come first
      Set<String> elsewhere = new HashSet<>(entries);
      elsewhere.removeAll(feature.entries);
      elsewhere.addAll(checked);
      if (feature.subject() != null && shape(feature.subject()) == null) {
        continue;
      }
      Set<String> missing = new TreeSet<>();
      Set<String> seen = check(feature.entries, elsewhere, missing);
      missing.removeAll(listed);
      if (feature.isRequired()) {
        checked.addAll(seen);
        listed.addAll(missing);
      }
      if (!missing.isEmpty()) {
        problems.put(feature, missing);
      }
    }
    return problems;
  }

  /**
   * Returns the members of HBase that are missing for the given classes of Winnow and for other
   * classes of Winnow that these use.
   */
  Set<String> problemsOf(Collection<String> classes) {
    Set<String> missing = new TreeSet<>();
    check(classes, Set.of(), missing);
    return missing;
  }

  /**
   * Checks that HBase has the members that the given classes of Winnow use, and the classes of
   * Winnow that these use.
   *
   * @param elsewhere classes that are not followed
   * @param missing receives the missing members
   * @return all classes of ours that were checked
   */
  private Set<String> check(
      Collection<String> entries, Set<String> elsewhere, Set<String> missing) {
    Set<String> seen = new HashSet<>(entries);
    Deque<String> toDo = new ArrayDeque<>(entries);
    while (!toDo.isEmpty()) {
      String name = toDo.pop();
      ClassShape shape = shape(name);
      if (shape == null) {
        missing.add("no class " + JavaNames.ofClass(name));
        continue;
      }
      for (String used : shape.classes()) {
        String element = elementOf(used);
        if (element != null && element.startsWith(OURS)) {
          if (!elsewhere.contains(element) && seen.add(element)) {
            toDo.push(element);
          }
        } else if (element != null && isTheirs(element)) {
          checkClass(element, missing);
        }
      }
      for (ClassShape.Use use : shape.uses()) {
        if (!use.owner.equals(MEMBERS)) {
          checkUse(use, missing);
        } else if (!use.isOfMethod() && !name.equals(MEMBERS)) {
          checkMember(HBaseMember.valueOf(use.name), missing);
        }
      }
      if (!shape.is(Opcodes.ACC_ABSTRACT)) {
        checkImplementation(name, missing);
      }
    }
    return seen;
  }

  /**
   * Returns the name of a class, or of the class of an array's elements; null if these are
   * primitive.
   */
  private static String elementOf(String name) {
    if (!name.startsWith("[")) {
      return name;
    }
    Type element = Type.getType(name).getElementType();
    return element.getSort() == Type.OBJECT ? element.getInternalName() : null;
  }

  private static boolean isTheirs(String name) {
    return !name.startsWith("java/") && !name.startsWith("io/winnow/");
  }

  private void checkClass(String name, Set<String> missing) {
    ClassShape shape = shape(name);
    if (shape == null) {
      missing.add("no class " + JavaNames.ofClass(name));
    } else if (!shape.is(Opcodes.ACC_PUBLIC)) {
      missing.add("class " + JavaNames.ofClass(name) + " is not public");
    }
  }

  private void checkMember(HBaseMember member, Set<String> missing) {
    ClassShape shape = shape(member.owner());
    if (shape == null) {
      missing.add("no class " + JavaNames.ofClass(member.owner()));
    } else if (!hasOne(shape, member)) {
      missing.add(
          "no " + JavaNames.ofClass(member.owner()) + "." + String.join(" or ", member.names()));
    }
  }

  private static boolean hasOne(ClassShape shape, HBaseMember member) {
    for (String found : shape.members().keySet()) {
      if (isOne(member, found)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if a name with its descriptor is one of the names that a member has in different
   * versions of HBase.
   */
  private static boolean isOne(HBaseMember member, String found) {
    for (String name : member.names()) {
      // The descriptor of a method without arguments begins with (), one of an object with L.
      if (found.startsWith(name.endsWith("()") ? name : name + "L")) {
        return true;
      }
    }
    return false;
  }

  private void checkUse(ClassShape.Use use, Set<String> missing) {
    String owner = use.owner;
    ClassShape shape = owner.startsWith("[") || !isTheirs(owner) ? null : shape(owner);
    if (shape == null) {
      return; // or a class is missing, and named as such
    }
    if (use.isOfMethod() && shape.is(Opcodes.ACC_INTERFACE) != use.ofInterface) {
      missing.add(
          ("class " + JavaNames.ofClass(owner))
              + (use.ofInterface ? " is no interface" : " is an interface"));
      return;
    }
    Integer access = find(owner, use.name + use.descriptor, 0);
    String words = inWords(owner, use.name, use.descriptor);
    if (access == null) {
      missing.add("no " + words);
    } else if ((access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) == 0) {
      missing.add("not public: " + words);
    }
  }

  /** Checks that a class of Winnow has a body for each abstract method of its supertypes. */
  private void checkImplementation(String name, Set<String> missing) {
    Map<String, String> abstracts = new HashMap<>();
    collectAbstracts(name, abstracts);
    for (Map.Entry<String, String> one : abstracts.entrySet()) {
      String member = one.getKey();
      if (find(name, member, Opcodes.ACC_ABSTRACT) == null) {
        int parenthesis = member.indexOf('(');
        String method =
            inWords(
                one.getValue(), member.substring(0, parenthesis), member.substring(parenthesis));
        missing.add("not implemented by " + JavaNames.ofClass(name) + ": " + method);
      }
    }
  }

  private void collectAbstracts(String type, Map<String, String> abstracts) {
    ClassShape shape = type.startsWith("java/") ? null : shape(type);
    if (shape != null) {
      for (Map.Entry<String, Integer> member : shape.members().entrySet()) {
        if (isTheirs(type) && (member.getValue() & Opcodes.ACC_ABSTRACT) != 0) {
          abstracts.put(member.getKey(), type);
        }
      }
      for (String supertype : shape.supertypes) {
        collectAbstracts(supertype, abstracts);
      }
    }
  }

  /**
   * Searches a class and its supertypes for a method or field without certain access flags, and
   * returns its flags; null if there is none.
   */
  private Integer find(String type, String member, int without) {
    ClassShape shape = shape(type);
    if (shape == null) {
      return null;
    }
    Integer access = shape.members().get(member);
    if (access != null && (access & without) == 0) {
      return access;
    }
    for (boolean ofJdk :
        new boolean[] {false, true}) { // those of the JDK are seldom needed, and read last
      for (String supertype : shape.supertypes) {
        if (ofJdk == supertype.startsWith("java/")) {
          Integer inherited = find(supertype, member, without);
          if (inherited != null) {
            return inherited;
          }
        }
      }
    }
    return null;
  }

  /**
   * Returns a method or field in words, such as {@code BloomFilter
   * org.apache.Some.method(DataInput)} or {@code int org.apache.Some.FIELD}.
   */
  private static String inWords(String owner, String name, String descriptor) {
    String member = JavaNames.ofClass(owner) + "." + name;
    return descriptor.startsWith("(")
        ? JavaNames.ofMethod(member, descriptor)
        : JavaNames.simple(Type.getType(descriptor)) + " " + member;
  }

  private ClassShape shape(String name) {
    try {
      return shapes.find(name);
    } catch (IOException e) {
      throw new UncheckedIOException("class file of " + JavaNames.ofClass(name), e);
    }
  }
}

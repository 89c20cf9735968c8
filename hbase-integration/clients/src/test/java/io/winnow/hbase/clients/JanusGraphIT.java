package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversal;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.structure.T;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.janusgraph.core.EdgeLabel;
import org.janusgraph.core.JanusGraph;
import org.janusgraph.core.JanusGraphFactory;
import org.janusgraph.core.JanusGraphTransaction;
import org.janusgraph.core.PropertyKey;
import org.janusgraph.core.schema.JanusGraphManagement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * JanusGraph on tables with {@code winnow.filter} alone: traversals, queries of indexes, deletes,
 * edges that expire, a split and compactions. Each answer is that of a graph with HBase's filters,
 * and reads as many blocks.
 */
@Tag("clients")
class JanusGraphIT {
  private static final int FILES = 5;
  private static final int PEOPLE = 30 * FILES;
  private static final int CITIES = 10;
  private static final int RUNS = 12;

  private final Map<TableName, JanusGraph> graphs = new HashMap<>();
  private final Map<TableName, List<Object>> ids = new HashMap<>();
  private PhoenixHBase hbase;
  private TwoTables tables;

  private void open(TableName table, boolean winnow) throws Exception {
    JanusGraph graph =
        JanusGraphFactory.build()
            .set("storage.backend", "hbase")
            .set("storage.hostname", "127.0.0.1")
            .set(
                "storage.port",
                hbase.admin().getConfiguration().getInt("hbase.zookeeper.property.clientPort", 0))
            .set("storage.hbase.table", table.getNameAsString())
            .open();
    graphs.put(table, graph);
    ids.put(table, new ArrayList<>());
    JanusGraphManagement schema = graph.openManagement();
    PropertyKey name = schema.makePropertyKey("name").dataType(String.class).make();
    PropertyKey city = schema.makePropertyKey("city").dataType(String.class).make();
    schema.makePropertyKey("age").dataType(Integer.class).make();
    schema.makeEdgeLabel("knows").make();
    schema.makeEdgeLabel("likes").make();
    EdgeLabel met = schema.makeEdgeLabel("met").make();
    schema.setTTL(met, Duration.ofSeconds(1));
    EdgeLabel visits = schema.makeEdgeLabel("visits").make();
    schema.setTTL(visits, Duration.ofDays(1));
    schema.buildIndex("byName", Vertex.class).addKey(name).unique().buildCompositeIndex();
    schema.buildIndex("byCity", Vertex.class).addKey(city).buildCompositeIndex();
    schema.commit();
    if (winnow) {
      TableDescriptor old = hbase.admin().getDescriptor(table);
      TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(old);
      for (ColumnFamilyDescriptor family : old.getColumnFamilies()) {
        changed.modifyColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(family)
                .setConfiguration("winnow.filter", "bumped-ribbon")
                .build());
      }
      hbase.admin().modifyTable(changed.build());
    }
  }

  private void flush() throws Exception {
    for (TableName table : graphs.keySet()) {
      hbase.flush(table.getNameAsString());
    }
  }

  /** Adds people, who know and like some of those who are there, and makes a file of them. */
  private void add(int from, int to) throws Exception {
    for (TableName table : graphs.keySet()) {
      List<Object> known = ids.get(table);
      JanusGraphTransaction tx = graphs.get(table).newTransaction();
      for (int i = from; i < to; i++) {
        Vertex person =
            tx.addVertex(
                T.label, "vertex", "name", "p" + i, "city", "c" + i % CITIES, "age", i * 7 % 90);
        known.add(person.id());
        for (int j = 1; j <= 4 && i > 0; j++) {
          Vertex other = tx.traversal().V(known.get(i * 31 * j % i)).next();
          person.addEdge(j < 3 ? "knows" : "likes", other);
        }
      }
      tx.commit();
    }
    flush();
  }

  private void change(Change change) throws Exception {
    for (TableName table : graphs.keySet()) {
      JanusGraphTransaction tx = graphs.get(table).newTransaction();
      change.on(tx.traversal());
      tx.commit();
    }
  }

  /** A change of a graph. */
  @FunctionalInterface
  private interface Change {
    void on(GraphTraversalSource graph);
  }

  private TwoTables.Read compare(
      String what, BiFunction<GraphTraversalSource, Integer, GraphTraversal<?, ?>> query)
      throws Exception {
    return tables.compare(
        what,
        RUNS,
        (table, run) -> {
          JanusGraphTransaction tx = graphs.get(table).newTransaction();
          try {
            List<String> found = new ArrayList<>();
            query.apply(tx.traversal(), run * 11).forEachRemaining(x -> found.add(x.toString()));
            Collections.sort(found);
            return found;
          } finally {
            tx.rollback();
          }
        });
  }

  /** Compares all queries, none of which reads more than with HBase's filters, but a little. */
  private void queries(String when) throws Exception {
    List<TwoTables.Read> reads =
        List.of(
            compare(when + ": by name", (g, i) -> g.V().has("name", "p" + i).values("city", "age")),
            compare(when + ": by a name that nobody has", (g, i) -> g.V().has("name", "q" + i)),
            compare(
                when + ": by city", (g, i) -> g.V().has("city", "c" + i % CITIES).values("name")),
            compare(
                when + ": by city, with an age",
                (g, i) -> g.V().has("city", "c" + i % CITIES).has("age", P.gt(40)).values("name")),
            compare(
                when + ": out", (g, i) -> g.V().has("name", "p" + i).out("knows").values("name")),
            compare(when + ": in", (g, i) -> g.V().has("name", "p" + i).in("likes").values("name")),
            compare(
                when + ": two hops",
                (g, i) -> g.V().has("name", "p" + i).both().both().dedup().values("name")),
            compare(when + ": edges", (g, i) -> g.V().has("name", "p" + i).bothE().count()));
    for (TwoTables.Read read : reads) {
      assertTrue(
          read.winnow().blocks() <= read.stock().blocks() * 1.1 + 0.3, () -> when + ": " + read);
    }
    assertTrue(reads.get(0).winnow().filterQueries() > 0, () -> when + ": " + reads.get(0));
    assertTrue(reads.get(0).rows() > RUNS, () -> when + ": " + reads.get(0));
    compare(when + ": the whole graph", (g, i) -> g.V().values("name"));
    compare(when + ": all visits", (g, i) -> g.E().hasLabel("visits").count());
  }

  @Test
  void graphIsLoadedChangedAndSplit() throws Exception {
    hbase = PhoenixHBase.shared();
    tables =
        new TwoTables(
            hbase, "JanusGraph", TableName.valueOf("janusB"), TableName.valueOf("janusW"));
    open(tables.stock(), false);
    open(tables.winnow(), true);
    try {
      for (int i = 0; i < FILES; i++) {
        add(i * PEOPLE / FILES, (i + 1) * PEOPLE / FILES);
      }
      queries("written");
      assertEquals("", hbase.settingsForScans(tables.stock().getNameAsString()));

      change(g -> g.V().has("name", P.within("p9", "p18", "p77")).drop().iterate());
      change(g -> g.V().has("name", "p11").outE("knows").drop().iterate());
      change(g -> g.V().has("name", "p22").property("city", "moved").iterate());
      change(
          g -> {
            Vertex one = g.V().has("name", "p33").next();
            one.addEdge("visits", g.V().has("name", "p44").next());
            one.addEdge("met", g.V().has("name", "p55").next());
          });
      flush();
      awaitNobodyMet();
      queries("changed");

      for (TableName table : graphs.keySet()) {
        hbase.splitFirst(table.getNameAsString());
      }
      assertTrue(hbase.hasReferences(tables.winnow().getNameAsString()));
      queries("split");
      for (TableName table : graphs.keySet()) {
        hbase.majorCompact(table.getNameAsString());
      }
      queries("compacted");
      TwoTables.Read visits =
          compare("visits", (g, i) -> g.V().has("name", "p33").out("visits").values("name"));
      assertEquals(RUNS, visits.rows());
    } finally {
      graphs.values().forEach(JanusGraph::close);
    }
  }

  private void awaitNobodyMet() throws InterruptedException {
    for (JanusGraph graph : graphs.values()) {
      long met = 1;
      for (int tries = 0; met > 0; tries++) {
        assertTrue(tries < 6000, "edges do not expire"); // after ten minutes
        TimeUnit.MILLISECONDS.sleep(100);
        JanusGraphTransaction tx = graph.newTransaction();
        met = tx.traversal().V().has("name", "p33").out("met").count().next();
        tx.rollback();
      }
    }
  }
}

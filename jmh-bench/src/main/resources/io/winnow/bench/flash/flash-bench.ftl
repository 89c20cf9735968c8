<#-- docs/flash-bench.md. What was asked of the structures on flash stands in the first section, what was measured in the others. -->
<#function of structure workload metric><#return median("flash.run", metric, "structure", structure, "workload", workload)></#function>
<#function setup metric><#return median("flash.setup", metric)></#function>
<#function ran structure workload><#return isNumber(of(structure, workload, "lost"))></#function>
<#-- Those that ran this, in the order in which they are always named. -->
<#function structures workload>
  <#return ["plain-bloom", "elevator-bloom", "buffered-bloom", "cascade", "bufferhash", "berkeleydb-je", "rocksdb-bloom", "rocksdb-ribbon"]
      ?filter(one -> ran(one, workload))>
</#function>
<#function figure structure workload metric decimals><#return number(of(structure, workload, metric), decimals)></#function>
<#function mebibytes structure workload metric><#return number(of(structure, workload, metric) / 1048576, 1)></#function>
<#-- Of inserts, and of lookups. -->
<#function latencies structure workload>
  <#return [figure(structure, workload, "insertP50Micros", 1), figure(structure, workload, "insertP99Micros", 1),
      figure(structure, workload, "insertP999Micros", 1), figure(structure, workload, "insertMaxMicros", 0),
      percent(of(structure, workload, "insertBelow100Micros"), 2), figure(structure, workload, "lookupP50Micros", 1),
      figure(structure, workload, "lookupP99Micros", 1), figure(structure, workload, "lookupP999Micros", 1),
      figure(structure, workload, "lookupMaxMicros", 0)]>
</#function>
<#assign set = "build and probe", buffered = "buffered-bloom", plain = "plain-bloom", wan = "WAN optimizer",
    fourTimes = "build and probe, in memory, 4 x the memory", twice = "build and probe, in memory, 2 x the memory",
    twiceOfTwo = twice + ", 2 hash functions", ofThree = set + ", 3 hash functions",
    sweep = [set + ", memory x 0.25", set + ", memory x 0.50", set, set + ", memory x 2", set + ", memory x 4"],
    mixes = [wan, "lookups, share 0", "lookups, share 0.5", "lookups, share 1"]>
# Sets and maps on flash, side by side

<!-- Made by `./winnow flash bench --report` from the results named below. Do not edit. -->

${facts("jmh-bench/results/" + resultsFile)?trim}
| structures | ${number(setup("memoryBytes") / 1048576, 1)} MiB of memory each; ${number(setup("buildKeys"), 0)} keys in a set, <#rt>
<#lt>${number(setup("mapEntries"), 0)} entries in a map; ${(setup("direct") == 1)?then("direct", "buffered")} I/O |

[flash.md](flash.md) says which one is for what. Here they stand on one drive with one amount of
memory, beside what a user would take today: BerkeleyDB Java Edition and RocksDB.
`./winnow flash bench` makes such a run on your drive, in some ten minutes; `--scale` makes it
smaller or larger, in keys, memory and flash alike.
<@section title="Asked and measured">
The bounds are for a run at scale 1; a smaller one is held to them too, and may say little. *Time*
is that of all inserts and all probes, until the last answer. The memory of the Bloom filters in
memory is theirs alone; that of the buffered one includes its buffers and its requests. BufferHash is
held against its peers by the time of its inserts and lookups in the WAN optimizer's mix, of which
each is one lookup and, if nothing was found, one insert; and against JE by its inserts alone, too.
A long table shows only the goals that were missed or are uncertain.

What was asked for lookups beside JE is more than a drive gives that writes without holding up its
reads. 40 % of the lookups find their key, and each of these reads a page of flash in every one of
these maps; BufferHash reads nothing else, JE some pages of its tree. In 2010 a lookup of
BerkeleyDB waited behind random writes, for 4.6 ms. In the mix JE inserts where it has just looked
up, so that the page is in its cache. RocksDB reads about as often as BufferHash does.
<@targets>
<@atMost what="buffered Bloom, 2 hash functions: false-positive rate, %" asked=0.25 of=100 * of(buffered, set, "falsePositiveRate") decimals=3/>
<@atMost what="plain Bloom in memory, 3 hash functions: false-positive rate, %" asked=0.25 decimals=3
    of=100 * of(plain, fourTimes, "falsePositiveRate")/>
<@atMost what="buffered Bloom at that rate: memory over the plain one's" asked=0.25 decimals=3
    of=of(buffered, set, "memoryBytes") / of(plain, fourTimes, "memoryBytes")/>
<@atMost what="buffered Bloom at that rate: time over the plain one's" asked=1 of=of(buffered, set, "seconds") / of(plain, fourTimes, "seconds")/>
<#list [["3 and 2 hash functions: 7.0 by formula", twice, set], ["2 and 2: 13.9 by formula", twiceOfTwo, set],
    ["3 and 3: 47 by formula", twice, ofThree]] as at>
<@atLeast what="false positives, plain Bloom in twice the memory over buffered Bloom, ${at[0]}" asked=10 decimals=1
    of=of(plain, at[1], "falsePositiveRate") / of(buffered, at[2], "falsePositiveRate")/>
</#list>
<#list [["insert", "insertReadBytes"], ["probe", "lookupReadBytes"]] as at>
<@atLeast what="buffered Bloom: bytes read per ${at[0]} with a quarter of the memory, over those with all of it" asked=3
    of=of(buffered, sweep[0], at[1]) / of(buffered, sweep[2], at[1])/>
</#list>
<#list [750, 1500] as millis>
<#assign waits = "deferred probes, t_max ${millis} ms", longest = of(buffered, waits, "longestRequestMillis")>
<@atMost what="buffered Bloom, t_max ${millis} ms: the longest wait, ms; with the longest request" decimals=1
    asked=millis + isNumber(longest)?then(longest, 0) of=of(buffered, waits, "longestWaitMillis")/>
</#list>
<#-- An entry has 8 bytes of key and 24 of value. -->
<@atLeast what="maps: keys and values over memory" asked=8 of=32 * of("bufferhash", wan, "keys") / of("bufferhash", wan, "memoryBytes")/>
<#list [["berkeleydb-je", "inserts", wan, 50], ["berkeleydb-je", "lookups", wan, 50], ["berkeleydb-je", "inserts", "lookups, share 0", 50],
    ["rocksdb-bloom", "inserts", wan, 5], ["rocksdb-bloom", "lookups", wan, 1],
    ["rocksdb-ribbon", "inserts", wan, 5], ["rocksdb-ribbon", "lookups", wan, 1]] as at>
<@atLeast what="bufferhash over ${at[0]}: ${at[1]} per second, ${at[2]}" asked=at[3] decimals=1
    of=of("bufferhash", at[2], at[1] + "PerSecond") / of(at[0], at[2], at[1] + "PerSecond")/>
</#list>
<#list [wan, "lookups, share 0"] as workload>
<@atLeast what="bufferhash, ${workload}: inserts below 0.1 ms, %" asked=99 of=100 * of("bufferhash", workload, "insertBelow100Micros")/>
</#list>
<#-- The rate is the one that its layout says: false positives of all filters that a lookup asks. -->
<#assign rate = setup("bufferHashFalseReadsByLayout")>
<#if isNumber(rate)>
<#list [["finds its key", "lookups of present keys", 1], ["finds nothing", "lookups of absent keys", 0]] as at>
<#assign lookups = of("bufferhash", at[1], "lookups")>
<@atMost what="bufferhash: pages read by a lookup that ${at[0]}; with 3 sampling errors" decimals=5
    asked=at[2] + rate + isNumber(lookups)?then(3 * sqrt(rate / lookups), 0) of=of("bufferhash", at[1], "lookupReads")/>
</#list>
</#if>
<@atMost what="keys lost and wrong values, of all structures" asked=0 of=has("flash.run")?then(lost, notANumber()) decimals=0/>
</@targets>
</@section>
<@section title="Drive and settings">
The drive was measured first, with the page store of ours. The structures have the same directory and
the same memory: buffers, caches, filters and memtables together.

*Direct I/O*: ours and RocksDB have it, for its flushes and compactions too. JE has none. So the
bench has the system drop all that JE read from the page cache four times a second (`posix_fadvise`,
by `dd`), and writes JE's changed pages to the drive once a second, so that they are dropped too.
What it reads twice within a quarter of a second comes from memory beyond its own, some MiB of it,
which is in its favour.<#if setup("jeOutOfPageCache") == 0> In this run the system did not do so: JE's reads may have come from memory.</#if>

*Durability*: no structure syncs in these runs. BufferHash, the cascade and the Bloom filters have no
log here, RocksDB's is off. JE's log is its data; nothing of it is synced, as with `COMMIT_NO_SYNC`.
JE has no transactions and no locks here, values within its leaves, reads of 8 KiB so that
a leaf takes one, and its cleaner and checkpointer running. RocksDB has a quarter of the memory for two memtables; its block cache has the rest, with
indexes and filters (ten bits per key, Bloom or as good a Ribbon); blocks of 4 KiB, no compression.

*Licences*: BerkeleyDB Java Edition (`com.sleepycat:je`) is under the Apache License 2.0, RocksDB
(`org.rocksdb:rocksdbjni`) under the Apache License 2.0 or the GPL 2.0. They are on the class path of
this benchmark alone, and in no jar that we build.
<@table title="the drive and the settings" header=["", ""]>
<#list [["random reads of 4 KiB per second, one at a time", "pageReadsPerSecond", 0],
    ["random reads of 4 KiB per second, 16 at a time", "pageReadsPerSecondAtDepth16", 0],
    ["reads of 1 MiB, MB/s", "largeReadMegabytesPerSecond", 0], ["writes of 1 MiB, MB/s", "largeWriteMegabytesPerSecond", 0],
    ["the longest of them, ms", "longestLargeRequestMillis", 2], ["scale", "scale", 2],
    ["entries of a map before it is measured", "mapEntries", 0], ["keys of a peer's set", "peerKeys", 0],
    ["BufferHash: super tables", "bufferHashSuperTables", 0], ["BufferHash: incarnations of each", "bufferHashIncarnations", 0],
    ["BufferHash: pages that a lookup reads in vain, by its layout", "bufferHashFalseReadsByLayout", 5],
    ["BufferHash: incarnations evicted", "bufferHashEvicted", 0],
    ["BufferHash: seconds that inserts waited", "bufferHashWaitedSeconds", 2]]?filter(at -> isNumber(setup(at[1]))) as at>
<@row cells=[at[0], number(setup(at[1]), at[2])]/>
</#list>
</@table>
</@section>
<@section title="Sets">
The work of Canim et al.: build from keys, then probe, with the same memory and at a false-positive
rate of 0.25 % or less, where a rate can be chosen. *plain-bloom* and *elevator-bloom* are on flash
here; they begin full, with random bits, as one insert takes as long as any other. *cascade* takes
all keys. *buffered-bloom* takes all keys, and answers later than it is asked; the others answer at
once, one lookup at a time. The peers are exact. They have a tenth of the keys, which is in their
favour: to load all would take too long. JE was loaded in the order of the keys, and then measured
at random. Bytes of ours are those of their requests; those of the peers are what Linux counts of the
process. A latency of the cascade's inserts is that of 8 in a row, one of
the buffered Bloom filter's that of a call with 1,024 keys; how long its answers take is further down.
<@table title="build and probe" header=["structure", "keys", "inserts/s", "bytes read and written per insert", "lookups/s, absent keys",
    "bytes read per lookup", "false positives", "lost", "bits per key on flash"]>
<#list structures(set) as one>
<@row cells=[one, figure(one, set, "keys", 0), figure(one, set, "insertsPerSecond", 0),
    figure(one, set, "insertReadBytes", 0) + " + " + figure(one, set, "insertWrittenBytes", 0), figure(one, set, "lookupsPerSecond", 0),
    figure(one, set, "lookupReadBytes", 0), percent(of(one, set, "falsePositiveRate"), 3), figure(one, set, "lost", 0),
    number(8 * (of(one, set, "flashBytes") / of(one, set, "keys")), 1)]/>
</#list>
</@table>
<#assign latency = ["insert p50", "p99", "p99.9", "max", "below 0.1 ms", "lookup p50", "p99", "p99.9", "max"]>
<@table title="latency of inserts and lookups, microseconds" header=["structure"] + latency>
<#list structures(set)?filter(one -> isNumber(of(one, set, "insertP50Micros"))) as one><@row cells=[one] + latencies(one, set)/></#list>
</@table>
<#if structures(set)?has_content>
<@bars name="flash-sets" log=true title="Sets on flash, same memory" x="one thread; buffered-bloom answers later than it is asked"
    y="operations per second" categories=["inserts", "lookups of absent keys"]>
<#list structures(set) as one>
<@series name=one values=[of(one, set, "insertsPerSecond"), of(one, set, "lookupsPerSecond")]/>
</#list>
</@bars>
</#if>
</@section>
<@section title="Buffered Bloom filter beside one in memory">
Table 2 of "Buffered Bloom Filters on Solid State Storage" (Canim et al., ADMS 2010), with its sizes
times the scale of the run: 50 million keys to build from and as many probes, half of them for
present keys. Two hash functions, 256 MB of flash and 32 MB of memory stand against three and 128 MB
of memory at the same rate, and against 64 MB. Keys are handed over 1,024 at a time to the filter on
flash. Their text says that the filter in 64 MB has at least ten times the false positives of the
one on flash. Their formula says 7.0 times for two hash functions against three (1.45 % and 0.207 %),
13.9 times for two against two, and 47 times for three against three. All of these are here. The
number of hash functions changes nothing in what is read and written.
<@table title="buffered Bloom filter on flash, plain Bloom filter in memory" header=["filter", "hash functions", "memory, MiB", "flash, MiB",
    "inserts/s", "probes/s", "seconds, both", "false positives", "lost"]>
<#list [[plain, fourTimes], [plain, twice], [plain, twiceOfTwo], [buffered, set], [buffered, ofThree]]?filter(at -> ran(at[0], at[1])) as at>
<#assign one = at[0], work = at[1]>
<@row cells=[(one == plain)?then("plain, in memory", "buffered, on flash"), figure(one, work, "hashFunctions", 0),
    mebibytes(one, work, "memoryBytes"), mebibytes(one, work, "flashBytes"), figure(one, work, "insertsPerSecond", 0),
    figure(one, work, "lookupsPerSecond", 0), figure(one, work, "seconds", 2), percent(of(one, work, "falsePositiveRate"), 4),
    figure(one, work, "lost", 0)]/>
</#list>
</@table>
</@section>
<@section title="Over the size of the buffer">
Figure 4 of Canim et al.: the same filter with two hash functions, and more or less memory. What is
read and written for an insert is in inverse proportion to it, and what is read for a probe as long
as blocks are full before t_max is over. Time is not, when the processor takes more of it than the
drive. Theirs was ahead of the filter in memory from a quarter of that one's
memory on.
<#assign there = sweep?filter(work -> ran(buffered, work))>
<@table title="memory of the buffered Bloom filter" header=["memory, MiB", "bytes read and written per insert", "bytes read per probe",
    "inserts/s", "probes/s", "seconds, both", "seconds, over the plain one's in memory", "lost"]>
<#list there as work>
<@row cells=[mebibytes(buffered, work, "memoryBytes"),
    figure(buffered, work, "insertReadBytes", 1) + " + " + figure(buffered, work, "insertWrittenBytes", 1),
    figure(buffered, work, "lookupReadBytes", 1), figure(buffered, work, "insertsPerSecond", 0), figure(buffered, work, "lookupsPerSecond", 0),
    figure(buffered, work, "seconds", 2), number(of(buffered, work, "seconds") / of(plain, fourTimes, "seconds"), 2),
    figure(buffered, work, "lost", 0)]/>
</#list>
</@table>
<#if there?has_content>
<@lines name="flash-buffer" title="Buffered Bloom filter: I/O per key over memory" x="memory, MiB" y="bytes"
    categories=there?map(work -> mebibytes(buffered, work, "memoryBytes"))>
<#list [["read per insert", "insertReadBytes"], ["written per insert", "insertWrittenBytes"], ["read per probe", "lookupReadBytes"]] as at>
<@series name=at[0] values=there?map(work -> of(buffered, work, at[1]))/>
</#list>
</@lines>
</#if>
</@section>
<@section title="Over the longest wait, t_max">
Figure 3 of Canim et al.: the time from when a probe was due until its answer. Probes come at one
pace in all rows, three tenths of what the filter takes when nothing holds it up. *In a block* is the
longest that a probe waited after it was handed over; it should be no more than t_max and one request
to the drive, the longest of which is beside it. All of the filter is read once in each t_max, as
probes wait for all of its pages, by one thread that answers them too. So a t_max in which this
thread cannot do so cannot be kept: shorter ones end where the thread is always at work. Theirs was
best at 750 ms.
<#assign waits = [10, 50, 100, 250, 500, 750, 1000, 1500]?map(millis -> {"millis": millis, "work": "deferred probes, t_max ${millis} ms"})
    ?filter(wait -> ran(buffered, wait.work))>
<@table title="t_max" header=["t_max, ms", "mean time to an answer, ms", "p50", "p99", "max", "longest in a block", "longest request",
    "bytes read per probe", "probes/s offered", "probes/s", "lost"]>
<#list waits as wait>
<@row cells=[wait.millis]
    + ["lookupMeanMicros", "lookupP50Micros", "lookupP99Micros", "lookupMaxMicros"]?map(metric -> number(of(buffered, wait.work, metric) / 1000, 1))
    + [figure(buffered, wait.work, "longestWaitMillis", 1), figure(buffered, wait.work, "longestRequestMillis", 1),
        figure(buffered, wait.work, "lookupReadBytes", 1), figure(buffered, wait.work, "offeredPerSecond", 0),
        figure(buffered, wait.work, "lookupsPerSecond", 0), figure(buffered, wait.work, "lost", 0)]/>
</#list>
</@table>
<#if waits?has_content>
<@lines name="flash-waits" log=true title="Deferred probes: the time to an answer" x="t_max, ms" y="milliseconds"
    categories=waits?map(wait -> wait.millis)>
<@series name="mean, from when it was due" values=waits?map(wait -> of(buffered, wait.work, "lookupMeanMicros") / 1000)/>
<@series name="longest in a block" values=waits?map(wait -> of(buffered, wait.work, "longestWaitMillis"))/>
</@lines>
</#if>
</@section>
<@section title="Maps">
The work of "Cheap and Large CAMs for High Performance Data-Intensive Networked Systems" (Anand et
al., NSDI 2010): entries of 8 bytes of key and 24 of value, which hold eight times the memory before
anything is measured. *WAN optimizer* asks for keys, 40 % of which are there, anywhere among all
entries, and inserts each that was not found. *Lookups, share s* draws each operation; 40 % of its
lookups find their key. One thread. *Inserts/s* and *lookups/s* are by the time of these operations
alone. The bytes are those of all operations of the mix and of what goes on in the background.
Requests of a peer are all of its process's calls to read, and some are answered by the page cache;
its bytes come from the drive. All figures of this page: [flash-runs.csv](plots/flash-runs.csv).
<@table title="mixes" header=["mix, structure", "operations/s", "inserts/s", "lookups/s", "mean insert, us", "mean lookup, us",
    "bytes read per operation", "bytes written", "lost or wrong"]>
<#list mixes as mix><#list structures(mix) as one>
<@row cells=["${mix}, ${one}", figure(one, mix, "operationsPerSecond", 0), figure(one, mix, "insertsPerSecond", 0),
    figure(one, mix, "lookupsPerSecond", 0), figure(one, mix, "insertMeanMicros", 2), figure(one, mix, "lookupMeanMicros", 1),
    figure(one, mix, "operationReadBytes", 0), figure(one, mix, "operationWrittenBytes", 0), figure(one, mix, "lost", 0)]/>
</#list></#list>
</@table>
<@table title="latency in the mixes, microseconds" header=["mix, structure"] + latency>
<#list mixes as mix><#list structures(mix) as one><@row cells=["${mix}, ${one}"] + latencies(one, mix)/></#list></#list>
</@table>
<#assign hits = "lookups of present keys", misses = "lookups of absent keys">
<@table title="lookups of one kind" header=["structure", "entries", "present keys/s", "p50, us", "requests each", "bytes read",
    "absent keys/s", "p50, us", "requests each", "bytes read", "bytes on flash per entry", "loaded, entries/s"]>
<#list structures(hits) as one>
<#assign cells = [one, figure(one, hits, "keys", 0)]>
<#list [hits, misses] as work>
<#assign cells += [figure(one, work, "lookupsPerSecond", 0), figure(one, work, "lookupP50Micros", 1), figure(one, work, "lookupReads", 4),
    figure(one, work, "lookupReadBytes", 0)]>
</#list>
<@row cells=cells + [number(of(one, hits, "flashBytes") / of(one, hits, "keys"), 1), figure(one, wan, "loadsPerSecond", 0)]/>
</#list>
</@table>
<#if structures(wan)?has_content>
<@bars name="flash-maps" log=true title="Maps on flash, same memory" x="operations per second of all, one thread" y="operations per second"
    categories=mixes>
<#list structures(wan) as one><@series name=one values=mixes?map(mix -> of(one, mix, "operationsPerSecond"))/></#list>
</@bars>
</#if>
</@section>

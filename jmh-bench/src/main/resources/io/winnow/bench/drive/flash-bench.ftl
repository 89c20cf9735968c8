<#-- docs/flash-bench.md. The first section has the targets, the others have the measurements. -->
<#function of structure workload metric><#return median("flash.run", metric, "structure", structure, "workload", workload)></#function>
<#function setup metric><#return median("flash.setup", metric)></#function>
<#function ran structure workload><#return isNumber(of(structure, workload, "lost"))></#function>
<#-- The structures that ran this workload, in their usual order. -->
<#function structures workload>
  <#return ["plain-bloom", "elevator-bloom", "buffered-bloom", "cascade", "bufferhash", "berkeleydb-je", "rocksdb-bloom", "rocksdb-ribbon"]
      ?filter(one -> ran(one, workload))>
</#function>
<#function figure structure workload metric decimals><#return number(of(structure, workload, metric), decimals)></#function>
<#function mebibytes structure workload metric><#return number(of(structure, workload, metric) / 1048576, 1)></#function>
<#-- Latencies of inserts, and of lookups. -->
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

This page compares Winnow's sets and maps with BerkeleyDB Java Edition and RocksDB, on one drive, with the same memory. [flash.md](flash.md)
says when to use each, [design/benches.md](design/benches.md#flash-benchmd) has the method.
`./winnow flash bench` makes such a run on your drive, in some ten minutes, and prints which goals it missed; `--scale` changes keys,
memory and flash alike.
<@section title="Goals and results" terminal=true>
The goals are for a run at scale 1. *Time* is that of all inserts and all probes, until the last answer. A long table shows only the
goals that were missed or are uncertain. A drive whose writes do not delay its reads cannot reach 50 times JE's lookups: 40 % of the
lookups find their key, and each of these reads a page of flash in every map. One thread inserts and looks up in turn, so that its inserts
per second depend on its lookups too.
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
<#-- The rate is computed from its layout: false positives of all filters that a lookup queries. -->
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
The drive is measured first. The structures have the same memory, and none syncs or has a log beyond its data. JE has no direct I/O:
the bench drops its files from the page cache four times a second.<#if setup("jeOutOfPageCache") == 0> In this run the system did not do so: JE's reads may have come from memory.</#if>
<@table title="the drive and the settings" header=["", ""] shown=false
    rows=[["random reads of 4 KiB per second, one at a time", "pageReadsPerSecond", 0],
    ["random reads of 4 KiB per second, 16 at a time", "pageReadsPerSecondAtDepth16", 0],
    ["reads of 1 MiB, MB/s", "largeReadMegabytesPerSecond", 0], ["writes of 1 MiB, MB/s", "largeWriteMegabytesPerSecond", 0],
    ["scale", "scale", 2],
    ["entries of a map before it is measured", "mapEntries", 0], ["keys of a peer's set", "peerKeys", 0],
    ["BufferHash: super tables", "bufferHashSuperTables", 0], ["BufferHash: incarnations of each", "bufferHashIncarnations", 0],
    ["BufferHash: unnecessary page reads of a lookup, by its layout", "bufferHashFalseReadsByLayout", 5],
    ["BufferHash: incarnations evicted", "bufferHashEvicted", 0],
    ["BufferHash: seconds that inserts waited", "bufferHashWaitedSeconds", 2]]?filter(at -> isNumber(setup(at[1])))?map(at -> [at[0],
    number(setup(at[1]), at[2])])/>
</@section>
<@section title="Sets">
Each structure is built from keys and then probed, with the same memory. Where a rate can be chosen, it is 0.25 % or less.
*buffered-bloom* answers after a while; the others answer at once, one lookup at a time. The peers are exact and have a tenth of the keys,
which is in their favour.
<@table title="build and probe" header=["structure", "keys", "inserts/s", "bytes read and written per insert", "lookups/s, absent keys",
    "bytes read per lookup", "false positives", "lost", "bits per key on flash"]
    rows=structures(set)?map(one -> [one, figure(one, set, "keys", 0), figure(one, set, "insertsPerSecond", 0),
    figure(one, set, "insertReadBytes", 0) + " + " + figure(one, set, "insertWrittenBytes", 0), figure(one, set, "lookupsPerSecond", 0),
    figure(one, set, "lookupReadBytes", 0), percent(of(one, set, "falsePositiveRate"), 3), figure(one, set, "lost", 0),
    number(8 * (of(one, set, "flashBytes") / of(one, set, "keys")), 1)])/>
<#assign latency = ["insert p50", "p99", "p99.9", "max", "below 0.1 ms", "lookup p50", "p99", "p99.9", "max"]>
<@table title="latency of inserts and lookups, microseconds" header=["structure"] + latency shown=false
    rows=structures(set)?filter(one -> isNumber(of(one, set, "insertP50Micros")))?map(one -> [one] + latencies(one, set))/>
</@section>
<@section title="Buffered Bloom filter beside one in memory">
Table 2 of Canim et al. (ADMS 2010): build from 50 million keys times the scale, then probe as many, half of them present.
<@table title="buffered Bloom filter on flash, plain Bloom filter in memory" header=["filter", "hash functions", "memory, MiB", "flash, MiB",
    "inserts/s", "probes/s", "seconds, both", "false positives", "lost"]>
<#list [[plain, fourTimes], [plain, twice], [plain, twiceOfTwo], [buffered, set], [buffered, ofThree]]?filter(at -> ran(at[0], at[1])) as at>
<#assign one = at[0], work = at[1]>
<@row shown=[fourTimes, twice, set]?seq_contains(work) cells=[(one == plain)?then("plain, in memory", "buffered, on flash"), figure(one,
    work, "hashFunctions", 0),
    mebibytes(one, work, "memoryBytes"), mebibytes(one, work, "flashBytes"), figure(one, work, "insertsPerSecond", 0),
    figure(one, work, "lookupsPerSecond", 0), figure(one, work, "seconds", 2), percent(of(one, work, "falsePositiveRate"), 4),
    figure(one, work, "lost", 0)]/>
</#list>
</@table>
</@section>
<@section title="Over the size of the buffer">
Figure 4 of Canim et al.: the same filter with two hash functions, and more or less memory.
<#assign there = sweep?filter(work -> ran(buffered, work))>
<@table title="memory of the buffered Bloom filter" header=["memory, MiB", "bytes read and written per insert", "bytes read per probe",
    "inserts/s", "probes/s", "seconds, both", "seconds, over the plain one's in memory", "lost"] shown=false
    rows=there?map(work -> [mebibytes(buffered, work, "memoryBytes"),
    figure(buffered, work, "insertReadBytes", 1) + " + " + figure(buffered, work, "insertWrittenBytes", 1),
    figure(buffered, work, "lookupReadBytes", 1), figure(buffered, work, "insertsPerSecond", 0), figure(buffered, work, "lookupsPerSecond", 0),
    figure(buffered, work, "seconds", 2), number(of(buffered, work, "seconds") / of(plain, fourTimes, "seconds"), 2),
    figure(buffered, work, "lost", 0)])/>
</@section>
<@section title="Over the longest wait, t_max">
Figure 3 of Canim et al.: probes come at three tenths of the filter's full speed, and the time counts from when a probe is due until its
answer. *Longest in a block* is the longest wait after the filter has the probe. It should be at most t_max plus the longest request. One
thread is too slow for the short waits.
<#assign waits = [10, 50, 100, 250, 500, 750, 1000, 1500]?map(millis -> {"millis": millis, "work": "deferred probes, t_max ${millis} ms"})
    ?filter(wait -> ran(buffered, wait.work))>
<@table title="t_max" header=["t_max, ms", "mean time to an answer, ms", "p50", "p99", "max", "longest in a block", "longest request",
    "bytes read per probe", "probes/s offered", "probes/s", "lost"] shown=false
    rows=waits?map(wait -> [wait.millis]
    + ["lookupMeanMicros", "lookupP50Micros", "lookupP99Micros", "lookupMaxMicros"]?map(metric -> number(of(buffered, wait.work, metric) / 1000, 1))
    + [figure(buffered, wait.work, "longestWaitMillis", 1), figure(buffered, wait.work, "longestRequestMillis", 1),
        figure(buffered, wait.work, "lookupReadBytes", 1), figure(buffered, wait.work, "offeredPerSecond", 0),
        figure(buffered, wait.work, "lookupsPerSecond", 0), figure(buffered, wait.work, "lost", 0)])/>
</@section>
<@section title="Maps">
Entries have 8 bytes of key and 24 of value; all together have eight times the memory. *WAN optimizer* looks up keys, finds 40 % of them, and
inserts the others. In *lookups, share s* each operation is a lookup with probability s, else an insert. One thread works. The bytes include
work in the background.
<@table title="mixes" header=["mix, structure", "operations/s", "inserts/s", "lookups/s", "mean insert, us", "mean lookup, us",
    "bytes read per operation", "bytes written", "lost or wrong"]>
<#list mixes as mix><#list structures(mix) as one>
<@row shown=(mix == wan) cells=["${mix}, ${one}", figure(one, mix, "operationsPerSecond", 0), figure(one, mix, "insertsPerSecond", 0),
    figure(one, mix, "lookupsPerSecond", 0), figure(one, mix, "insertMeanMicros", 2), figure(one, mix, "lookupMeanMicros", 1),
    figure(one, mix, "operationReadBytes", 0), figure(one, mix, "operationWrittenBytes", 0), figure(one, mix, "lost", 0)]/>
</#list></#list>
</@table>
<@table title="latency in the mixes, microseconds" header=["mix, structure"] + latency shown=false
    rows=joined(mixes?map(mix -> structures(mix)?map(one -> ["${mix}, ${one}"] + latencies(one, mix))))/>
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
</@section>

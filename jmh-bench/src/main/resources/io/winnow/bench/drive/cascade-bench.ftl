<#-- docs/cascade-bench.md. The first section has the targets, the others have the measurements. -->
<#assign page_local = "page-local Bloom">
<#function setup metric><#return median("cascade.setup", metric)></#function>
<#function ingest metric filter><#return median("cascade.ingest", metric, "filter", filter)></#function>
<#function lookup metric filter work><#return median("cascade.lookup", metric, "filter", filter, "work", work)></#function>
<#function mixSamples metric filter work repeats>
  <#return samples("cascade.mix", metric, "filter", filter, "work", work, "repeats", repeats)>
</#function>
<#function mix metric filter work repeats><#return medianOf(mixSamples(metric, filter, work, repeats))></#function>
<#-- Events per second over all sizes of the set: from the mean time of an event, because each size has as many events. -->
<#function mixPerSecond filter work repeats>
  <#return 1 / mean(mixSamples("perSecond", filter, work, repeats)?map(rate -> 1 / rate))>
</#function>
<#function mixPages filter work repeats><#return mean(mixSamples("pages", filter, work, repeats))></#function>
<#-- Pages that lookups read per second, over those that the drive reads in the same turn when nothing else runs. -->
<#function shareOfDrive filter work repeats>
  <#return paired(products(mixSamples("perSecond", filter, work, repeats), mixSamples("pages", filter, work, repeats)),
      mixSamples("drivePerSecond", filter, work, repeats))>
</#function>
<#-- Events per second over those of the page-local Bloom filter, size by size. -->
<#function overPageLocal filter work repeats>
  <#return paired(mixSamples("perSecond", filter, work, repeats), mixSamples("perSecond", page_local, work, repeats))>
</#function>
<#assign mixFilters = values("cascade.mix", "filter"), mixRepeats = values("cascade.mix", "repeats"), works = ["in batches", "one by one"]>
<#assign fanOut = median("cascade.mix-setup", "computedFanOut"), computed = "cascade, fan-out " + isNumber(fanOut)?then(fanOut, 0)?int>
<#assign keys = setup("keys"), memory = setup("memoryBytes"), rate = setup("rate")>
<#function isAbout value expected><#return (value >= expected * (1 - 0.00001)) && (value <= expected * (1 + 0.00001))></#function>
# Cascade filter and Bloom filters on flash

<!-- Made by `./winnow cascade bench --report` from the results named below. Do not edit. -->

${facts("jmh-bench/results/" + resultsFile)?trim}
| filters | ${number(keys, 0)} keys, ${number(memory / 1048576, 0)} MiB of memory each, false-positive rate ${percent(rate, 3)}, <#rt>
<#lt>${values("cascade.setup", "io")?seq_contains("DIRECT")?then("direct", "buffered")} I/O |

This page compares de-duplication with a cascade filter and with a page-local Bloom filter, and has inserts and lookups by themselves.
[design/benches.md](design/benches.md#cascade-benchmd) has the method. `./winnow cascade bench` makes such a run on your drive, in
less than 15 minutes, and prints which goals it missed; `--keys`, `--memory`, `--rate` and `--dir` change it.
<@section title="Goals and results" terminal=true>
The goals are for 500 million keys with 64 MiB at 0.04 %, and for de-duplication with an eighth of
both; other runs are judged by keys lost and by their false-positive rate. Bender et al. measured 8.59
billion keys with 256 MB on an X25-M of 2009: 670,000 inserts/s, 40 times the elevator Bloom filter's
and 3,200 times the plain one's, a third of a Bloom filter's lookups, and 6 % more time with
tombstones. A long table shows only the goals that were missed or are uncertain.
<@targets>
<#if isAbout(keys, 500000000) && isAbout(memory, 67108864) && isAbout(rate, 0.0004)>
<#assign inserts = ingest("perSecond", "cascade"), single = lookup("perSecond", "cascade", "absent")>
<@atLeast what="all levels on flash, in times the memory" asked=8 of=ingest("flashBytes", "cascade") / memory decimals=1/>
<@atLeast what="inserts per second" asked=4000000 of=inserts decimals=0/>
<@atLeast what="inserts per second over the elevator Bloom filter's" asked=40 of=inserts / ingest("perSecond", "elevator Bloom") decimals=0/>
<@atLeast what="inserts per second over the plain Bloom filter's" asked=3200 of=inserts / ingest("perSecond", "plain Bloom") decimals=0/>
<@atMost what="time per insert with tombstones over that without" asked=1.1 decimals=3
    of=inserts / ingest("perSecond", "cascade, tombstones")/>
<#list ["cascade", "cascade, tombstones"] as filter>
<@atMost what="${filter}: insert, p99.9, ms" asked=1 of=ingest("p999Micros", filter) * 0.001 decimals=3/>
<@atMost what="${filter}: insert, the longest, ms" asked=50 of=ingest("maxMicros", filter) * 0.001 decimals=1/>
</#list>
<@atMost what="pages read per absent lookup, over the number of levels" asked=1.01 decimals=4
    of=lookup("pages", "cascade", "absent") / lookup("levels", "cascade", "absent")/>
<@atLeast what="lookups one at a time over the plain Bloom filter's" asked=1 / 3
    of=single / lookup("perSecond", "plain Bloom", "absent")/>
<@atLeast what="batched lookups over lookups one at a time" asked=3 of=lookup("perSecond", "cascade", "absent, batched") / single/>
<#list mixRepeats as repeats>
<@atLeast what="de-duplication in batches, ${repeats} repeats: of the drive's page reads" asked=0.8
    of=shareOfDrive(computed, "in batches", repeats)/>
<@atLeast what="de-duplication in batches, ${repeats} repeats: over the page-local Bloom filter" asked=1
    of=overPageLocal(computed, "in batches", repeats)/>
</#list>
<#list [["one at a time", "absent"], ["in batches", "absent, batched"]] as how>
<@atLeast what="lookups ${how[0]} during inserts, over those at rest" asked=0.5
    of=lookup("perSecond", "cascade", how[1] + ", during inserts") / lookup("perSecond", "cascade", how[1])/>
</#list>
</#if>
<#list ["cascade", "cascade, tombstones"] as filter>
<#assign asked = lookup("operations", filter, "absent, batched")>
<#if isNumber(asked) && isNumber(rate)>
<@atMost what="${filter}: false-positive rate, percent; with 3 sampling errors" asked=100 * (rate + 3 * sqrt(rate * (1 - rate) / asked))
    of=100 * lookup("positives", filter, "absent, batched") / asked decimals=4/>
</#if>
</#list>
<@atMost what="keys lost" asked=0 of=(has("cascade.lookup") || has("cascade.mix"))?then(lost, notANumber()) decimals=0/>
</@targets>
</@section>
<#function mixSetup metric decimals><#return number(median("cascade.mix-setup", metric), decimals)></#function>
<@section title="De-duplication">
One thread looks up each event and then inserts it: one by one, or ${mixSetup("batch", 0)} at a time. All filters have
${number(median("cascade.mix-setup", "memoryBytes") / 1048576, 1)} MiB of memory and get ${mixSetup("keys", 0)} keys, ${mixSetup("memories", 0)} times what a level in memory holds. *Page-local Bloom* is
the buffered Bloom filter of [flash.md](flash.md) with answers at once. *Of the drive*
compares the pages that lookups read per second with those of a reader that does nothing else. Ratios have their 95 % interval.
<@table title="de-duplication, fan-out as computed" header=["repeats", "cascade, events/s", "page-local Bloom, events/s",
    "cascade over Bloom", "pages per event: cascade", "Bloom", "cascade, of the drive"]
    rows=joined(works?map(work -> mixRepeats?map(repeats -> ["${repeats}, ${work}", number(mixPerSecond(computed, work, repeats), 0),
    number(mixPerSecond(page_local, work, repeats), 0),
    interval(overPageLocal(computed, work, repeats)), number(mixPages(computed, work, repeats), 2),
    number(mixPages(page_local, work, repeats), 2), interval(shareOfDrive(computed, work, repeats))])))/>
<#list works as work>
<@table title="all filters, ${work}; times are those of ${(work == 'in batches')?then('a batch', 'an event')}" header=["filter, repeats",
    "events/s", "pages per event", "of the drive", "p50, us", "p99, us", "p99.9, us", "the longest, us", "new taken for repeats"]>
<#list mixFilters as filter><#list mixRepeats as repeats>
<#assign fresh = mix("fresh", filter, work, repeats)>
<@row cells=["${filter}, ${repeats}", number(mixPerSecond(filter, work, repeats), 0), number(mixPages(filter, work, repeats), 2),
    number(shareOfDrive(filter, work, repeats).median, 2)]
    + ["p50Micros", "p99Micros", "p999Micros", "maxMicros"]?map(metric -> number(mix(metric, filter, work, repeats), 0))
    + [percent((fresh == 0)?then(notANumber(), mix("mistaken", filter, work, repeats) / fresh), 3)]/>
</#list></#list>
</@table>
</#list>
<#if mixFilters?has_content>
<@bars name="cascade-mix" title="De-duplication: events per second, in batches"
    y="thousands of events per second; more is better" categories=mixRepeats?map(repeats -> repeats + " of the events are repeats")>
<#list mixFilters as filter>
<@series name=filter values=mixRepeats?map(repeats -> mixPerSecond(filter, "in batches", repeats) / 1000)/>
</#list>
</@bars>
</#if>
</@section>
<@section title="What a fan-out costs">
With a larger fan-out there are fewer levels: lookups read less, and merges write more. The lookups are of absent keys.
<#function fill metric filter><#return median("cascade.mix-fill", metric, "filter", filter)></#function>
<@table title="inserts without lookups" header=["filter", "inserts/s", "levels", "bytes written per key", "bits per key on the drive"]>
<#list values("cascade.mix-fill", "filter") as filter>
<@row shown=["cascade, fan-out 2", "cascade, fan-out 4", computed, page_local]?seq_contains(filter) cells=[filter, number(fill("perSecond", filter),
    0), number(mean(samples("cascade.mix-fill", "levels", "filter", filter)), 2),
    number(fill("writtenBytes", filter), 1), number(8 * (fill("flashBytes", filter) / fill("keys", filter)), 1)]/>
</#list>
</@table>
<@table title="lookups of absent keys, at rest and during inserts" header=["filter", "one at a time, at rest", "during inserts",
    "inserts/s meanwhile", "batched, at rest", "during inserts", "inserts/s meanwhile"]>
<#list values("cascade.mix-lookup", "filter") as filter>
<@row shown=[computed, "cascade, fan-out 4", page_local]?seq_contains(filter) cells=[filter] + [["absent", "perSecond"],
    ["absent, during inserts", "perSecond"], ["absent, during inserts", "insertsPerSecond"],
    ["absent, batched", "perSecond"], ["absent, batched, during inserts", "perSecond"],
    ["absent, batched, during inserts", "insertsPerSecond"]]?map(at ->
        number(median("cascade.mix-lookup", at[1], "filter", filter, "work", at[0]), 0))/>
</#list>
</@table>
<@table title="random pages of 4 KiB from the drive, checked, nothing else" header=["requests at once", "pages/s"] shown=false
    rows=values("cascade.drive", "depth")?map(depth -> [depth, number(median("cascade.drive", "perSecond", "depth", depth), 0)])/>
</@section>
<@section title="Inserts">
*Written over kept* is write amplification.
<#assign filters = values("cascade.ingest", "filter")>
<@table title="inserts" header=["filter", "inserts/s", "processor time, ns", "bytes written", "written over kept"]
    rows=filters?map(filter -> [filter, number(ingest("perSecond", filter), 0), number(ingest("cpuNanos", filter), 0),
    number(ingest("writtenBytes", filter), 1), number(ingest("writtenBytes", filter) / (ingest("flashBytes", filter) / keys), 1)])/>
<@table title="all of the inserts" header=["filter", "keys inserted", "inserts/s", "processor time, ns", "reads per insert", "writes per insert",
    "bytes read", "bytes written", "bytes kept", "written over kept", "paced, s", "settled, s"]>
<#list filters as filter>
<#assign kept = ingest("flashBytes", filter) / keys>
<@row shown=false cells=[filter, number(ingest("operations", filter), 0), number(ingest("perSecond", filter), 0), number(ingest("cpuNanos", filter),
    0),
    number(ingest("reads", filter), 4), number(ingest("writes", filter), 4), number(ingest("readBytes", filter), 1),
    number(ingest("writtenBytes", filter), 1), number(kept, 2), number(ingest("writtenBytes", filter) / kept, 1),
    number(ingest("pacedSeconds", filter), 1), number(ingest("settleSeconds", filter), 1)]/>
</#list>
</@table>
<@table title="insert latency, microseconds" header=["filter", "p50", "p99", "p99.9", "the longest"] shown=false
    rows=filters?map(filter -> [filter, number(ingest("p50Micros", filter), 1), number(ingest("p99Micros", filter), 1),
    number(ingest("p999Micros", filter), 1), number(ingest("maxMicros", filter), 0)])/>
<#function deletes metric filter><#return median("cascade.deletes", metric, "filter", filter)></#function>
<@table title="deletes" header=["filter", "keys deleted", "deletes/s", "p50, us", "p99.9, us", "the longest, us",
    "deleted and still found", "left and not found"] shown=false
    rows=values("cascade.deletes", "filter")?map(filter -> [filter, number(deletes("operations", filter), 0), number(deletes("perSecond", filter), 0),
    number(deletes("p50Micros", filter), 1), number(deletes("p999Micros", filter), 1), number(deletes("maxMicros", filter), 0),
    percent(lookup("positives", filter, "deleted") / lookup("operations", filter, "deleted"), 4),
    number(lookup("operations", filter, "left after deletes") - lookup("positives", filter, "left after deletes"), 0)])/>
<#-- The least and the most of a filter's inserts per second, over the keys that are there already. -->
<#assign buckets = filters?map(filter -> samples("cascade.ingest", "bucketSeconds", "filter", filter))>
<#function speeds seconds><#return seconds?map(each -> keys / seconds?size / each / 1000000)></#function>
<#if filters?has_content>
<@bars name="cascade-inserts" title="Inserts into a filter until it is full"
    y="millions of inserts per second; more is better; thin line: from the slowest part of the run to the fastest" categories=filters>
<@series name="" values=filters?map(filter -> ingest("perSecond", filter) / 1000000) from=buckets?map(seconds -> min(speeds(seconds)))
    to=buckets?map(seconds -> max(speeds(seconds)))/>
</@bars>
</#if>
</@section>
<@section title="Lookups">
After all inserts, with merges at rest, or while another thread inserts as fast as it can. *Batched* lookups are ${number(setup("batch"), 0)} at a
time, and their times are those of a batch. More reads per lookup make lookups slower.
<#assign filters = values("cascade.lookup", "filter")>
<@table title="lookups" header=["filter, keys", "lookups", "lookups/s", "reads per lookup", "p50, us", "p99, us", "p99.9, us", "found"]>
<#list filters as filter>
<#list ["absent", "absent, during inserts", "absent, batched", "absent, batched, during inserts", "present"] as work>
<#assign operations = lookup("operations", filter, work)>
<#if isNumber(operations)>
<#-- The reads of lookups alone, where something else reads at the same time. -->
<#assign pages = lookup("pages", filter, work), reads = isNumber(pages)?then(pages, lookup("reads", filter, work))>
<@row shown=(["absent", "absent, batched"]?seq_contains(work) && !filter?contains(", ")) cells=["${filter}, ${work}", number(operations, 0),
    number(lookup("perSecond", filter, work), 0), number(reads, 3)]
    + ["p50Micros", "p99Micros", "p999Micros"]?map(metric -> number(lookup(metric, filter, work), 0))
    + [percent(lookup("positives", filter, work) / operations, 4)]/>
</#if>
</#list>
</#list>
</@table>
</@section>
<#-- The keys that 10 TB of flash would hold, as Bender et al. 2011 computed them; and the figures of a run that this needs. -->
<#assign bytes = ingest("flashBytes", "cascade"), peak = ingest("peakBytes", "cascade"), perSecond = ingest("perSecond", "cascade"),
    missing = []>
<#list [["on the drive, in times the memory", 8, bytes / memory], ["levels on the drive", 2, ingest("levels", "cascade")],
    ["times each key was written, by merges", 4, ingest("rewrites", "cascade")], ["seconds of inserts", 20, ingest("seconds", "cascade")]]
    as need>
<#if !isNumber(need[2]) || (need[2] < need[1])>
<#assign missing += [[need[0], number(need[1], 0), number(need[2], 1)]]>
</#if>
</#list>
<#if values("cascade.setup", "io")?join("") != "DIRECT"><#assign missing += [["I/O", "direct", "buffered"]]></#if>
<#if isNumber(bytes) && isNumber(keys) && isNumber(peak) && isNumber(perSecond)>
<#if missing?has_content>
<@section title="What 10 TB of flash would hold">
Not computed: a run carries such an extrapolation only if nearly all of its keys are on the drive,
in several levels, by direct I/O, if merges wrote each key several times, and if it lasted long
enough for merges and drive to settle. A run with defaults does; or take more --keys.
<@table title="What 10 TB would hold: not computed" header=["not enough", "needed", "this run"]
    rows=missing?map(need -> need)/>
</@section>
<#else>
<@section title="What 10 TB of flash would hold">
This is computed from the figures above; memory grows in proportion to the keys of this run. Bender et al. computed 2,000 billion keys of 512 bytes, 1 PB,
at 0.04 % on 10 TB.
<#assign flash = 10000000000000.0, perKey = bytes / keys, room = (peak > bytes)?then(peak / bytes, 1.0)>
<#assign held = [flash / perKey, flash / perKey / room]>
<#assign rows = [["bits per key on the drive", 1, 8 * perKey, 8 * perKey * room],
    ["keys, billions", 0] + held?map(n -> n / 1000000000),
    ["data of keys of 512 bytes, PB", 2] + held?map(n -> n * 512 / 1000000000000000.0),
    ["days to insert them, at the rate of the run", 1] + held?map(n -> n / perSecond / 86400),
    ["memory in the proportion of the run, GB", 0, memory * flash / bytes / 1000000000, memory * flash / bytes / room / 1000000000],
    ["of it fences, 4 bytes per page of 16 KiB, GB", 1, flash / 16384 * 4 / 1000000000, flash / room / 16384 * 4 / 1000000000]]>
<@table title="10 TB" header=["", "full, merges at rest", "with room for merges"] shown=false
    rows=rows?map(line -> [line[0], number(line[2], line[1]), number(line[3], line[1])])/>
</@section>
</#if>
</#if>

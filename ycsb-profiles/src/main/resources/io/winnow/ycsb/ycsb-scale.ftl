<#-- docs/ycsb-scale.md, of a run of ./winnow ycsb --scale. -->
<#assign words = {"absent-batch": "batches of 20 absent rows", "mostly-absent": "Gets, 95 % of them of absent rows",
    "last-hour": "scans of the last hour of an entity", "present": "Gets of present rows", "half": "Gets, half of them of absent rows",
    "zipf": "Gets of rows of the largest file, by YCSB's Zipfian law",
    "prefix": "scans of all rows of an entity", "put-new": "`checkAndMutate` of new rows", "put-present": "`checkAndMutate` of present rows"},
    places = {"2ms": "2 ms a read", "20ms": "20 ms a read", "direct": "the drive, direct", "local": "the drive and the page cache"},
    launches = values("scaleReads", "launch"), numbered = launches?filter(launch -> launch?matches("\\d+"))>
<#function at case storage launch filter><#return ["case", case, "storage", storage, "launch", launch, "filter", filter]></#function>
<#function ours case><#return (case == "last-hour" || case == "prefix")?then("winnow-scans", "winnow")></#function>
<#function turns metric case storage launch filter><#return samples("scaleReads", metric,
    at(case, storage, launch, (filter == "winnow")?then(ours(case), filter)))></#function>
<#function over metric case storage launch>
  <#return paired(turns(metric, case, storage, launch, "winnow"), turns(metric, case, storage, launch, "stock"))>
</#function>
<#-- The medians of the launches of a primary figure. -->
<#function byLaunch metric case filter>
  <#return numbered?filter(one -> turns(metric, case, "2ms", one, filter)?has_content)?map(one -> medianOf(turns(metric, case, "2ms", one, filter)))>
</#function>
<#-- The primary figure: the smallest and the largest of the launches' ratios are its interval. -->
<#function primary metric case>
  <#local ratios = numbered?filter(one -> turns(metric, case, "2ms", one, "stock")?has_content)?map(one -> over(metric, case, "2ms", one).median)>
  <#return pairedAmong(ratios, ratios?map(one -> 1), 3)>
</#function>
<#function reads case storage launch filter decimals>
  <#return number(medianOf(turns("fileReadsPerOperation", case, storage, launch, filter)), decimals)>
</#function>
<#function allReads case filter><#return number(medianOf(byLaunch("fileReadsPerOperation", case, filter)), 3)></#function>
<#assign three = ["absent-batch", "mostly-absent", "last-hour"], asked = {"absent-batch": 2, "mostly-absent": 1.4, "last-hour": 5},
    asked20 = {"absent-batch": 3, "mostly-absent": 1.6, "last-hour": 5}>
<#function files metric filter><#return values("scaleFiles", "file")?map(file -> median("scaleFiles", metric, "filter", filter, "file", file))></#function>
<#function of metric filter><#return median("scaleFiles", metric, "filter", filter, "file", inFile)></#function>
<#assign keys = sum(files("keys", "stock")), stockBytes = sum(files("bytes", "stock")), ourBytes = sum(files("bytes", "winnow"))>
# YCSB: a large store on storage slower than memory

<!-- Made by `./winnow ycsb --report` from the results named below. Do not edit. -->

This page says how fast a real HBase reads from a store of ${number(keys / 1000000, 0)} million rows, with HBase's filters and with Winnow's,
when each read of a file takes 2 ms, as on HDFS, or 20 ms, as on an object store, or the time of the machine's own drive.

${facts("ycsb-profiles/results/" + resultsFile)?trim}

`./winnow ycsb --scale` makes such a run on your machine, in about two and a half hours; `--rows` and `--launches` make it shorter.
<@section title="Goals and results" terminal=true>
A ratio is operations per second over HBase's. An interval must lie above the goal, unless the row names one of its values.
<@targets>
<#list three as case>
<@atLeast what=words[case] + ", 2 ms a read" asked=asked[case] of=primary("operationsPerSecond", case)/>
</#list>
<#list three as case>
<@atLeast what=words[case] + ", 20 ms a read" asked=asked20[case] of=over("operationsPerSecond", case, "20ms", "other")/>
</#list>
<#list [["present", "other", "present rows, 2 ms a read"], ["put-present", "puts", "`checkAndMutate` of present rows"]] as one>
<@atLeast what=one[2] + ", the median" asked=0.97 of=over("operationsPerSecond", one[0], "2ms", one[1]).median/>
<@atLeast what=one[2] + ", the upper end of the interval" asked=1 of=over("operationsPerSecond", one[0], "2ms", one[1]).high/>
</#list>
<@atLeast what="present rows, the small cache" asked=1.2 of=over("operationsPerSecond", "present", "2ms", "small")/>
</@targets>
</@section>
<@section title="The three primary figures">
They were declared before the run. Each is of ${numbered?size} launches of server and client, and of ${turns("operationsPerSecond", "last-hour", "2ms", "1", "stock")?size}
rounds in each. A launch's ratio is the median of its rounds' ratios. The figure is the median of the launches, and its interval reaches
from the smallest launch to the largest (sign test)<#if numbered?size gte 7>: all three intervals hold together with 95 % certainty
(Bonferroni)</#if>. Each read waits 2 ms, without a limit of bandwidth, a queue or jitter. *Reads* are positional reads of files for each
operation. For scans, and only for them, Winnow has `winnow.scan.prefix` = `8` and `winnow.scan.segment` = `8,8`. The file of the last hour
fits into the block cache, so Winnow's scans of it hardly read files: their ratio grows with the delay. HBase's table has row filters.
Its prefix filter, and a scan with a range of timestamps, are not measured.
<@table title="operations per second, 2 ms a read" header=["", "HBase", "Winnow", "times as many", "reads, HBase", "Winnow"]
    rows=three?map(case -> [words[case], number(medianOf(byLaunch("operationsPerSecond", case, "stock")), 0),
    number(medianOf(byLaunch("operationsPerSecond", case, "winnow")), 0), interval(primary("operationsPerSecond", case)),
    allReads(case, "stock"), allReads(case, "winnow")])/>
<#assign ratios = three?map(case -> primary("operationsPerSecond", case))>
<@bars name="ycsb-scale" title="Operations per second on storage with 2 ms a read" base=1
    y="times as many as with HBase's filters (dashed line); thin line: smallest to largest of ${numbered?size} launches"
    categories=["20 absent rows", "95 % absent", "last hour"]>
<@series name="Winnow" values=ratios?map(one -> one.median) from=ratios?map(one -> one.low) to=ratios?map(one -> one.high)/>
</@bars>
</@section>
<#macro secondary title launch>
<@table title=title header=["", "storage", "HBase", "Winnow", "times as many", "reads, HBase", "Winnow"]>
<#list ["20ms", "2ms", "direct"] as storage><#list values("scaleReads", "case")?filter(case -> words[case]??) as case>
<#if turns("operationsPerSecond", case, storage, launch, "stock")?has_content>
<@row cells=[words[case], places[storage]] + ["stock", "winnow"]?map(filter -> number(medianOf(turns("operationsPerSecond", case, storage, launch,
    filter)), 0)) + [interval(over("operationsPerSecond", case, storage, launch))] + ["stock", "winnow"]?map(filter -> reads(case, storage,
    launch, filter, 3))/>
</#if>
</#list></#list>
</@table>
</#macro>
<@section title="Secondary figures">
<#assign single = launches?filter(launch -> !numbered?seq_contains(launch))>
<#if single?has_content>
Each is of one launch, with ${samples("scaleReads", "operationsPerSecond", "launch", single[0])?size} rounds; an interval is of these rounds, for this row alone. So a row of this
section proves less than one above.<#if single?seq_contains("plain")> The table without the short cut past the block cache shows
what comes from the filter itself: fewer reads of files, and a faster hash.</#if>
</#if>
<@secondary title="room for all filters: a block cache of three times the size of HBase's" launch="other"/>
<@secondary title="a small block cache: half the size of HBase's filters" launch="small"/>
<@secondary title="data blocks in a BucketCache off the heap" launch="bucket"/>
<@secondary title="Winnow without its short cut past the block cache" launch="plain"/>
<@secondary title="rows written if they are absent" launch="puts"/>
<#if turns("p50Micros", "arrivals", "2ms", "other", "stock")?has_content>
<@table title="single Gets at a fixed rate, half of them of absent rows: milliseconds" header=["", "HBase", "Winnow", "Winnow : HBase"]
    rows=[["p50Micros", "half"], ["p97Micros", "97 of 100"], ["p99Micros", "99 of 100"], ["p999Micros", "999 of 1,000"]]?map(one -> [one[1] + " within"]
    + ["stock", "winnow"]?map(filter -> number(medianOf(turns(one[0], "arrivals", "2ms", "other", filter)) / 1000, 2))
    + [interval(over(one[0], "arrivals", "2ms", "other"))]) + [["reads for each"] + ["stock", "winnow"]?map(filter -> reads("arrivals", "2ms", "other",
    filter, 3)) + [""]]/>
Of the Gets at a fixed rate, ${number(median("arrivals", "perSecond", "launch", "other"), 0)} are due in each second: half of what the slower table
answers without pauses. A latency counts from when a Get is due.
</#if>
</@section>
<#assign missing = [["20 ms a read", "absent-batch", "20ms", "other"], ["present rows", "present", "2ms", "other"], ["a fixed rate", "arrivals", "2ms",
    "other"], ["the drive alone", "present", "direct", "other"], ["Winnow without its short cut", "last-hour", "2ms", "plain"], ["a small block cache",
    "absent-batch", "2ms", "small"], ["a BucketCache", "absent-batch", "2ms", "bucket"], ["conditional writes", "put-present", "2ms", "puts"]]
    ?filter(one -> !turns("operationsPerSecond", one[1], one[2], one[3], "stock")?has_content)?map(one -> one[0])>
<#if missing?has_content>

This run was ended early. It has no figures of ${missing?join(", ")}.<#if missing?seq_contains("Winnow without its short cut")> Without those of Winnow
without its short cut, nobody can say which part of a gain comes from fewer reads.</#if>
</#if>
<@section title="The filters">
Winnow's filters take ${number(ourBytes / stockBytes, 2)} of the memory of HBase's; with the entities for scans among their keys,
${number(sum(files("bytes", "winnow-scans")) / stockBytes, 2)}.
<@table title="filters" header=["file", "rows", "bits per row, HBase", "Winnow", "for scans", "rate, HBase", "Winnow", "for scans"]>
<#list values("scaleFiles", "file") as file>
<#assign inFile = file, inAll = of("keys", "stock")>
<@row cells=[file?number + 1, number(inAll, 0)] + ["stock", "winnow", "winnow-scans"]?map(filter -> number(8 * of("bytes", filter) / inAll, 2))
    + ["stock", "winnow", "winnow-scans"]?map(filter -> percent(of("falsePositiveRate", filter), 3))/>
</#list>
<@row cells=["all; sum of rates", number(keys, 0)] + ["stock", "winnow", "winnow-scans"]?map(filter -> number(8 * sum(files("bytes", filter)) / keys, 2))
    + ["stock", "winnow", "winnow-scans"]?map(filter -> percent(sum(files("falsePositiveRate", filter)), 3))/>
</@table>
</@section>

## What is read

A row has a key of an entity, a time and an id (8, 8 and 9 bytes) and five columns of 20 bytes. All tables have one region, FAST_DIFF,
HBase's default block sizes, and the same rows: a file of 85 hours, two of 8 and 4, and four of one hour each. An entity has its rows in
sessions of 20, so a small file has few entities. The first file is loaded in bulk; the second and the third are loaded in halves, which
HBase merges, because a file that is loaded does not know its share of the store, and so has no rate by it. The small ones are flushed.
Winnow's table has `winnow.filter` = `bumped-ribbon` and defaults; scans read another table, with the two settings above too. The times are in
the keys alone. If they were the cells' timestamps too, a scan with a range of timestamps would skip files with HBase alone.

Two threads read. A turn begins with an empty block cache and a warm-up without delays. Every result is checked, and one difference ends
the run with exit code 2. All launches read the same tables.
<#assign stood = allSamples("scaleReads", "warmUpStood")>
<#function megabytes metric launch><#return number(median("scaleRun", metric, "launch", launch) / 1000000, 0) + " MB"></#function>
The block cache has ${megabytes("cacheBytes", launches[0])}<#if single?seq_contains("small")>, the small one ${megabytes("cacheBytes", "small")}</#if><#if
single?seq_contains("bucket")>; with a BucketCache it has ${megabytes("cacheBytes", "bucket")} on the heap, and
${megabytes("bucketCacheBytes", "bucket")} off it</#if>. Turns counted: ${stood?size}; made again:
${number(sum(allSamples("scaleReads", "repeats")), 0)}; warm-ups still rising: ${stood?filter(one -> one == 0)?size}; launches whose first rounds reached their maximum:
${launches?filter(launch -> samples("firstRounds", "stood", "launch", launch)?seq_contains(0))?size}.
[ycsb.md](ycsb.md#how-it-is-measured) says how turns are measured. Keys of 10, 50 and 300 bytes, as in the article about Lindorm, are read
there, from smaller tables.

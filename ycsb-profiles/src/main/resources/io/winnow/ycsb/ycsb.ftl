<#-- docs/ycsb.md; docs/ycsb-sweep.md, of a sweep over the size of the cache; docs/ycsb-stores.md, of a run on stores of several files.
     Each page is of one run: it has the sections that the run has figures for. -->
<#assign kinds = ["bloom", "ribbon", "bumped-ribbon"], policies = ["stock", "file", "store"]>
<#-- The turns of the contenders' tables that belong together: a benchmark, and its parameters "at". -->
<#function situation benchmark profile length more=[]>
  <#return {"benchmark": benchmark, "profile": profile, "length": length, "text": "${profile}, ${length}",
      "at": ["profile", profile, "keyLength", length] + more}>
</#function>
<#-- All turns that are not of a sweep, in the order of the run. -->
<#function situations benchmark>
  <#local all = []>
  <#if !values(benchmark, "cacheBytes")?has_content>
    <#list values(benchmark, "profile") as profile><#list values(benchmark, "keyLength") as length>
      <#if isNumber(median(benchmark, "rowsPerSecond", "profile", profile, "keyLength", length))>
        <#local all += [situation(benchmark, profile, length)]>
      </#if>
    </#list></#list>
  </#if>
  <#return all>
</#function>
<#function turns one metric filter><#return samples(one.benchmark, metric, one.at + ["filter", filter])></#function>
<#function middle one metric filter><#return medianOf(turns(one, metric, filter))></#function>
<#function figure one metric filter decimals><#return number(middle(one, metric, filter), decimals)></#function>
<#function over one metric filter base><#return paired(turns(one, metric, filter), turns(one, metric, base))></#function>
<#function rounds one filter><#return turns(one, "rowsPerSecond", filter)?size></#function>
<#assign reads = situations("reads"), lindorm = reads?filter(one -> one.profile == "lindorm")?map(one ->
    one + {"order": one.length?number})?sort_by("order")>
<#assign isSweep = values("reads", "cacheBytes")?has_content, isOfStores = has("storeReads"),
    page = isOfStores?then("ycsb-stores", isSweep?then("ycsb-sweep", "ycsb"))>
<#if isOfStores>
# YCSB: stores of several files
<#elseif isSweep>
# YCSB: where the gain begins and ends
<#else>
# YCSB: what a smaller filter does for reads
</#if>

<!-- Made by `./winnow ycsb --report` from the results named below. Do not edit. -->

<#-- The special settings of a run without --stores. Results from before the option --blocks do not have the sizes of blocks. -->
<#assign dataBlocks = median("run", "blockBytes"), indexBlocks = median("run", "indexBlockBytes"), areOld = dataBlocks?string == "NaN">
<#macro special>
**Not the defaults**: the tables are loaded in bulk, with one rate for all files of a store<#if areOld || dataBlocks < 65536>, data blocks of ${areOld?then("8", number(dataBlocks / 1024, 0))} KiB (HBase: 64)
and index blocks of ${areOld?then("4", number(indexBlocks / 1024, 0))} KiB (HBase: 128)</#if>. [ycsb-stores.md](ycsb-stores.md) has the defaults.
</#macro>
<#if isOfStores>
This page says how fast a real HBase reads from stores of one large file and several small ones, with HBase and Winnow as they come: the
servers wrote the files, and Winnow gave each its rate. YCSB reads the same rows from a table of each kind, in turns.
<#if median("storeRun", "blockBytes")?string == "NaN">
This run has data blocks of 8 KiB; HBase's default of 64 KiB was not measured.
</#if>
<#elseif isSweep>
This page says for which sizes of the block cache a real HBase reads faster with Winnow's filters than with its own Bloom filters. Three
tables have the same rows, and filters of one kind each: Bloom, ribbon, bumped-ribbon. YCSB reads the same rows from each, in turns.
<@special/>
<#else>
This page says how fast a real HBase reads with Winnow's filters, beside its own Bloom filters. Three tables have the same rows, and
filters of one kind each: Bloom, ribbon, bumped-ribbon. YCSB reads the same rows from each, in turns.
<@special/>
</#if>

${facts("ycsb-profiles/results/" + resultsFile)?trim}

<#assign command = isOfStores?then("./winnow ycsb --stores", isSweep?then("./winnow ycsb --sweep", "./winnow ycsb")),
    minutes = isOfStores?then("20", isSweep?then("10", "25"))>
`${command}` makes such a run on your machine, in about ${minutes} minutes; `./winnow ycsb --report` makes this page.
<#function filters metric filter length><#return median("filters", metric, "filter", filter, "keyLength", length)></#function>
<#function compactions time filter><#return samples("compaction", time, "filter", filter)></#function>
<@section title="Goals and results" terminal=true>
The goals of bumped-ribbon filters; a long table shows only those that were missed or are uncertain.
A ratio is the median of the rounds' ratios with its 95 % interval. It counts as reached with all of
the interval only. Fewer than six rounds carry no claim.
<#if !values("reads", "cacheBytes")?has_content>
<@targets>
<#list lindorm?filter(one -> rounds(one, "bloom") >= 6) as one>
<#assign what = "Lindorm's profile, ${one.length}-byte keys: ">
<#-- Lindorm's figures are the best of four lengths of keys: see docs/design/benches.md. -->
<@atLeast what=what + "throughput over stock Bloom's" asked=1 of=over(one, "rowsPerSecond", "bumped-ribbon", "bloom")/>
<@atLeast what=what + "throughput over stock Bloom's, as Lindorm published" asked=1.18
    of=over(one, "rowsPerSecond", "bumped-ribbon", "bloom")/>
<@atMost what=what + "mean latency over stock Bloom's, as Lindorm published" asked=0.85
    of=over(one, "meanMicros", "bumped-ribbon", "bloom")/>
<@atLeast what=what + "block-cache hit ratio over stock Bloom's" asked=1 of=over(one, "hitRatio", "bumped-ribbon", "bloom")/>
</#list>
<#list ["wall", "cpu"]?filter(time -> compactions(time + "Seconds", "bloom")?size >= 6) as time>
<@atMost what="major compaction, ${time} time over stock Bloom's" asked=1
    of=paired(compactions(time + "Seconds", "bumped-ribbon"), compactions(time + "Seconds", "bloom"))/>
</#list>
<#-- They are counted, not measured: there is no interval. -->
<#list values("filters", "keyLength") as length>
<@atMost what="filter bytes in the store files, ${length}-byte keys, over stock Bloom's" asked=0.71 decimals=3
    of=filters("bytes", "bumped-ribbon", length) / filters("bytes", "bloom", length)/>
</#list>
</@targets>
</#if>
</@section>
<#-- The lines of the gains: a situation, the contenders that are compared in it, and its name. -->
<#function bumped one name>
  <#return {"one": one, "name": name, "ours": "bumped-ribbon", "homogeneous": "ribbon", "base": "bloom"}>
</#function>
<#assign gains = lindorm?map(one -> bumped(one, one.text))
    + reads?filter(one -> one.profile != "lindorm")?map(one -> bumped(one, one.text))
    + situations("bucketReads")?map(one -> bumped(one, "BucketCache, ${one.length}"))>
<#function gain line metric><#return over(line.one, metric, line.ours, line.base)></#function>
<#-- A word for the interval of throughput, in a table with this number of rows. -->
<#function word one ours base rows>
  <#local among = pairedAmong(turns(one, "rowsPerSecond", ours), turns(one, "rowsPerSecond", base), rows)>
  <#if rounds(one, base) < 6><#return "too few rounds"></#if>
  <#if !among.hasInterval()><#return "exploratory"></#if>
  <#if among.isAbove(1)><#return "faster"></#if>
  <#if among.isBelow(1)><#return "**slower**"></#if>
  <#return (among.high - among.low <= 0.1 * among.median)?then("no difference", "undecided")>
</#function>
<#function verdict line><#return word(line.one, line.ours, line.base, gains?size)></#function>
<#assign words = [["faster", "Reads are faster with bumped-ribbon filters in"], ["no difference", "Reads are as fast in"],
    ["undecided", "This run does not decide"], ["**slower**", "Reads are slower in"],
    ["exploratory", "Too few draws for a claim in a table of this length (exploratory)"],
    ["too few rounds", "There are too few rounds for a claim in"]]>
<#function hotRows one>
  <#if ["uniform", "hit-only", "miss-only", "skewed"]?seq_contains(one.profile)>
    <#return notANumber()>
  </#if>
  <#return median((one.benchmark == "bucketReads")?then("bucketRun", "run"), "hotRows", one.at)>
</#function>
<@section title="What is gained, and where">
A ratio is throughput with Winnow's filters over that with HBase's Bloom filters in the same round: the median of the rounds, with its
95 % interval. More throughput is better, less CPU is better. A word stands for the whole table: all words together are right with 95 %
certainty. *Undecided* is an interval that holds 1 and is wider than 10 %. *lindorm* reads a few hot rows that fill the cache; *lindorm@4* has four times as many. *uniform* reads all rows equally often, *skewed* by YCSB's Zipfian law.
Half of the rows of *half-miss* and all of *miss-only* are absent. *read-mostly* writes too. *BucketCache* is *lindorm* with data blocks
in a BucketCache off the heap. [ycsb-sweep.md](ycsb-sweep.md) has more sizes of the cache.

<#list words as said>
<#assign names = gains?filter(line -> verdict(line) == said[0])?map(line -> line.name)>
<#if names?has_content>
${said[1]}: ${names?join("; ")}.
</#if>
</#list>
<@table title="gains" header=["profile, key length", "hot rows", "draws", "bumped : bloom, throughput", "",
    "bumped : bloom, server CPU per row"]>
<#list gains as line>
<@row shown=(line.one.profile == "lindorm" || ["uniform", "miss-only"]?seq_contains(line.one.profile))
    cells=[line.name, number(hotRows(line.one), 0), rounds(line.one, line.base), interval(gain(line, "rowsPerSecond")), verdict(line),
    interval(gain(line, "serverCpuMicrosPerRow"))]/>
</#list>
</@table>
<@table title="gains in blocks" header=["profile, key length", "ribbon : bloom, throughput", "bumped : bloom, blocks read per row", "hit ratio"]
    shown=false
    rows=gains?map(line -> [line.name, interval(over(line.one, "rowsPerSecond", line.homogeneous, line.base)),
    interval(gain(line, "blocksReadPerRow")), interval(gain(line, "hitRatio"))])/>
</@section>
<#-- A plot of what is measured with Winnow's filters over the same with HBase's. -->
<#macro ratioBars name title categories ratios y="times as many rows per second as">
<@bars name=name title=title base=1 y="${y} with HBase's filters (dashed line); thin line: interval of 95 %" categories=categories>
<#list ratios as filter, each>
<@series name=filter values=each?map(ratio -> ratio.median) from=each?map(ratio -> ratio.low) to=each?map(ratio -> ratio.high)/>
</#list>
</@bars>
</#macro>
<#macro overBloom name title all categories metric="rowsPerSecond" y="times as many rows per second as">
<@ratioBars name=name title=title categories=categories y=y ratios={"ribbon": all?map(one -> over(one, metric, "ribbon", "bloom")),
    "bumped-ribbon": all?map(one -> over(one, metric, "bumped-ribbon", "bloom"))}/>
</#macro>
<#macro ofLindorm name title metric y><#if lindorm?has_content>
<@overBloom name=name title=title all=lindorm categories=lindorm?map(one -> "keys of ${one.length} bytes") metric=metric y=y/>
</#if></#macro>
<@section title="Throughput and latency">
Medians over the rounds. Latency is that of a batch, one operation of the client.
<@table title="throughput, rows per second" header=["profile, key length", "bloom", "ribbon", "bumped-ribbon", "ribbon : bloom",
    "bumped : bloom"] shown=false
    rows=reads?map(one -> [one.text] + kinds?map(kind -> figure(one, "rowsPerSecond", kind, 0))
    + kinds[1..]?map(kind -> interval(over(one, "rowsPerSecond", kind, "bloom"))))/>
<@table title="latency of a batch, microseconds" header=["profile, key length, filter", "mean", "p50", "p95", "p99", "mean : bloom's",
    "p99 : bloom's", "server CPU, µs per row"]
    rows=joined(reads?map(one -> kinds?map(kind -> ["${one.text}, ${kind}"] + ["meanMicros", "p50Micros", "p95Micros", "p99Micros"]
    ?map(metric -> figure(one, metric, kind, 0))
    + ["meanMicros", "p99Micros"]?map(metric -> (kind == "bloom")?then("1", interval(over(one, metric, kind, "bloom"))))
    + [figure(one, "serverCpuMicrosPerRow", kind, 1)])))/>
<@ofLindorm name="ycsb-throughput" title="Batch reads, Lindorm's profile" metric="rowsPerSecond" y="times as many rows per second as"/>
<@ofLindorm name="ycsb-latency" title="Mean latency of a batch, Lindorm's profile" metric="meanMicros" y="times as long as"/>
</@section>
<@section title="Block cache and store files">
HBase's own counters, per requested row: hits, blocks read, files whose filters were *queried* and files that were *skipped*, false positives.
<@table title="block cache and store files" header=["profile, key length, filter", "hits, all", "data blocks", "filter blocks", "read",
    "queried", "skipped", "false positives"] shown=false
    rows=joined(reads?map(one -> kinds?map(kind -> ["${one.text}, ${kind}"] + ["hitRatio", "dataHitRatio", "filterHitRatio"]
    ?map(metric -> percent(middle(one, metric, kind), 2))
    + [figure(one, "blocksReadPerRow", kind, 3), figure(one, "filesAskedPerRow", kind, 2), figure(one, "filesSkippedPerRow", kind, 2),
        percent(middle(one, "falsePositiveRate", kind), 2)])))/>
<@ofLindorm name="ycsb-hits" title="Hit rate of the block cache, Lindorm's profile" metric="hitRatio" y="times the hit rate"/>
</@section>
<#macro turnsOf all title>
<@table title=title header=["profile, key length", "draws", "turns counted", "made again", "warm-up, s, median", "longest", "still rising"]>
<#local counted = 0, again = 0, rising = 0>
<#list all as one>
<#local filters = values(one.benchmark, "filter"), stood = [], warmUps = [], repeats = []>
<#list filters as filter>
<#local stood += turns(one, "warmUpStood", filter), warmUps += turns(one, "warmUpSeconds", filter), repeats += turns(one, "repeats", filter)>
</#list>
<#local still = stood?filter(stands -> stands == 0)?size, counted += stood?size, again += sum(repeats), rising += still>
<@row shown=false cells=[(one.benchmark == "bucketReads")?then("BucketCache, ", "") + one.text, turns(one, "warmUpStood", filters[0])?size,
    stood?size,
    number(sum(repeats), 0), number(medianOf(warmUps), 1), number(max(warmUps), 1), still]/>
</#list>
</@table>
<#-- After a restart, rounds of all tables warm up too, up to a maximum: store-hot is the first case of its run. -->
<#local capped = all?filter(one -> (samples("firstRounds", "stood", one.at)![])?seq_contains(0))>
Turns counted: ${counted}; made again: ${number(again, 0)}; warm-ups still rising: ${rising}.
<#list capped as one>
**Still rising**: the rounds that warm up after a restart reached their maximum of ${number(median("firstRounds", "rounds", one.at), 0)} before *${one.text}*,
so the first rounds that count may rise too.
</#list>
<#if !has("firstRounds")>
The run did not record whether the rounds that warm up after a restart reached their maximum.
</#if>
</#macro>
<@section title="How the turns went">
A turn is *made again* if the servers' counters do not add up. A warm-up ends when throughput does not rise any more; else it is *still
rising*.
<@turnsOf title="turns" all=reads + situations("bucketReads")/>
</@section>
<#if !isSweep>
<@section title="The filters in the files">
Figures are sums over a table's files, as in Lindorm's table. False positives are measured with keys that are in no file.
<@table title="filters" header=["", "size, bytes", "size : bloom's", "keys", "bits per key", "false positives"]>
<#list values("filters", "keyLength") as length><#list kinds as kind>
<#assign bytes = filters("bytes", kind, length), keys = filters("keys", kind, length)>
<@row shown=(length == "25") cells=["${length}-byte keys, ${kind}", number(bytes, 0), number(bytes / filters("bytes", "bloom", length), 2),
    number(keys, 0), number(8 * bytes / keys, 2), percent(filters("falsePositiveRate", kind, length), 2)]/>
</#list></#list>
<#-- Bytes, max keys and chunks that Lindorm published, of 9,999,833 keys: see docs/design/benches.md. -->
<#assign published = values("filters", "keyLength")?has_content?then([["bloom", 11993088, 10001499, 92], ["ribbon", 9043968, 10005000, 69]], [])>
<#list published as at>
<@row shown=false cells=["Lindorm's ${at[0]}, published", number(at[1], 0), number(at[1] / 11993088, 2), number(9999833, 0),
    number(8.0 * at[1] / 9999833, 2), "-"]/>
</#list>
</@table>
<#assign lengths = lindorm?map(one -> one.length)>
<#if lengths?has_content>
<@bars name="ycsb-size" title="Size of the filters" base=1 y="times the bytes of HBase's filters (dashed line)"
    categories=lengths?map(length -> "keys of ${length} bytes")>
<#list kinds[1..] as kind>
<@series name=kind values=lengths?map(length -> filters("bytes", kind, length) / filters("bytes", "bloom", length))/>
</#list>
</@bars>
</#if>
<@table title="chunks of these filters" header=["", "max keys", "filled", "chunks", "files, MB"]>
<#list values("filters", "keyLength") as length><#list kinds as kind>
<#assign most_keys = filters("maxKeys", kind, length)>
<@row shown=false cells=["${length}-byte keys, ${kind}", number(most_keys, 0), percent(filters("keys", kind, length) / most_keys, 0),
    number(filters("chunks", kind, length), 0), number(filters("fileBytes", kind, length) / 1048576, 0)]/>
</#list></#list>
<#list published as at>
<@row shown=false cells=["Lindorm's ${at[0]}, published", number(at[2], 0), "100 %", number(at[3], 0), "-"]/>
</#list>
</@table>
</@section>
</#if>
<@section title="Major compaction">
HBase merges a table's files into one; its limit on the speed of compactions is off. Seconds are medians. CPU time is that of the whole
server.
<#if has("compaction")>
Keys have ${values("compaction", "keyLength")?join(" and ")} bytes.
<@table title="major compaction, seconds" header=["", "bloom", "ribbon", "bumped-ribbon", "ribbon : bloom", "bumped : bloom"]
    rows=["wall", "cpu"]?map(time -> [time] + kinds?map(kind -> number(medianOf(compactions(time + "Seconds", kind)), 2))
    + kinds[1..]?map(kind -> interval(paired(compactions(time + "Seconds", kind), compactions(time + "Seconds", "bloom")))))/>
<#function compacted kind><#return ["wall", "cpu"]?map(time -> paired(compactions(time + "Seconds", kind), compactions(time + "Seconds", "bloom")))></#function>
<@ratioBars name="ycsb-compaction" title="Major compaction" categories=["time", "CPU time of the server"] y="times as long as"
    ratios={"ribbon": compacted("ribbon"), "bumped-ribbon": compacted("bumped-ribbon")}/>
</#if>
</@section>
<#assign caches = []>
<#list values("reads", "cacheBytes") as cache>
<#assign one = situation("reads", "lindorm", values("reads", "keyLength")[0], ["cacheBytes", cache])>
<#assign caches += [one + {"megabytes": number(parsed(cache) / 1048576, 1),
    "share": number(100 * median("filters", "bytes", "filter", "bloom") / parsed(cache), 0) + " %"}]>
</#list>
<@section title="Where the gain begins and ends">
The profile *lindorm*, with one length of keys and one number of hot rows, reads through caches of several sizes. *Share* is the part of the
cache that the stock Bloom filters take. A single row is exploratory.
<@table title="sweep" header=["share, cache", "bloom, rows/s", "bumped-ribbon, rows/s", "ribbon : bloom", "bumped : bloom", "bloom, hits",
    "bumped, hits", "bloom, read", "bumped, read"]>
<#list caches as one>
<#assign two = ["bloom", "bumped-ribbon"]>
<@row shown=[0, 2, 4, 5]?seq_contains(one?index) cells=["${one.share}, ${one.megabytes} MB"] + two?map(kind -> figure(one, "rowsPerSecond", kind, 0))
    + kinds[1..]?map(kind -> interval(over(one, "rowsPerSecond", kind, "bloom"))) + two?map(kind -> percent(middle(one, "hitRatio", kind), 2))
    + two?map(kind -> figure(one, "blocksReadPerRow", kind, 3))/>
</#list>
</@table>
<#if caches?has_content>
<@overBloom name="ycsb-sweep" title="Batch reads, by the size of the block cache" all=caches
    categories=caches?map(one -> "HBase's filters take ${one.share} of the cache")/>
</#if>
</@section>
<#assign inStores = situations("storeReads"), files = values("storeFiles", "file")>
<#function file metric policy number><#return median("storeFiles", metric, "filter", policy, "file", number)></#function>
<#function allFiles metric policy><#return sum(files?map(number -> file(metric, policy, number)))></#function>
<#function short one><#return one.profile?keep_after("-")></#function>
<#assign inRates = inStores?filter(one -> turns(one, "rowsPerSecond", "file")?has_content),
    inArrivals = inStores?filter(one -> one.profile == "store-arrivals"), closed = inStores?filter(one -> one.profile != "store-arrivals"),
    kindsOfReads = {"store-hot": "a few hot rows that fill the cache", "store-skewed": "popular rows, by YCSB's Zipfian law; 20 % absent",
        "store-absent": "absent rows", "store-present": "rows of the store, equally often", "store-mixed": "half of both",
        "store-cold": "half of both, files out of the page cache", "store-busy": "half of both, while a flush and a major compaction run",
        "store-bucket": "hot rows, data blocks in a BucketCache"}>
<@section title="Goals and results" terminal=true>
The goals of rates by store. A ratio is the median of the rounds' ratios with its 95 % interval.
It counts as reached with all of the interval only. Fewer than six rounds carry no claim.
<#if inRates?has_content>
<@targets>
<#list inRates?filter(one -> rounds(one, "stock") >= 6) as one>
<#if median("storeRun", "absent", "profile", one.profile) == 1>
<@atMost what="${short(one)} reads: false reads per Get, store over file" asked=0.45 of=over(one, "falseReadsPerRow", "store", "file")/>
<@atMost what="${short(one)} reads: data blocks read per Get, store over file" asked=0.45
    of=over(one, "dataBlocksReadPerRow", "store", "file")/>
</#if>
<@atLeast what="${short(one)} reads: throughput, store over file" asked=1 of=over(one, "rowsPerSecond", "store", "file")/>
</#list>
<@atMost what="filter bytes of the store, store over stock" asked=0.80 of=allFiles("bytes", "store") / allFiles("bytes", "stock") decimals=3/>
</@targets>
</#if>
</@section>
<#if isOfStores && median("storeRun", "blockBytes")?string != "NaN">
<@section title="Winnow over HBase, as they come">
<#function run metric><#return median("storeRun", metric, "profile", closed[0].profile)></#function>
Data blocks have ${number(run("blockBytes") / 1024, 0)} KiB, index blocks ${number(run("indexBlockBytes") / 1024, 0)} KiB. A store has
${number(run("files"), 0)} files of ${number(run("rows"), 0)} rows in all; the block cache has ${number(run("cacheBytes") / 1048576, 1)} MB, and stock's filters take
${number(100 * allFiles("bytes", "stock") / run("cacheBytes"), 0)} % of it. Compactions are off, but in *busy*, which has tables of its own. A ratio is Winnow's
throughput over HBase's in the same round, the median of the rounds with its 95 % interval: more is better; less CPU is better. A word
stands for the whole table: all words together are right with 95 % certainty. *Undecided* is an interval that holds 1 and is wider
than 10 %, *exploratory* has too few rounds for a table of this length.
<@table title="as they come" header=["", "reads", "rounds", "throughput", "", "server CPU per Get", "p99 of a batch"]
    rows=closed?map(one -> [short(one), kindsOfReads[one.profile], rounds(one, "stock"), interval(over(one, "rowsPerSecond", "store", "stock")),
    word(one, "store", "stock", closed?size)] + ["serverCpuMicrosPerRow", "p99Micros"]?map(metric -> interval(over(one, metric, "store", "stock"))))/>
<@table title="as they come, times" header=["", "Gets/s, stock", "Gets/s, Winnow", "mean latency of a batch, µs, stock", "Winnow",
    "false reads per Get, stock", "Winnow", "hits, stock", "Winnow", "bytes from the drive per Get, stock", "Winnow",
    "seconds of flush and compaction, stock", "Winnow"]>
<#list closed as one>
<#assign cells = [short(one)]>
<#list [["rowsPerSecond", 0], ["meanMicros", 0], ["falseReadsPerRow", 5], ["hitRatio", 4], ["driveBytesPerRow", 0], ["busySeconds", 2]] as at>
<#assign cells += ["stock", "store"]?map(policy -> figure(one, at[0], policy, at[1]))>
</#list>
<@row shown=false cells=cells/>
</#list>
</@table>
<#list inArrivals as one>
<#assign perSecond = median("arrivals", "perSecond", one.at)>
<@table title="single Gets at a fixed rate, microseconds" header=["", "stock", "Winnow", "Winnow : stock"]
    rows=[["p50Micros", "median"], ["p99Micros", "99 of 100"], ["p999Micros", "999 of 1,000"]]?map(at -> [at[1] + " within"] + ["stock", "store"]
    ?map(policy -> figure(one, at[0], policy, 0)) + [interval(over(one, at[0], "store", "stock"))])/>
In the last table ${number(perSecond, 0)} Gets are due in each second, half of them for absent rows: half of what the slower table answers in a closed
loop. A latency counts from when a Get is due. It has ${rounds(one, "stock")} rounds and is exploratory.
</#list>
</@section>
</#if>
<@section title="Stores of several files">
*stock* has HBase's Bloom filters. *file* and *store* have bumped-ribbon filters: *file* with one rate for all files (`winnow.error.rate.scope` = `file`), *store* with [rates by store](rates.md), the default. A
*false read* is an unnecessary file read: the filter said maybe, and the row is not there.
<#if inRates?has_content>
<#function beside one metric policy base><#return (policy == base)?then("1", interval(over(one, metric, policy, base)))></#function>
<@table title="reads" header=["reads, rates", "Gets/s", ": file's", ": stock's", "false reads per Get",
    ": file's"] shown=false
    rows=joined(inRates?map(one -> policies?map(policy -> ["${short(one)}, ${policy}", figure(one, "rowsPerSecond", policy, 0),
    beside(one, "rowsPerSecond", policy, "file"),
    beside(one, "rowsPerSecond", policy, "stock"), figure(one, "falseReadsPerRow", policy, 5),
    beside(one, "falseReadsPerRow", policy, "file")])))/>
<@table title="blocks and times of these reads" header=["reads, rates", "mean latency of a batch, µs", "data blocks read per Get",
    "filter blocks read per Get", "server CPU, µs per Get"] shown=false
    rows=joined(inRates?map(one -> policies?map(policy -> ["${short(one)}, ${policy}", figure(one, "meanMicros", policy, 0),
    figure(one, "dataBlocksReadPerRow", policy, 4),
    figure(one, "filterBlocksReadPerRow", policy, 4), figure(one, "serverCpuMicrosPerRow", policy, 1)])))/>
<#assign header = ["file", "keys"]>
<#list policies as policy><#assign header += ["${policy}, bits per key", "${policy}, rate"]></#list>
<@table title="the filters in the files" header=header>
<#list files as name>
<#assign cells = [(name == "0")?then("large", "small " + name), number(file("keys", "stock", name), 0)]>
<#list policies as policy>
<#assign cells += [number(8 * file("bytes", policy, name) / file("keys", policy, name), 2), percent(file("falsePositiveRate", policy, name), 3)]>
</#list>
<@row shown=false cells=cells/>
</#list>
<#assign cells = ["all; sum of rates", number(allFiles("keys", "stock"), 0)]>
<#list policies as policy>
<#assign cells += [number(8 * allFiles("bytes", policy) / allFiles("keys", policy), 2), percent(allFiles("falsePositiveRate", policy), 3)]>
</#list>
<@row shown=false cells=cells/>
</@table>
<@turnsOf title="turns in the stores" all=inStores/>
<#list [["ycsb-stores-popular", "Gets of popular rows", {"store-hot": "a few hot rows", "store-skewed": "Zipf's law, 20 % absent",
    "store-bucket": "hot, with a BucketCache"}], ["ycsb-stores-even", "Gets of rows that are equally popular", {"store-absent": "absent rows",
    "store-mixed": "half absent", "store-present": "present rows", "store-cold": "half, cold files", "store-busy": "half, in a compaction"}]] as plot>
<#assign drawn = plot[2]?keys?map(name -> closed?filter(one -> one.profile == name))?filter(found -> found?has_content)?map(found -> found[0])>
<@ratioBars name=plot[0] title=plot[1] categories=drawn?map(one -> plot[2][one.profile])
    ratios={"store": drawn?map(one -> over(one, "rowsPerSecond", "store", "stock"))}/>
</#list>
</#if>
</@section>

<#if isOfStores || isSweep>
[ycsb.md](ycsb.md#how-it-is-measured) says how it is measured.
<#else>
## How it is measured

The run compares every value that comes back; one difference ends it with exit code 2. The stock Bloom filters take 40 % of the block cache.
One machine is client and server, and the files are in its page cache. The tables take turns in balanced orders.
[design/benches.md](design/benches.md#ycsbmd) has the method, [its last part](design/benches.md#beside-lindorms-test) the differences from the test of "Ribbon filter in Lindorm", which published throughput up by 18 % and mean latency down by 15 %.
</#if>

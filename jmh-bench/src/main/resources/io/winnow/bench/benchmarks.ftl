<#-- docs/benchmarks.md. The first section has the targets, the others have the measurements. -->
<#function ns benchmark filter parameter value>
  <#return median(benchmark, "nsPerKey", "filter", filter, parameter, value)>
</#function>
<#function probe call filter n mix buffer>
  <#return median("KernelProbe." + call, "nsPerKey", "filter", filter, "n", n, "mix", mix, "buffer", buffer)>
</#function>
<#function built filter n verified>
  <#return median("KernelBuild.build", "nsPerKey", "filter", filter, "n", n, "verified", verified)>
</#function>
<#function askSamples files threads questions filter>
  <#return samples("ask", "nsPerQuestion", "files", files, "threads", threads, "turnover", questions, "filter", filter)>
</#function>
<#function asking files threads questions filter>
  <#return paired(askSamples(files, threads, questions, filter), askSamples(files, threads, questions, "bloom"))>
</#function>
<#function curve metric filter n load>
  <#return median("quotient.curve", metric, "filter", filter, "n", n, "load", load)>
</#function>
<#function filled metric filter n><#return median("quotient.filter", metric, "filter", filter, "n", n)></#function>
<#function whole work filter n>
  <#return median("quotient.whole", "nsPerKey", "work", work, "filter", filter, "n", n)>
</#function>
<#function space metric filter rate><#return median("quotient.space", metric, "filter", filter, "rate", rate)></#function>
<#-- The mean time of an insert from the empty filter to a load of 90 %. -->
<#function insertsTo90 filter n>
  <#return mean((1..18)?map(i -> curve("insertNs", filter, n, 5 * i)))>
</#function>
<#assign peersOfQuotient = [["rank-select", 95], ["rank-select-80", 80], ["three-bit", 75], ["bloom", 95]]>
<#-- The rows of the write path: label, benchmark, and parameters of the samples. -->
<#assign writes = [], plain = "one value of 75 bytes">
<#list values("write-path", "work") as work>
  <#list values("write-path", "keyLength") as length>
    <#assign writes += [{"label": work + ", " + length + " bytes", "what": work + ", " + length + "-byte keys", "in": "write-path",
        "at": ["work", work, "keyLength", length, "shape", plain]}]>
  </#list>
</#list>
<#-- No region server is like a JVM of flushes only. It explains the others, and has no targets. -->
<#list values("write-path-shapes", "shape") as shape>
  <#list values("write-path-shapes", "work") as work>
    <#assign writes += [{"label": work + ", 25 bytes, " + shape, "in": "write-path-shapes",
        "what": (shape == "a JVM of flushes only")?then("", work + ", 25-byte keys, " + shape),
        "at": ["work", work, "keyLength", 25, "shape", shape]}]>
  </#list>
</#list>
<#list values("write-path-server", "work") as work>
  <#assign writes += [{"label": "a server's " + work + ", 25 bytes", "what": "a server's " + work, "in": "write-path-server",
      "at": ["work", work]}]>
</#list>
<#function written write metric contender>
  <#return samples(write.in, metric, ["contender", contender] + write.at)>
</#function>
<#function overStock write metric contender>
  <#return paired(written(write, metric, contender), written(write, metric, "stock"))>
</#function>
<#-- The time that the filter adds to a turn, the median of the differences round by round. -->
<#function added write contender>
  <#return medianOf(differences(written(write, "cpuNsPerRow", contender), written(write, "cpuNsPerRow", "none")))>
</#function>
# Benchmarks

<!-- Made by `./winnow bench --report` from the results named below. Do not edit. -->

${facts("jmh-bench/results/" + resultsFile)?trim}

This page has times and sizes of Winnow's filters beside HBase's own Bloom filter and those of other libraries. A ratio below 1 is
better than stock. [design/benches.md](design/benches.md#benchmarksmd) has the method. `./winnow bench` makes such a run, in about
70 minutes (`--quick`: in five minutes), and prints which goals it missed. `./winnow bench --report` makes this page.
<@section title="Goals and results" terminal=true>
The goals of Winnow that were missed, or are uncertain. A ratio with an interval is *reached* only
with all of the interval. The file has all goals.
<@targets>
<#list [["10M keys at 1 %", 6.77, 10000000, 0.01], ["10M keys at 0.1 %", 10.1, 10000000, 0.001],
    ["100k keys at 1 %", 6.83, 100000, 0.01], ["10k keys at 1 %", 7.15, 10000, 0.01]] as at>
<@atMost what="bumped-ribbon, file of ${at[0]}: bits per key, everything included" asked=at[1] decimals=3
    of=median("space", "bitsPerKey", "filter", "bumped-ribbon", "n", at[2], "rate", at[3])/>
</#list>
<#assign at = ["filter", "bumped-ribbon", "n", 10000000, "rate", 0.01]>
<#assign probes = median("space", "absentProbes", at)>
<@atMost what="bumped-ribbon, file of 10M keys: false-positive rate, %, sampling error added" decimals=4
    asked=100 * (0.01 + isNumber(probes)?then(4 * sqrt(0.01 * 0.99 / probes), 0))
    of=median("space", "falsePositiveRate", at) / 0.01/>
<#list ["ribbon", "bumped-ribbon"] as filter>
<#list [0.1, 0.01, 0.001] as rate>
<#assign at = ["filter", filter, "rate", rate, "n", 145000]>
<#assign probes = median("rates", "probesPerChunk", at)>
<@atMost what="${filter}, chunks of 145k keys at ${asked(rate?c)}: worst chunk's rate over the configured one, sampling error added"
    asked=1.1 + isNumber(probes)?then(4 * sqrt(rate * (1 - rate) / probes) / rate, 0) decimals=3
    of=median("rates", "mostRate", at) / rate/>
</#list>
</#list>
<#list [["construct", "ribbon", 10, 0.40], ["construct", "ribbon", 2000, 0.16],
    ["construct", "bumped-ribbon", 10, 0.60], ["construct", "bumped-ribbon", 2000, 0.18],
    ["query", "ribbon", 10, 0.30], ["query", "ribbon", 25, 0.30], ["query", "ribbon", 50, 0.30], ["query", "ribbon", 2000, 0.14],
    ["query", "bumped-ribbon", 10, 0.30], ["query", "bumped-ribbon", 25, 0.30], ["query", "bumped-ribbon", 50, 0.30],
    ["query", "bumped-ribbon", 2000, 0.14]] as at>
<#assign benchmark = (at[0] == "query")?then("LindormQuery.query", "LindormConstruct.construct")>
<@atMost what="${at[1]}, ${at[0]}, ${at[2]}-byte keys: time over stock HBase Bloom's" asked=at[3]
    of=ns(benchmark, at[1], "keyLength", at[2]) / ns(benchmark, "bloom", "keyLength", at[2])/>
</#list>
<#list ["1 file", "8 files", "small, 8 files"] as place>
<@atMost what="bumped-ribbon, query, ${place}, 2 queries per chunk and window: time over stock HBase Bloom's" asked=0.40
    of=asking(place, 1, "2", "bumped-ribbon")/>
<@atMost what="bumped-ribbon, query, ${place}, 1 query per chunk and window: time over stock HBase Bloom's" asked=0.45
    of=asking(place, 1, "1", "bumped-ribbon")/>
</#list>
<#assign lengths = values("Peers.query", "keyLength")>
<#list ["ribbon", "bumped-ribbon"] as filter>
<#list lengths?has_content?then(lengths, ["25"]) as length>
<@atMost what="${filter}, query, ${length}-byte keys: time over a plain XXH3 Bloom's" asked=1.0
    of=ns("Peers.query", filter, "keyLength", length) / ns("Peers.query", "fastfilter-bloom", "keyLength", length)/>
</#list>
</#list>
<#list [["ribbon", 30, 12], ["bumped-ribbon", 70, 18]] as at>
<@atMost what="${at[0]}, kernel, 145k keys: build, ns per key" asked=at[1] of=built(at[0], 145000, true) decimals=1/>
<@atMost what="${at[0]}, kernel, 145k keys: probe in a counted batch, ns" asked=at[2] decimals=1
    of=probe("counted", at[0], 145000, "mixed", "heap")/>
</#list>
<#list ["ribbon", "bumped-ribbon"] as filter>
<@atLeast what="${filter}, 10M keys: throughput of batched probes over single ones with a branch" asked=1.4
    of=probe("branched", filter, 10000000, "mixed", "heap") / probe("batched", filter, 10000000, "mixed", "heap")/>
<#list ["read-only", "direct", "split"] as buffer>
<@atMost what="${filter}, 145k keys: a probe in a ${buffer} buffer over one in an array" asked=2.0
    of=probe("counted", filter, 145000, "mixed", buffer) / probe("counted", filter, 145000, "mixed", "heap")/>
</#list>
</#list>
<#list writes?filter(write -> write.what != "") as write>
<#list [["wall time", "wallNsPerRow"], ["CPU time", "cpuNsPerRow"]] as clock>
<@atMost what="recommended, ${write.what}: ${clock[0]} over stock's" asked=1.0 of=overStock(write, clock[1], "recommended")/>
</#list>
</#list>
<@atLeast what="rank-select-80, 100M keys at 0.04 %: inserts per second over a Bloom filter's" asked=1.5
    of=filled("insertNs", "bloom", 100000000) / filled("insertNs", "rank-select-80", 100000000)/>
<#list ["present", "absent"] as keys>
<@atLeast what="rank-select-80, 100M keys at 0.04 %: lookups of ${keys} keys over a Bloom filter's" asked=1.0
    of=curve(keys + "Ns", "bloom", 100000000, 95) / curve(keys + "Ns", "rank-select-80", 100000000, 80)/>
</#list>
<#list [["1M", 1000000, 70, 45], ["10M", 10000000, 165, 140]] as at>
<@atMost what="rank-select, ${at[0]} keys, to 90 % load: insert, ns" asked=at[2] decimals=1 of=insertsTo90("rank-select", at[1])/>
<#list ["present", "absent"] as keys>
<@atMost what="rank-select, ${at[0]} keys, at 90 % load: lookup of ${keys} keys, ns" asked=at[3] decimals=1
    of=curve(keys + "Ns", "rank-select", at[1], 90)/>
</#list>
</#list>
<@atMost what="rank-select, 10M fingerprints: bulk build from sorted, ns" asked=15 decimals=1
    of=whole("bulk build, sorted", "rank-select", 10000000)/>
<@atLeast what="rank-select, 10M fingerprints: merge of two, millions per second" asked=40
    of=1000 / whole("merge of 2", "rank-select", 10000000)/>
<@atMost what="rank-select at 95 % load and 1 %: bits per key" asked=9.7 of=space("bitsPerKey", "rank-select", 0.01)/>
<@atMost what="three-bit at 75 % load: bits over those of a Bloom filter of 10 hash functions" asked=1.2 decimals=3
    of=space("bitsPerKey", "three-bit", 0.001) / space("bitsPerKey", "bloom-10-functions", 0.001)/>
</@targets>
</@section>
<#-- The figures that Lindorm's authors published (Ribbon in Lindorm, section 3.2): nanoseconds per key at a million keys and
     1 %, of their Ribbon and of their Bloom filter. -->
<#macro lindorm benchmark work published shown=[]>
<#assign lengths = values(benchmark, "keyLength")>
<@table title="${work}, ns per key, on this machine"
    header=["key length", "bloom", "ribbon", "bumped-ribbon", "ribbon : bloom", "bumped : bloom", "Lindorm's ribbon : bloom"]>
<#list lengths as length>
<#assign theirs = published[length], bloom = ns(benchmark, "bloom", "keyLength", length), ribbon = ns(benchmark, "ribbon", "keyLength", length),
    bumped = ns(benchmark, "bumped-ribbon", "keyLength", length)>
<@row shown=shown?seq_contains(length) cells=[length, number(bloom, 1), number(ribbon, 1), number(bumped, 1), number(ribbon / bloom, 2),
    number(bumped / bloom, 2),
    number(theirs[0] / theirs[1], 2)]/>
</#list>
</@table>
<@table title="${work}, ns per key, published by Lindorm, on another machine"
    header=["key length", "Lindorm's bloom", "Lindorm's ribbon", "ribbon : bloom"]>
<#list lengths as length>
<#assign theirs = published[length]>
<@row shown=false cells=[length, number(theirs[1], 1), number(theirs[0], 1), number(theirs[0] / theirs[1], 2)]/>
</#list>
</@table>
</#macro>
<@section title="Building the filter of a file">
Nanoseconds per key to make a filter of a million keys at 1 % and write it to memory.
<#assign published = {"10": [109.926, 136.012], "25": [143.178, 164.247], "50": [196.083, 227.898], "250": [334.312, 467.884],
    "2000": [1375.165, 2006.235]}, lengths = values("LindormConstruct.construct", "keyLength")>
<@lindorm benchmark="LindormConstruct.construct" work="construct" published=published shown=["10", "25", "250"]/>
<#if lengths?has_content>
<@bars name="construct" base=1 title="Building the filter of a file" categories=lengths?map(length -> "keys of ${length} bytes")
    y="time over that of HBase's Bloom filter (dashed line); less is better; thin line: from the fastest to the slowest sample">
<#assign bloom = lengths?map(length -> ns("LindormConstruct.construct", "bloom", "keyLength", length))>
<#list ["ribbon", "bumped-ribbon"] as filter>
<#assign times = lengths?map(length -> samples("LindormConstruct.construct", "nsPerKey", "filter", filter, "keyLength", length))>
<@series name=filter values=(0..<lengths?size)?map(i -> medianOf(times[i]) / bloom[i]) from=(0..<lengths?size)?map(i -> min(times[i]) / bloom[i])
    to=(0..<lengths?size)?map(i -> max(times[i]) / bloom[i])/>
</#list>
</@bars>
</#if>
</@section>
<@section title="Querying the filter of a file">
Nanoseconds per query, from HBase's block cache; half of the keys are present.
<@lindorm benchmark="LindormQuery.query" work="query"
    published={"10": [20.827, 22.135], "25": [38.285, 44.764], "50": [51.730, 70.075], "250": [147.951, 256.863],
        "2000": [1125.760, 2230.200]}/>
</@section>
<@section title="Querying a filter">
Nanoseconds for one query of the filter of a store file. The whole filter is in HBase's `LruBlockCache`. *At rest* nothing else happens;
with *0* a quarter of the cache is replaced between two queries of a chunk. 1280 files have more than 1 GiB of filters. Ratios have their
95 % interval. These tables are long: a single row is exploratory.
<#assign places = ["small, 8 files", "1 file", "8 files", "1280 files"], turnovers = ["at rest", "16", "2", "1", "0"]>
<@table title="a query, ns" header=["files", "threads", "queries per chunk and window", "bloom", "ribbon", "bumped-ribbon",
    "ribbon : bloom", "bumped : bloom"]>
<#list places as place><#list values("ask", "threads") as threads><#list turnovers as turnover>
<#if askSamples(place, threads, turnover, "bloom")?has_content>
<@row shown=(threads == "1" && ["at rest", "0"]?seq_contains(turnover) && ["1 file", "1280 files"]?seq_contains(place)) cells=[place, threads,
    turnover]
    + ["bloom", "ribbon", "bumped-ribbon"]?map(filter -> number(medianOf(askSamples(place, threads, turnover, filter)), 0))
    + ["ribbon", "bumped-ribbon"]?map(filter -> interval(asking(place, threads, turnover, filter)))/>
</#if>
</#list></#list></#list>
</@table>
<#assign names = {"bloom-murmur3": "bloom with Murmur3", "bloom-xxh3-short-cut": "bloom with XXH3 and short cut",
    "bumped-ribbon-looked-up": "bumped-ribbon, each block looked up"}>
<#assign apart = names?keys?filter(filter -> values("ask", "filter")?seq_contains(filter))>
<@table title="hash and short cut apart: time over bloom's" header=["files", "threads",
    "queries per chunk and window"] + apart?map(filter -> names[filter]) + ["bumped-ribbon"]>
<#list places as place><#list values("ask", "threads") as threads><#list turnovers as turnover>
<#if apart?has_content && askSamples(place, threads, turnover, apart[0])?has_content>
<@row shown=(threads == "1" && ["at rest", "0"]?seq_contains(turnover)) cells=[place, threads, turnover]
    + (apart + ["bumped-ribbon"])?map(filter -> interval(asking(place, threads, turnover, filter)))/>
</#if>
</#list></#list></#list>
</@table>
<#if has("ask")>
<@bars name="ask" base=1 title="One query of Winnow's filter, by one thread"
    y="time over that of HBase's Bloom filter (dashed line); less is better; thin line: interval of 95 %"
    categories=turnovers?map(turnover -> {"at rest": "nothing replaces blocks in the cache", "0": "less than one query of a chunk meanwhile"}[turnover]!
    ((turnover == "16")?then("16 queries of a chunk while the cache replaces a quarter", (turnover == "1")?then("1 query meanwhile", "${turnover} queries meanwhile"))))>
<#list places as place>
<#assign ratios = turnovers?map(turnover -> asking(place, 1, turnover, "bumped-ribbon"))>
<@series name=(place == "small, 8 files")?then("8 small files", place) values=ratios?map(ratio -> ratio.median) from=ratios?map(ratio -> ratio.low)
    to=ratios?map(ratio -> ratio.high)/>
</#list>
</@bars>
</#if>
</@section>
<#assign ribbonBits = 7.232, bloomBits = 9.585>
<@section title="Bits per key">
The chunks and the meta block, at a million keys and 1 %. Lindorm's authors published ${number(ribbonBits, 3)} bits per key for their ribbon filter and
${number(bloomBits, 3)} for their Bloom filter: ${number(ribbonBits / bloomBits, 2)} times as many.
<@table title="bits per key" header=["key length", "bloom", "ribbon", "bumped-ribbon", "ribbon : bloom", "bumped : bloom"]>
<#list values("LindormConstruct.construct", "keyLength") as length>
<#assign bits = ["bloom", "ribbon", "bumped-ribbon"]?map(filter ->
    median("LindormConstruct.construct", "bitsPerKey", "filter", filter, "keyLength", length))>
<@row shown=false cells=[length] + bits?map(b -> number(b, 3)) + bits[1..]?map(b -> number(b / bits[0], 2))/>
</#list>
</@table>
</@section>
<@section title="Whole files">
Bits per key that a filter adds to a store file, and the rate, measured with absent keys.
<#assign filters = ["bloom", "ribbon", "bumped-ribbon", "quotient"]?filter(filter -> values("space", "filter")?seq_contains(filter))>
<@table title="filter in a file" header=["keys, configured rate"] + filters + filters?filter(filter -> filter != "bloom")?map(filter -> filter
    + " : bloom")
    + filters?map(filter -> "rate of " + filter)>
<#list values("space", "n") as n><#list values("space", "rate") as rate>
<#assign bits = filters?map(filter -> median("space", "bitsPerKey", "filter", filter, "n", n, "rate", rate))>
<@row shown=(rate == "0.01" && n != "100000") cells=[grouped(n) + ", " + asked(rate)] + bits?map(b -> number(b, 3)) + bits[1..]
    ?map(b -> number(b / bits[0], 2))
    + filters?map(filter -> percent(median("space", "falsePositiveRate", "filter", filter, "n", n, "rate", rate), 4))/>
</#list></#list>
</@table>
<#assign sizes = values("space", "n")>
<#if sizes?has_content>
<@bars name="bits-per-key" title="Size of a file's filter, at HBase's default rate of 1 %" y="bits per key, everything included; less is better"
    categories=sizes?map(n -> "a file of ${grouped(n)} keys")>
<#list filters?filter(filter -> filter != "quotient") as filter>
<@series name=filter values=sizes?map(n -> median("space", "bitsPerKey", "filter", filter, "n", n, "rate", "0.01"))/>
</#list>
</@bars>
</#if>
</@section>
<@section title="Peers in memory">
Plain filters of a million keys in memory, no file and no cache; 1 % where a rate can be chosen. Times are ns per key, hashing included.
<#assign header = ["filter", "bits per key", "rate"], works = []>
<#list ["construct", "query"] as work><#list values("Peers." + work, "keyLength") as length>
<#assign header += [work + " " + length + " B"], works += [["Peers." + work, length]]>
</#list></#list>
<@table title="peers, ns per key" header=header>
<#list values("Peers.query", "filter") as filter>
<@row shown=(filter != "ribbon-128" && !filter?ends_with("-chunks")) cells=[filter, number(median("Peers.query", "bitsPerKey", "filter", filter), 2),
    percent(median("Peers.query", "falsePositiveRate", "filter", filter), 2)]
    + works?map(work -> number(ns(work[0], filter, "keyLength", work[1]), 1))/>
</#list>
</@table>
</@section>
<@section title="Kernels">
Filters are queried with 64-bit hashes at 1 %, without keys and files; half of the keys are present. The bench adds up the answers, branches on
each one (*branched*), or queries 20 at a time (*batched*).
<#assign sizes = values("KernelBuild.build", "n"), ours = ["ribbon", "bumped-ribbon"], calls = ["counted", "branched", "batched"]>
<@table title="kernel build, ns per key" header=["keys"] + ours shown=false
    rows=sizes?map(n -> [grouped(n)] + ours?map(filter -> number(built(filter, n, true), 1)))/>
<@table title="shares of a build of 145,000 keys, ns per key" header=[""] + ours>
<#if has("KernelBuild.build")>
<@row shown=false cells=["whole"] + ours?map(filter -> number(built(filter, 145000, true), 1))/>
<@row shown=false cells=["without verification"] + ours?map(filter -> number(built(filter, 145000, false), 1))/>
</#if>
</@table>
<@table title="kernel probe, ns" header=["keys, mix", "ribbon", "bumped-ribbon", "ribbon branched", "bumped branched",
    "ribbon batched", "bumped batched"]>
<#list values("KernelProbe.counted", "n") as n><#list ["positive", "negative", "mixed"] as mix>
<#if isNumber(probe("counted", "ribbon", n, mix, "heap"))>
<#assign cells = [grouped(n) + ", " + mix]>
<#list calls as call><#assign cells += ours?map(filter -> number(probe(call, filter, n, mix, "heap"), 1))></#list>
<@row shown=false cells=cells/>
</#if>
</#list></#list>
</@table>
<@table title="counted probe of 145,000 keys by buffer, mixed, ns" header=["buffer"] + ours shown=false
    rows=values("KernelProbe.counted", "buffer")?map(buffer -> [buffer] + ours?map(filter -> number(probe("counted", filter, 145000, "mixed",
    buffer), 1)))/>
</@section>
<@section title="Quotient filters in memory">
Filters for this number of keys at 0.04 %, filled one by one with hashes; CPU time of one thread. `rank-select` is filled to 95 %,
`three-bit` to 75 %; `rank-select-80`, filled to 80 %, has a Bloom filter's size and rate.
<#assign sizes = values("quotient.filter", "n")>
<@table title="full filters, ns per key" header=["keys, filter", "bits per key", "rate", "insert, mean", "insert, to 90 % load",
    "lookup, present", "lookup, absent", "delete"]>
<#list sizes as n><#list peersOfQuotient as peer>
<#assign filter = peer[0], full = peer[1]>
<@row shown=(n == "100000000" && filter != "three-bit") cells=[grouped(n) + ", " + filter, number(filled("bitsPerKey",
    filter, n), 2),
    percent(filled("falsePositiveRate", filter, n), 4), number(filled("insertNs", filter, n), 1), number(insertsTo90(filter, n), 1),
    number(curve("presentNs", filter, n, full), 1), number(curve("absentNs", filter, n, full), 1),
    number(filled("deleteNs", filter, n), 1)]/>
</#list></#list>
</@table>
<@table title="millions per second, beside the figures of Bender et al. 2011" header=[""] + peersOfQuotient?map(peer -> peer[0])>
<#if sizes?has_content>
<@row shown=false cells=["paper, inserts", "-", "-", "2.40", "0.69"]/>
<@row shown=false cells=["paper, lookups", "-", "-", "2.00", "1.90"]/>
</#if>
<#list sizes as n>
<@row shown=false cells=["${grouped(n)} keys, inserts"] + peersOfQuotient?map(peer -> number(1000 / filled("insertNs", peer[0], n), 2))/>
<#list ["present", "absent"] as keys>
<@row shown=false cells=["${grouped(n)} keys, lookups, ${keys}"]
    + peersOfQuotient?map(peer -> number(1000 / curve(keys + "Ns", peer[0], n, peer[1]), 2))/>
</#list>
</#list>
</@table>
<#assign loads = [25, 50, 75, 90, 95]>
<@table title="inserts by load, ns" header=["ns per insert, keys, filter"] + loads?map(load -> "at ${load} %") shown=false
    rows=joined(sizes?map(n -> peersOfQuotient?map(peer -> [grouped(n) + ", " + peer[0]] + loads?map(load -> number(curve("insertNs", peer[0], n,
    load), 1)))))/>
<@table title="whole filters, ns per fingerprint" header=["fingerprints, work", "rank-select", "three-bit",
    "rank-select, millions per second"]>
<#list values("quotient.whole", "n") as n><#list values("quotient.whole", "work") as work>
<#assign ours = whole(work, "rank-select", n)>
<@row shown=false cells=[grouped(n) + ", " + work, number(ours, 1), number(whole(work, "three-bit", n), 1), number(1000 / ours, 2)]/>
</#list></#list>
</@table>
<@table title="space of full filters of a million keys, bits per key" header=["configured rate", "rank-select", "its rate", "three-bit",
    "its rate", "Bloom filter of 10 hash functions at that rate"] shown=false
    rows=values("quotient.space", "rate")?map(rate -> [asked(rate), number(space("bitsPerKey", "rank-select", rate), 3),
    percent(space("falsePositiveRate", "rank-select", rate), 4),
    number(space("bitsPerKey", "three-bit", rate), 3), percent(space("falsePositiveRate", "three-bit", rate), 4),
    number(space("bitsPerKey", "bloom-10-functions", rate), 3)])/>
</@section>
<@section title="Rates">
Measured false-positive rates of chunks as HBase's chunk writers cut them.
<#function chunks metric filter rate n><#return median("rates", metric, "filter", filter, "rate", rate, "n", n)></#function>
<#assign sizes = values("rates", "n"), filters = values("rates", "filter")>
<@table title="rates of chunks, percent" header=["rate, keys, filter", "bits per key", "mean", "low", "high", "worst", "chunks",
    "sampling, 1 sigma"]>
<#list values("rates", "rate") as rate><#list sizes as n><#list filters as filter>
<@row shown=false cells=["${asked(rate)}, ${grouped(n)}, ${filter}", number(chunks("bitsPerKey", filter, rate, n), 3)]
    + ["meanRate", "lowRate", "highRate", "mostRate"]?map(metric -> number(100 * chunks(metric, filter, rate, n), 4))
    + [number(chunks("chunks", filter, rate, n), 0),
        number(100 * sqrt(parsed(rate) * (1 - parsed(rate)) / chunks("probesPerChunk", filter, rate, n)), 4)]/>
</#list></#list></#list>
</@table>
</@section>
<@section title="HBase's write path">
HBase's own writer writes store files with filters of 1 %. Times are nanoseconds per row: wall time, and CPU time of the process.
*Recommended* is `winnow.filter=bumped-ribbon`, *none* writes no filter. *A server's* flush and compaction run in a real HBase server. A
ratio is the median over pairs of turns, with its 95 % interval. The table is long: a single row is exploratory.
[Why stock takes longer in a server than in a JVM that only flushes](design/ribbon-build.md#why-a-file-gains-more-than-its-filter-explains).${warmUps(allSamples("firstRounds",
    "stood"))}
<#-- Of the shapes of data, those that take longer with Winnow's filters. -->
<#assign shownWrites = ["flush, 10 bytes", "flush, 25 bytes", "compaction, 10 bytes", "compaction, 25 bytes"]>
<#function isShown write>
  <#return shownWrites?seq_contains(write.label) || write.in == "write-path-server"
      || write.in == "write-path-shapes" && write.what != "" && overStock(write, "cpuNsPerRow", "recommended").isAbove(1)>
</#function>
<#assign measured = writes?filter(write -> written(write, "wallNsPerRow", "stock")?has_content)>
<@table title="recommended over stock" header=["", "none, ns of CPU", "stock", "recommended", "CPU over stock's", "wall time over stock's"]>
<#list measured as write>
<@row shown=isShown(write) cells=[write.label]
    + ["none", "stock", "recommended"]?map(contender -> number(medianOf(written(write, "cpuNsPerRow", contender)), 0))
    + ["cpuNsPerRow", "wallNsPerRow"]?map(metric -> interval(overStock(write, metric, "recommended")))/>
</#list>
</@table>
<#list [["wall", "wallNsPerRow"], ["CPU", "cpuNsPerRow"]] as clock>
<@table title="write path, ns of ${clock[0]} per row" header=[clock[0], "none", "stock", "recommended", "other",
    "recommended : stock", "other : stock"] shown=false
    rows=measured?map(write -> [write.label]
    + ["none", "stock", "recommended", "other"]?map(contender -> number(medianOf(written(write, clock[1], contender)), 0))
    + ["recommended", "other"]?map(contender -> interval(overStock(write, clock[1], contender))))/>
</#list>
<@table title="what the filter takes of it, ns of CPU per row" header=["above none", "stock", "recommended", "saved"]>
<#list measured as write>
<#assign stock = added(write, "stock"), recommended = added(write, "recommended")>
<@row shown=false cells=[write.label, number(stock, 0), number(recommended, 0), number(stock - recommended, 0)]/>
</#list>
</@table>
<#assign lengths = values("write-path", "keyLength")>
<#if lengths?has_content>
<@bars name="write-path" base=1 title="Writing a store file, as a whole"
    y="time over that with HBase's Bloom filter (dashed line); less is better; thin line: interval of 95 %"
    categories=lengths?map(length -> "keys of ${length} bytes") + ["keys of 25 bytes, FAST_DIFF", "keys of 25 bytes, on a server"]>
<#list ["flush", "compaction"] as work>
<#assign ratios = (lengths?map(length -> {"in": "write-path", "at": ["work", work, "keyLength", length, "shape", plain]})
    + [{"in": "write-path-shapes", "at": ["work", work, "shape", "FAST_DIFF"]}, {"in": "write-path-server", "at": ["work", work]}])
    ?map(write -> overStock(write, "wallNsPerRow", "recommended"))>
<@series name=work values=ratios?map(ratio -> ratio.median) from=ratios?map(ratio -> ratio.low)
    to=ratios?map(ratio -> ratio.high)/>
</#list>
</@bars>
</#if>
</@section>

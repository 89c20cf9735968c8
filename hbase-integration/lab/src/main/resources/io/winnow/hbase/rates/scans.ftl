<#-- The report of a run on its stores; or, with "settings", the measured part of docs/scans.md. -->
<#function orZero value><#return isNumber(value)?then(value, 0)></#function>
<#-- The mean of a figure of the queries of one kind, of one of a store's policies. -->
<#function per one question metric><#return mean(samples("scans", metric, one.at, "query", question))></#function>
<#function perSecond one question><#return orZero(1000000 / per(one, question, "cpuMicros"))></#function>
<#function shapeOf name>
  <#local shape = {"name": name}>
  <#list ["entities", "rowsPerPrefix", "files", "filesPerPrefix", "cacheShare"] as metric>
    <#local shape += {metric: median("scanShapes", metric, "store", name)}>
  </#list>
  <#return shape>
</#function>
<#function outcome store policy>
  <#local one = {"policy": policy, "at": ["store", store, "filters", policy]}>
  <#return one + {
      "bitsPerRow": orZero(median("scanStores", "bitsPerRow", one.at)), "segmentBytes": orZero(median("scanStores", "segmentBytes", one.at)),
      "rowsLost": orZero(median("scanStores", "rowsLost", one.at)), "filesReadPerScan": per(one, "present", "filesRead"),
      "filesReadPerAbsentScan": per(one, "absent", "filesRead"), "falseReadsPerAbsentGet": per(one, "absentGet", "filesRead"),
      "blocksReadPerScan": orZero(per(one, "present", "blocksRead"))}>
</#function>
<#function of store policy><#list store.policies as one><#if one.policy == policy><#return one></#if></#list></#function>
<#assign stockRow = "stock-row", rowAlone = "winnow-row", both = "winnow-row+prefix", segment = "winnow-row+segment",
    everything = "winnow-row+prefix+segment", oracle = "oracle">
<#assign ofTimes = [], plain = []>
<#list values("scanShapes", "store") as name>
  <#assign policies = values("scanStores", "filters")?filter(policy -> isNumber(median("scanStores", "bitsPerRow", "store", name, "filters", policy)))>
  <#if isNumber(median("scans", "filesRead", "store", name, "query", "oneHour"))>
    <#assign ofTimes += [{"shape": shapeOf(name), "policies": (policies + [oracle])?map(policy -> outcome(name, policy))}]>
  <#else>
    <#assign plain += [{"shape": shapeOf(name), "policies": policies?map(policy -> outcome(name, policy))}]>
  </#if>
</#list>
<#function inWords shape>
  <#return "${shape.name}: ${shape.rowsPerPrefix} rows per prefix, in ${number(shape.filesPerPrefix, (shape.filesPerPrefix == shape.filesPerPrefix?floor)?then(0, 1))}"
      + " of ${shape.files} files; " + (shape.cacheShare < 1)?then("a tenth", "all") + " is cached">
</#function>
<#function lateRows shape>
  <#if shape.name == "late"><#return "30 late rows in each flush"></#if>
  <#if shape.name?starts_with("late-")><#return number(shape.name[5..]?number / 10, 1) + " % late rows"></#if>
  <#return {"sparse": "few active tenants", "hashed": "hashes in place of times"}[shape.name]!"no late rows">
</#function>
<#function inTimes shape>
  <#return "${shape.name}: ${shape.entities} entities, " + lateRows(shape) + "; " + (shape.cacheShare < 1)?then("a tenth", "all") + " is cached">
</#function>
<#function title store><#return inWords(store.shape) + " (CPU seconds of a thread)"></#function>
<#assign header = ["filters", "bits per row", "files per scan", "absent", "blocks per scan", "scans/s", "absent/s", "reversed/s", "no prefix/s",
    "files per absent Get", "absent Gets/s", "rows lost"]>
<#function cells one>
  <#return [one.policy, number(one.bitsPerRow, 2), number(one.filesReadPerScan, 3), number(one.filesReadPerAbsentScan, 4),
      number(one.blocksReadPerScan, 2), number(perSecond(one, "present"), 0), number(perSecond(one, "absent"), 0),
      number(perSecond(one, "reversed"), 0), number(perSecond(one, "withoutPrefix"), 0), number(one.falseReadsPerAbsentGet, 4),
      number(perSecond(one, "absentGet"), 0), one.rowsLost?c]>
</#function>
<#function micros store policy question><#return samples("scans", "cpuMicros", of(store, policy).at, "query", question)></#function>
<#-- The ratio of the queries per second to those with stock's filters. -->
<#function gain store question><#return paired(micros(store, stockRow, question), micros(store, both, question))></#function>
<#-- The ratio of the cost with prefixes to the cost without. -->
<#function cost store question><#return paired(micros(store, both, question), micros(store, rowAlone, question))></#function>
<#function counted store figure base><#return of(store, both)[figure] / of(store, base)[figure]></#function>
<#-- A store of times: how often queries are answered per second over stock's, and what one costs over filters of rows alone. -->
<#function timeGain store policy question><#return paired(micros(store, stockRow, question), micros(store, policy, question))></#function>
<#function timeCost store question><#return paired(micros(store, segment, question), micros(store, rowAlone, question))></#function>
<#function overOracle store policy question><#return per(of(store, policy), question, "filesRead") / per(of(store, oracle), question, "filesRead")></#function>
<#assign scanKinds = ["present", "reversed", "oneHour", "oneHourReversed", "absent", "entity", "withoutPrefix"], getKinds = ["presentGet", "absentGet"]>
<#assign timeHeader = ["filters", "bits per row", "files per scan of the last hour", "last hour, reversed", "one hour", "one hour, reversed",
    "absent", "of an entity", "of all", "files per Get", "per absent Get", "filter queries per Get", "per absent Get", "blocks per scan",
    "scans/s", "reversed/s", "absent/s", "absent Gets/s", "bytes of segments", "rows lost"]>
<#function timeCells one>
  <#return [one.policy, number(one.bitsPerRow, 2)] + (scanKinds + getKinds)?map(kind -> number(per(one, kind, "filesRead"), 3))
      + getKinds?map(kind -> number(orZero(per(one, kind, "filterQueries")), 3)) + [number(one.blocksReadPerScan, 2)]
      + ["present", "reversed", "absent", "absentGet"]?map(kind -> number(perSecond(one, kind), 0)) + [one.segmentBytes?c, one.rowsLost?c]>
</#function>
<#-- The ratio of a figure of ./winnow ycsb --scans to that of HBase's filter of rows. -->
<#function onServer metric profile filter>
  <#return paired(samples("scanReads", metric, "profile", profile, "filter", filter),
      samples("scanReads", metric, "profile", profile, "filter", "stock"))>
</#function>
<#-- The warm-ups of the queries of stores. Writing has one round that does not count, whatever its time. -->
<#function stood stores>
  <#return joined(stores?map(store -> joined(values("firstRounds", "query")?filter(query -> query != "flush")?map(query ->
      allSamples("firstRounds", "stood", "store", store.shape.name, "query", query)))))>
</#function>
<#macro asked terminal>
<@section title="Goals and results" terminal=terminal>
*over winnow-row*: over filters of rows alone.
<@targets>
<#list plain as store>
<#assign shape = store.shape, isUsual = shape.name == "usual">
<#if isUsual>
<@atMost what="files per scan, present" asked=0.12 decimals=4 of=counted(store, "filesReadPerScan", stockRow)/>
<@atMost what="files per scan, absent" asked=0.003 decimals=4 of=counted(store, "filesReadPerAbsentScan", stockRow)/>
<@atMost what="blocks per scan, present" asked=0.2 decimals=4 of=counted(store, "blocksReadPerScan", stockRow)/>
<@atLeast what="scans per CPU second, present" asked=5 of=gain(store, "present")/>
<@atLeast what="absent" asked=50 of=gain(store, "absent")/>
<@atLeast what="reversed, present" asked=3 of=gain(store, "reversed")/>
<@atMost what="false reads of Gets, over winnow-row" asked=1.02 decimals=4 of=counted(store, "falseReadsPerAbsentGet", rowAlone)/>
<@atMost what="time of Gets, over winnow-row" asked=1.05 of=cost(store, "absentGet")/>
<@atMost what="time of scans that imply no prefix, over winnow-row" asked=1.03 of=cost(store, "withoutPrefix")/>
<#elseif shape.name == "cached">
<@atLeast what="everything cached, present" asked=3 of=gain(store, "present")/>
<#elseif shape.filesPerPrefix == shape.files>
<@atLeast what="a prefix in all files" asked=0.95 of=gain(store, "present")/>
</#if>
<#if isUsual || shape.rowsPerPrefix == 5>
<#list ["flush", "compaction"] as work>
<@atMost what="${work}, CPU, ${shape.rowsPerPrefix} rows per prefix" asked=isUsual?then(1.04, 1.10) of=cost(store, work)/>
</#list>
</#if>
</#list>
<#list ofTimes as store>
<#assign name = store.shape.name>
<#if name == "time" || name == "late">
<#list {"present": "last hour", "oneHour": "one hour"} as question, words>
<@atMost what="${name}: files over the oracle's, ${words}" asked=(name == "time")?then(1.05, 1.1) decimals=3 of=overOracle(store, segment, question)/>
</#list>
<#list ["flush", "compaction"] as work>
<@atMost what="${name}: ${work}, CPU, segments over none" asked=1.02 of=timeCost(store, work)/>
</#list>
</#if>
<#if name == "sparse">
<#list {"present": "last hour", "oneHour": "one hour"} as question, words>
<@atMost what="${name}: files over the oracle's, ${words}" asked=1.3 decimals=3 of=overOracle(store, everything, question)/>
</#list>
</#if>
<#if name == "time">
<@atLeast what="time: scans of the last hour per CPU second" asked=5 of=timeGain(store, segment, "present")/>
<#list getKinds as kind>
<@atMost what="time: filter queries, ${kind}" asked=1.5 of=per(of(store, segment), kind, "filterQueries")/>
</#list>
<#elseif name == "time-cached">
<@atLeast what="time, all cached: scans of the last hour per CPU second" asked=2 of=timeGain(store, segment, "present")/>
</#if>
<#if ["time", "hashed"]?seq_contains(name)>
<#list (name == "time")?then(["entity", "withoutPrefix"], scanKinds + getKinds) as kind>
<@atMost what="${name}: time of what segments cannot help, ${kind}" asked=1.01 of=timeCost(store, kind)/>
</#list>
</#if>
<@atMost what="${name}: bytes of an entry" asked=2048 decimals=0 of=of(store, segment).segmentBytes/>
</#list>
</@targets>
</@section>
</#macro>
<#if !settings??>
<@section title="Stores">
<#list plain as store>
<@table title=title(store) header=header shown=false
    rows=store.policies?map(one -> cells(one))/>
</#list>
<#list ofTimes as store>
<@table title=inTimes(store.shape) header=timeHeader shown=false
    rows=store.policies?map(one -> timeCells(one))/>
</#list>
<#if plain?has_content>
<#-- The page's plot: as in its tables, a ratio is the median of the rounds' ratios. The command of scans has no server. -->
<@bars name="scans" base=1 title="Scans of one prefix: 20 rows, in 1.4 of 13 files"
    y="times as many scans as with HBase's filter of rows (dashed line); thin line: interval of 95 %"
    categories=["per CPU second, in one process", "the same, backwards"] + has("scanReads")?then(["per second, through a server"], [])>
<#list [["stock-prefix", "HBase's filter of prefixes", ""], [rowAlone, "Winnow, rows", "store"], [both, "Winnow, rows and prefixes", "prefix"]] as one>
<#if of(plain[0], one[0])??>
<#assign ratios = [timeGain(plain[0], one[0], "present"), timeGain(plain[0], one[0], "reversed")]
    + has("scanReads")?then([onServer("scansPerSecond", "scan-present", one[2])], [])>
<@series name=one[1] values=ratios?map(ratio -> ratio.median) from=ratios?map(ratio -> ratio.low) to=ratios?map(ratio -> ratio.high)/>
</#if>
</#list>
</@bars>
</#if>
</@section>
<#if isFullSize><@asked terminal=false/></#if>
<#else>
<@asked terminal=true/>
<#macro markdown header rows>
| ${header?join(" | ")} |
| --- |<#list header[1..] as one> ---: |</#list>
<#list rows as cells>
| ${cells?join(" | ")} |
</#list>
</#macro>

<#if part == "prefix">
**${title(plain[0])}**

<@markdown header=header rows=plain[0].policies?map(one -> cells(one))/>

<@markdown header=["rows and prefixes, over HBase's filter of rows", "files per scan", "scans per second of CPU", "absent", "reversed"]
    rows=plain?map(store -> [inWords(store.shape), number(counted(store, "filesReadPerScan", stockRow), 2)]
        + ["present", "absent", "reversed"]?map(question -> interval(gain(store, question))))/>

${settings}${warmUps(stood(plain))} [${page}.txt](plots/${page}.txt) has all figures.

<#-- The measurements of ./winnow ycsb --scans. -->
<#if has("scanReads")>
<#assign lines = []>
<#list values("scanReads", "profile") as profile><#list [["store", "rows"], ["prefix", "rows and prefixes"]] as filter>
<#assign lines += [["`${profile}`", filter[1]] + ["scansPerSecond", "serverCpuMicrosPerScan", "blocksReadPerScan"]
    ?map(metric -> interval(onServer(metric, profile, filter[0])))]>
</#list></#list>
<#-- Results from before the option --blocks do not have the size of blocks. -->
<#assign blocks = median("scanRun", "blockBytes")>
On a server, with data blocks of ${(blocks?string == "NaN")?then("8 KiB, where HBase's default is 64 KiB", number(blocks / 1024, 0) + " KiB")}:

<@markdown header=["`./winnow ycsb --scans`, over HBase's filter of rows", "with", "scans per second", "server's CPU of a scan",
    "blocks from disk per scan"] rows=lines/>

${serverSetting}${warmUps(samples("firstRounds", "stood", "profile", "scan-present"))}

</#if>
<#else>
**Scans by time**, with [key segments](scans.md#key-segments): one file has 30 days, and twelve have an hour each, of 4,000 rows. *One hour* is one
of the last twelve. An *oracle* reads only files with a row between the bounds.

<#assign lines = []>
<#list ofTimes as store>
<#assign lines += [[inTimes(store.shape)]
    + [stockRow, both, segment, everything, oracle]?map(policy -> number(of(store, policy).filesReadPerScan, 2))
    + [segment, everything, oracle]?map(policy -> number(per(of(store, policy), "oneHour", "filesRead"), 2))
    + ["present", "oneHour"]?map(kind -> interval(timeGain(store, (store.shape.name == "sparse")?then(everything, segment), kind)))]>
</#list>
<@markdown header=["files per scan", "last hour: stock", "prefix", "segment", "both", "oracle", "one hour: segment", "both", "oracle",
    "scans per second of CPU over stock: last hour", "one hour"] rows=lines/>

<#list ofTimes?filter(store -> store.shape.name == "time") as store>
A Get of a row of the last twelve hours queries ${number(per(of(store, segment), "presentGet", "filterQueries"), 2)} filters, and
${number(per(of(store, rowAlone), "presentGet", "filterQueries"), 2)} without segments. With them a flush takes ${interval(timeCost(store, "flush"))} times the
CPU time, and a compaction ${interval(timeCost(store, "compaction"))} times. A scan over all entities, which segments cannot help, takes
${interval(timeCost(store, "withoutPrefix"))} times the CPU time.

</#list>
${timeSettings}${warmUps(stood(ofTimes))} [${page}.txt](plots/${page}.txt) has all figures.

</#if>
</#if>

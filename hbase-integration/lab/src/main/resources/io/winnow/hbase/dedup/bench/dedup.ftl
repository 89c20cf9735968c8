<#-- The measured part of docs/dedup.md. -->
<#assign fits = "fits the memory", sets = [fits, "ten times the memory"], ours = "de-duplicator",
    ways = ["checkAndMutate", "Get, then Put", ours, "Put, unasked"], usual = "0.1", speed = "rows/s">
<#function of metric set way repeats><#return samples("dedup", metric, "set", set, "way", way, "repeats", repeats)></#function>
<#function figure metric set way repeats decimals><#return number(medianOf(of(metric, set, way, repeats)), decimals)></#function>
<#-- The ratio of the de-duplicator to another way, turn by turn. -->
<#function over set other repeats><#return paired(of(speed, set, ours, repeats), of(speed, set, other, repeats))></#function>
<#-- The figures of all sets and safe ways. -->
<#function wrong metric>
  <#local all = []>
  <#list sets as set><#list values("table", "way") as way><#local all += samples("table", metric, "set", set, "way", way)></#list></#list>
  <#return all?has_content?then(sum(all?map(one -> one?abs)), notANumber())>
</#function>
<#function ofSet set metric decimals>
  <#local all = samples("table", metric, "set", set)>
  <#return number(all?has_content?then(all[0], notANumber()), decimals)>
</#function>

${facts("hbase-integration/results/" + resultsFile)?trim}
<@section title="Goals and results" terminal=true>
A ratio is of two turns of the same round; its interval has 95 % certainty.
<@targets>
<#list ways[0..1] as way>
<@atLeast what="rows per second over ${way}, a set that fits the memory, 90 % new" asked=2 of=over(fits, way, usual)/>
</#list>
<#list ["rows lost", "rows doubled"] as metric><@atMost what=metric asked=0 decimals=0 of=wrong(metric)/></#list>
</@targets>
</@section>
<@section title="Nine new rows in ten">
*Put, unchecked* writes repeats again. It does not do the task, but shows the cost of queries. *Calls*
are those of HBase's client to servers. *Server CPU* is that of the whole server process, flushes and
compactions too.${warmUps(allSamples("firstRounds", "stood"))}
<#list sets as set>
<@table title="the set " + set header=["way", speed, "the de-duplicator's over it", "calls per 1000 rows", "server CPU, us per row"]
    rows=ways?filter(way -> of(speed, set, way, usual)?has_content)?map(way -> [way?replace("unasked", "unchecked"), figure(speed, set, way, usual, 0), (way == ours)?then("",
    interval(over(set, way, usual))),
    figure("calls per 1000 rows", set, way, usual, 2), figure("server CPU, us per row", set, way, usual, 1)])/>
</#list>
</@section>
<#assign shares = values("dedup", "repeats")?sort, swept = sets?filter(set -> of(speed, set, ours, "0.0")?has_content)>
<@section title="Where it stops paying">
The same with other shares of repeats, in turns half as long. Each way queries repeats, so with
more repeats there is less to save. The de-duplicator pays if the interval lies above 1.
<#list swept as set>
<@table title="the set " + set header=["repeats, %", "checkAndMutate, rows/s", "Get, then Put, rows/s", "de-duplicator, rows/s",
    "over checkAndMutate", "over Get, then Put", "calls per 1000 rows"]>
<#list shares as share>
<@row shown=["0.0", "0.5", "0.9"]?seq_contains(share)
    cells=[number(100 * parsed(share), 0)] + ways[0..2]?map(way -> figure(speed, set, way, share, 0))
    + ways[0..1]?map(way -> interval(over(set, way, share))) + [figure("calls per 1000 rows", set, ours, share, 2)]/>
</#list>
</@table>
</#list>
<#if swept?seq_contains(fits)>
<@bars name="dedup-fits" base=1 title="Storing each row once, a set that fits the filter's memory"
    y="times as many rows per second with the de-duplicator (dashed line: as many); thin line: interval of 95 %"
    categories=shares?map(share -> number(100 * parsed(share), 0) + " % of the rows are repeats")>
<#list ways[0..1] as way>
<#assign ratios = shares?map(share -> over(fits, way, share))>
<@series name="over " + way values=ratios?map(ratio -> ratio.median) from=ratios?map(ratio -> ratio.low) to=ratios?map(ratio -> ratio.high)/>
</#list>
</@bars>
</#if>
</@section>
<@section title="The sets">
*Filled* is the speed with which an opening took the table's rows into a new filter.
<@table title="The sets" header=["", "rows loaded", "rows/s filled", "keys in the filter at the end", "keys that its memory holds",
    "levels on flash", "pages read per lookup"] shown=false
    rows=sets?filter(set -> samples("table", "rows loaded", "set", set)?has_content)?map(set -> [set]
    + ["rows loaded", "rows/s filled", "keys in the filter", "keys that its memory holds", "levels on flash"]
    ?map(metric -> ofSet(set, metric, 0)) + [ofSet(set, "pages read per lookup", 2)])/>
</@section>

<#-- What ./winnow quickstart prints: the conclusion, notes on what the figures cannot show, and the table. -->
<#assign kinds = values("quickstart", "filter"), stock = kinds?first, last = kinds?last,
    rows = median("quickstartRun", "rows"), absentKeys = median("quickstartRun", "absentKeys")>
<#function of metric kind><#return median("quickstart", metric, "filter", kind)></#function>
<#function ratio metric kind><#return number(of(metric, kind) / of(metric, stock), 2)></#function>
<#function times metric><#return isNumber(of(metric, last) / of(metric, stock))?then(ratio(metric, last), "unknown")></#function>
<#assign hasPrefix = isNumber(of("filesPerScan", stock))>

In this store of ${number(of("files", last), 0)} files, ${last} takes ${ratio("filterBytes", last)} of the memory of HBase's own filters;<#rt>
 absent gets read ${times("readsPerAbsentGet")} times as many files unnecessarily, present gets ${times("readsPerPresentGet")} times<#rt>
<#if hasPrefix>, and a scan of one prefix reads ${number(of("filesPerScan", last), 2)} files instead of ${number(of("filesPerScan", stock), 2)}</#if>.
<#if absentKeys == 0>
Absent gets are not counted: nothing fits between these row keys, so that there is no absent key within their range to query.
<#else>
File reads of absent gets are counted over ${number(absentKeys, 0)} keys.
</#if>
<#-- A filter of fewer keys is mostly header and padding. -->
<#if rows lt 2000>
With ${number(rows, 0)} rows this shows only that it works: so small a filter is mostly header and padding, and the counts are chance.
</#if>
<#assign figures = [["store files", "files", 1, 0, false], ["filter bytes", "filterBytes", 1, 0, true], ["bits per key", "bitsPerKey", 1, 3, true],
    ["unnecessary file reads, 1,000 absent gets", "readsPerAbsentGet", 1000, 1, true],
    ["unnecessary file reads, 1,000 present gets", "readsPerPresentGet", 1000, 1, true],
    ["files read by a scan of one prefix", "filesPerScan", 1, 2, true], ["rows lost", "rowsLost", 1, 0, false]]>
<@section title="Quickstart" terminal=true>
<@table title="figures of each kind of filter, and over those of ${stock}"
    header=["", stock] + joined(kinds[1..]?map(kind -> [kind, kind + "/" + stock]))
    rows=figures?map(figure -> [figure[0], number(figure[2] * of(figure[1], stock), figure[3])]
    + joined(kinds[1..]?map(kind -> [number(figure[2] * of(figure[1], kind), figure[3]), figure[4]?then(ratio(figure[1], kind), "")])))/>
</@section>

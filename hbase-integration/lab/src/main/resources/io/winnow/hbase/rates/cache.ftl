<#-- The figures of one case of ./winnow cache: means of all rounds. Ratios are those to HBase's filters. -->
<#function figure metric size filters>
  <#return mean(samples("cache", metric, "case", case, "cache", size, "filters", filters))>
</#function>
<#function isMeasured metric size><#return isNumber(figure(metric, size, "stock"))></#function>
<#assign sizes = values("cache", "cache")?filter(size -> isMeasured("readsPerGet", size)),
    judged = isMeasured("getsPerSecond", sizes[0])?then("getsPerSecond", "readsPerGet")>
<@section title=case>
<@table title="${case}: cache over the bytes of HBase's filters" header=["cache", "filters", "reads/Get", "KiB/Get", "evicted/probe", "Gets/s",
    judged + " over stock"]>
<#list sizes as size><#list ["none", "stock", "store", "auto", "always"] as filters>
<@row cells=[size, filters, number(figure("readsPerGet", size, filters), 2), number(figure("kibPerGet", size, filters), 0),
    number(figure("missesAgainPerProbe", size, filters), 3), number(figure("getsPerSecond", size, filters), 0),
    number(figure(judged, size, filters) / figure(judged, size, "stock"), 2)]/>
</#list></#list>
</@table>
</@section>

<#-- The report of one run, with its moments if it has just ended; or, without "run", the measured part of docs/rates.md. -->
<#function of run policy><#list run.policies as one><#if one.policy == policy><#return one></#if></#list></#function>
<#-- The ratio of a figure to that of another policy of the run. -->
<#function over run one base figure><#return one[figure] / ((of(run, base)!{})[figure]!notANumber())></#function>
<#function ratio run one base figure><#return number(over(run, one, base, figure), 2)></#function>
<#assign bits = "bitsPerKey", absent = "falseReadsPerAbsentGet", present = "falseReadsPerPresentGet">
<#-- The targets of the default. -->
<#function goals run>
  <#if !of(run, "store")??><#return []></#if>
  <#local store = of(run, "store"), isFromEmpty = run.workload.large == 0>
  <#return [
      {"what": "absent Gets, over stock", "asked": isFromEmpty?then(0.37, 0.30), "of": over(run, store, "stock", absent)},
      {"what": "present Gets, over stock", "asked": isFromEmpty?then(0.23, 0.15), "of": over(run, store, "stock", present)},
      {"what": "bytes, over stock", "asked": isFromEmpty?then(0.82, 0.81), "of": over(run, store, "stock", bits)}]>
</#function>
<#if run??>
<@section title="Over time">
<@table title="Means over all moments (less is better in each column)" header=["filters", "bits per key", "over stock", "sum of rates, %",
    "unnecessary file reads per 1000 absent Gets", "over stock", "over file", "per 1000 present Gets", "over stock", "over file", "rows lost"]
    rows=run.policies?map(one -> [one.policy, number(one[bits], 2), ratio(run, one, "stock", bits), number(100 * one.sumOfRates, 2),
    number(1000 * one[absent], 1), ratio(run, one, "stock", absent), ratio(run, one, "file", absent),
    number(1000 * one[present], 1), ratio(run, one, "stock", present), ratio(run, one, "file", present), one.rowsLost])/>
<#assign flushes = 0..run.workload.flushes, step = [1, (run.workload.flushes / 10)?floor]?max>
<#if moments?has_content>
<#assign named = flushes?map(flush -> (flush % step == 0)?then(flush, ""))>
<@curves name="store-rates-bits" title="Filter memory under ingest" x="flush" y="bits per key" categories=named>
<#list moments as policy, all><@series name=policy
    values=flushes?map(flush -> mean(all?filter(one -> one.flush == flush)?map(one -> 8 * one.filterBytes / one.keys)))/></#list>
</@curves>
<@curves name="store-rates-sum" title="A Get of an absent row: the sum of the files' rates" x="flush"
    y="unnecessary file reads per 100 Gets" categories=named>
<#list moments as policy, all><@series name=policy
    values=flushes?map(flush -> mean(all?filter(one -> one.flush == flush)?map(one -> 100 * one.sumOfRates)))/></#list>
</@curves>
</#if>
<#-- README's picture: three figures over HBase's own, which are 1. -->
<#if of(run, "store")??>
<@bars name="store-rates-gain" title="A region under ingest: what Winnow's filters take, over HBase's Bloom filters" y="over HBase's Bloom filters"
    x="means of ${run.workload.flushes} flushes and their compactions"
    categories=["filter memory", "unnecessary reads, absent rows", "the same, present rows"]>
<@series name="bloom" values=[1, 1, 1]/>
<@series name="bumped-ribbon" values=[bits, absent, present]?map(figure -> over(run, of(run, "store"), "stock", figure))/>
</@bars>
</#if>
</@section>
<#if isFullSize>
<@section title="Asked and measured">
<@targets>
<#list goals(run) as goal><@atMost what=goal.what asked=goal.asked of=goal.of/></#list>
</@targets>
</@section>
</#if>
<#else>

| `winnow.store.memory` | `./winnow rates` | bytes | unnecessary file reads, absent rows | present rows | rows lost |
| --- | ---: | ---: | ---: | ---: | ---: |
<#list runs as run>
<#assign options = run.setting.command?remove_beginning("./winnow rates")?trim>
<#-- Less memory is shown for the first run only; the files of the others have theirs. -->
<#list run.policies?filter(one -> one.policy?starts_with("store") && (run?is_first || !one.memory??)) as one>
| ${one.memory!"default"} | ${options?has_content?then("`${options}`", "")} | ${ratio(run, one, "stock", bits)} | <#rt>
<#lt>${ratio(run, one, "stock", absent)} | ${ratio(run, one, "stock", present)} | ${one.rowsLost} |
</#list>
</#list>

<#list runs as run><#list goals(run)?filter(goal -> goal.of gt goal.asked) as goal>
**Not reached** by `${run.setting.command}`: ${goal.what}.

</#list></#list>
${settings}

</#if>

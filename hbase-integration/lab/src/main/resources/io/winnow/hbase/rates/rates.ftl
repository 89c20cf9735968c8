<#-- The report of one run, with its moments if it has just ended; or, without "run", the measured part of docs/rates.md. -->
<#function of run policy><#list run.policies as one><#if one.policy == policy><#return one></#if></#list></#function>
<#-- The ratio of a figure to that of another policy of the run. -->
<#function over run one base figure><#return one[figure] / ((of(run, base)!{})[figure]!notANumber())></#function>
<#-- The same with its interval over the seeds that both have, if there are several. -->
<#function gain run one base figure>
  <#local other = of(run, base)!{}>
  <#local ours = (one.bySeed![])?map(seed -> seed[figure]), theirs = (other.bySeed![])?map(seed -> seed[figure])>
  <#local seeds = [ours?size, theirs?size]?min>
  <#if seeds gt 1><#return paired(ours, theirs)></#if>
  <#return (seeds == 1)?then(ours?first / theirs?first, over(run, one, base, figure))>
</#function>
<#function ratio run one base figure>
  <#local found = gain(run, one, base, figure)>
  <#return found?is_number?then(number(found, 2), interval(found))>
</#function>
<#assign bits = "bitsPerKey", absent = "falseReadsPerAbsentGet", present = "falseReadsPerPresentGet">
<#-- The targets of the default. -->
<#function goals run>
  <#if !of(run, "store")??><#return []></#if>
  <#local store = of(run, "store"), isFromEmpty = run.workload.large == 0>
  <#return [
      {"what": "absent Gets, over stock", "asked": isFromEmpty?then(0.37, 0.30), "of": gain(run, store, "stock", absent)},
      {"what": "present Gets, over stock", "asked": isFromEmpty?then(0.23, 0.15), "of": gain(run, store, "stock", present)},
      {"what": "bytes, over stock", "asked": isFromEmpty?then(0.82, 0.81), "of": gain(run, store, "stock", bits)}]>
</#function>
<#if run??>
<@section title="Over time">
<@table title="Means over all moments (less is better in each column)" header=["filters", "bits per key", "over stock", "sum of rates, %",
    "unnecessary file reads per 1000 absent Gets", "over stock", "over file", "per 1000 present Gets", "over stock", "over file", "rows lost"]
    rows=run.policies?map(one -> [one.policy, number(one[bits], 2), ratio(run, one, "stock", bits), number(100 * one.sumOfRates, 2),
    number(1000 * one[absent], 1), ratio(run, one, "stock", absent), ratio(run, one, "file", absent),
    number(1000 * one[present], 1), ratio(run, one, "stock", present), ratio(run, one, "file", present), one.rowsLost])/>
<#-- The plots of figures 2 and 3: one bar for each of the filters, with its interval over the seeds if there are several. -->
<#function inWords policy><#return policy?starts_with("store-")?then("Winnow, memory ${policy[6..]}", (policy == "store")?then("Winnow, default", policy))></#function>
<#function ofSeeds one figure factor>
  <#return ((one.bySeed![])?size gt 1)?then(one.bySeed?map(seed -> factor * seed[figure]), [])>
</#function>
<#macro plot name title y figures factor>
<@bars name=name title=title y=y + ((run.policies[0].bySeed![])?size gt 1)?then("; thin line: from the least to the most of ${run.policies[0].bySeed?size} seeds", "")
    categories=figures?values>
<#list run.policies as one>
<#assign all = figures?keys?map(figure -> ofSeeds(one, figure, factor))>
<@series name=inWords(one.policy) values=figures?keys?map(figure -> factor * one[figure]) from=all?map(each -> min(each)) to=all?map(each -> max(each))/>
</#list>
</@bars>
</#macro>
<@plot name="store-rates-bits" title="Memory of the filters, in a region that takes in rows" y="bits per key; less is better"
    figures={bits: "mean of ${run.workload.flushes} flushes and their compactions"} factor=1/>
<@plot name="store-rates-reads" title="Files that Gets read unnecessarily, in a region that takes in rows" y="unnecessary file reads per 1,000 Gets; less is better"
    figures={absent: "Gets of absent rows: all their file reads are unnecessary", present: "Gets of present rows: beside 1,000 necessary file reads"} factor=1000/>
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

<#list runs as run><#list goals(run)?filter(goal -> goal.of?is_number?then(goal.of, goal.of.median) gt goal.asked) as goal>
**Not reached** by `${run.setting.command}`: ${goal.what}.

</#list></#list>
${settings}

</#if>

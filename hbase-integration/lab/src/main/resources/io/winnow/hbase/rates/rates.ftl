<#-- The report of a run that has just ended; or, with "settings", the measured part of docs/rates.md. -->
<#function each run policy metric><#return run.figures.samples("rates", metric, "filters", policy)></#function>
<#function figure run policy metric><#return mean(each(run, policy, metric))></#function>
<#function option run name><#return run.figures.median("ratesRun", name)></#function>
<#-- The ratio of a figure to that of another policy of the run, with its interval over the seeds that both have, if there are several. -->
<#function gain run policy base metric>
  <#local ours = each(run, policy, metric), theirs = each(run, base, metric), seeds = [ours?size, theirs?size]?min>
  <#if seeds gt 1><#return paired(ours, theirs)></#if>
  <#return (seeds == 1)?then(ours?first / theirs?first, notANumber())>
</#function>
<#function ratio run policy base metric>
  <#local found = gain(run, policy, base, metric)>
  <#return found?is_number?then(number(found, 2), interval(found))>
</#function>
<#assign bits = "bitsPerKey", absent = "falseReadsPerAbsentGet", present = "falseReadsPerPresentGet">
<#-- The targets of the default. -->
<#function goals run>
  <#local isFromEmpty = option(run, "large") == 0>
  <#return [
      {"what": "absent Gets, over stock", "asked": isFromEmpty?then(0.37, 0.30), "of": gain(run, "store", "stock", absent)},
      {"what": "present Gets, over stock", "asked": isFromEmpty?then(0.23, 0.15), "of": gain(run, "store", "stock", present)},
      {"what": "bytes, over stock", "asked": isFromEmpty?then(0.82, 0.81), "of": gain(run, "store", "stock", bits)}]>
</#function>
<#if !settings??>
<#assign run = runs[0], policies = values("rates", "filters")>
<@section title="Over time">
<@table title="Means over all moments (less is better in each column)" header=["filters", "bits per key", "over stock", "sum of rates, %",
    "unnecessary file reads per 1000 absent Gets", "over stock", "over file", "per 1000 present Gets", "over stock", "over file", "rows lost"]
    rows=policies?map(one -> [one, number(figure(run, one, bits), 2), ratio(run, one, "stock", bits), number(100 * figure(run, one, "sumOfRates"), 2),
    number(1000 * figure(run, one, absent), 1), ratio(run, one, "stock", absent), ratio(run, one, "file", absent),
    number(1000 * figure(run, one, present), 1), ratio(run, one, "stock", present), ratio(run, one, "file", present),
    sum(each(run, one, "rowsLost"))?c])/>
<#-- The plots of figures 2 and 3: one bar for each of the filters, with its interval over the seeds if there are several. -->
<#function inWords policy><#return policy?starts_with("store-")?then("Winnow, memory ${policy[6..]}", (policy == "store")?then("Winnow, default", policy))></#function>
<#function ofSeeds policy metric factor>
  <#local all = each(run, policy, metric)>
  <#return (all?size gt 1)?then(all?map(value -> factor * value), [])>
</#function>
<#assign seeds = each(run, policies[0], bits)?size>
<#macro plot name title y figures factor>
<@bars name=name title=title y=y + (seeds gt 1)?then("; thin line: from the least to the most of ${seeds} seeds", "")
    categories=figures?values>
<#list policies as one>
<#assign all = figures?keys?map(metric -> ofSeeds(one, metric, factor))>
<@series name=inWords(one) values=figures?keys?map(metric -> factor * figure(run, one, metric)) from=all?map(some -> min(some)) to=all?map(some -> max(some))/>
</#list>
</@bars>
</#macro>
<@plot name="store-rates-bits" title="Memory of the filters, in a region that takes in rows" y="bits per key; less is better"
    figures={bits: "mean of ${option(run, 'flushes')} flushes and their compactions"} factor=1/>
<@plot name="store-rates-reads" title="Files that Gets read unnecessarily, in a region that takes in rows" y="unnecessary file reads per 1,000 Gets; less is better"
    figures={absent: "Gets of absent rows: all their file reads are unnecessary", present: "Gets of present rows: beside 1,000 necessary file reads"} factor=1000/>
</@section>
<#if isFullSize>
<@section title="Goals and results">
<@targets>
<#list goals(run) as goal><@atMost what=goal.what asked=goal.asked of=goal.of/></#list>
</@targets>
</@section>
</#if>
<#else>

| `winnow.store.memory` | `./winnow rates` | bytes | unnecessary file reads, absent rows | present rows | all reads of a present row: HBase's, Winnow's | rows lost |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
<#list runs as run>
<#assign options = run.command?remove_beginning("./winnow rates")?trim>
<#-- Less memory is shown for the first run only; the files of the others have theirs. -->
<#list run.figures.values("rates", "filters")?filter(one -> one == "store" || run?is_first && one?starts_with("store-")) as one>
| ${(one == "store")?then("default", one[6..])} | ${options?has_content?then("`${options}`", "")} | ${ratio(run, one, "stock", bits)} | <#rt>
<#lt>${ratio(run, one, "stock", absent)} | ${ratio(run, one, "stock", present)} | <#rt>
<#lt>${number(1 + figure(run, "stock", present), 3)}, ${number(1 + figure(run, one, present), 3)} | ${sum(each(run, one, "rowsLost"))?c} |
</#list>
</#list>

<#list runs as run><#list goals(run)?filter(goal -> goal.of?is_number?then(goal.of, goal.of.median) gt goal.asked) as goal>
**Not reached** by `${run.command}`: ${goal.what}.

</#list></#list>
${settings}

</#if>

<#-- The measured part of docs/soak.md. -->
<#-- The samples of all processes of a server, one after the other. -->
<#function life metric server number><#return samples("Soak.server", metric, "server", server, "life", number)></#function>
<#function all metric server><#return joined(values("Soak.server", "life")?map(number -> life(metric, server, number)))></#function>
<#-- The median of the samples after the warm-up; of all, if the run ended before. -->
<#function warm metric server>
  <#local minutes = all("minutes", server), found = all(metric, server), from = [warmUpMinutes, minutes?last / 4]?max>
  <#local kept = (0..<found?size)?filter(i -> minutes[i] gt from)?map(i -> found[i])>
  <#return medianOf(kept?has_content?then(kept, found))>
</#function>
<#function perHour server>
  <#local minutes = all("minutes", server), bytes = all("logBytes", server)>
  <#return 60 * (bytes?last - bytes?first) / (minutes?last - minutes?first)>
</#function>

${facts("hbase-integration/results/" + resultsFile)?trim}
<@section title="Goals and results">
Nobody kills `${spared}` and `master`: growth is judged in them. The slope of the heap after collection has
an interval of 95 % certainty, and fails the run if all of it lies above the bound. Threads and
handles are medians of the third and the last quarter of the run, and fail it if they rise by more
than one, and by more than the middle half of the third quarter's samples spread.
<@targets of=bounds/>
</@section>
<@section title="Servers">
Medians of the samples after the warm-up. `${killed}` is killed again and again, so that its samples are of
many processes.
<@table title="Servers" header=["", "samples", "processes", "heap after collection, MB", "direct memory, MB", "threads", "file handles",
    "log, MB an hour"]
    rows=watched?filter(one -> all("minutes", one)?has_content)?map(one -> [one, all("minutes", one)?size,
    values("Soak.server", "life")?filter(number -> life("minutes", one, number)?has_content)?size,
    number(warm("heapAfterCollection", one) / 1000000, 1), number(warm("directMemory", one) / 1000000, 1), number(warm("threads", one), 1),
    number(warm("handles", one), 1), number(perHour(one) / 1000000, 2)])/>
</@section>
<@section title="Done">
<@table title="Done" whole=true header=["what", "times"]>
<#list values("Soak.work", "what") as what>
<#assign count = median("Soak.work", "count", "what", what)>
<@row cells=[what, number(count, (count == count?round)?then(0, 2))]/>
</#list>
</@table>
</@section>

<#-- The measured part of docs/soak.md. -->

${facts("hbase-integration/results/" + resultsFile)?trim}
<@section title="Asked and measured">
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
    rows=servers?map(one -> [one.server, one.samples, one.processes, number(one.heap / 1000000, 1), number(one.direct / 1000000, 1),
    number(one.threads, 1),
    number(one.handles, 1), number(one.logPerHour / 1000000, 2)])/>
</@section>
<@section title="Done">
<@table title="Done" whole=true header=["what", "times"]>
<#list values("Soak.work", "what") as what>
<#assign count = median("Soak.work", "count", "what", what)>
<@row cells=[what, number(count, (count == count?round)?then(0, 2))]/>
</#list>
</@table>
</@section>

# shellcheck shell=bash
# Sourced by bench/run. Measures how long joins take to run and writes the report.
#
#   measure_execution   with $scale, $rounds, $families, $out of bench/run; sets
#                       $status to 1 when a plan or an answer was not what it must be
#
#   cases.sql     the tables and the cases: the file to add a line to
#   measure.sql   functions that run a case
#   family.sql    makes a family's tables, runs its cases, drops the tables
#   verdict.sql   medians, ratios and what is wrong, as views
#   report.sql    benchmarks.md, from the views
#   plot.gp       benchmarks.svg

# shellcheck disable=SC2154,SC2034  # bench/run's variables

# Settings of every session that measures; the report quotes them. The memory
# lets stock hash the largest build side in one batch.
ex_settings=(
	jit=off max_parallel_workers_per_gather=0 work_mem=2GB hash_mem_multiplier=2
	synchronize_seqscans=off
)

# psql with these settings.
ex_psql() {
	local options="-c search_path=bench -c session_preload_libraries=hashjoin_ext -c client_min_messages=warning"
	PGOPTIONS="$options ${ex_settings[*]/#/-c }" "$HJ_BIN/psql" -X -q -v ON_ERROR_STOP=1 -At "$@"
}

# ex_families: those to measure, one a line, in the order of cases.sql.
ex_families() {
	local f all
	all=$(ex_psql -c "SELECT family FROM bench_case GROUP BY family ORDER BY min(id)")
	if [ -z "$families" ]; then say "$all"; return; fi
	for f in ${families//,/ }; do
		grep -qxF -- "$f" <<< "$all" || die "no such family: $f; there are: ${all//$'\n'/, }"
	done
	grep -xF -- "${families//,/$'\n'}" <<< "$all"
}

ex_memory() { awk '/^MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo 2> /dev/null; }

# Writes benchmarks.md.
ex_report() {
	ex_psql -v scale="$scale" -v rounds="$rounds" -v families="${families//,/, }" -v settings="${ex_settings[*]}" \
		-v machine="$(nproc) processors ($(processor)), $(ex_memory) of memory" -v today="$(date +%Y-%m-%d)" \
		-f "$here/execution/report.sql" > "$HJ_WORK/benchmarks.md"
	cp "$HJ_WORK/benchmarks.md" "$out/benchmarks.md"
	say "written: $out/benchmarks.md"
}

# Writes benchmarks.svg where there is a gnuplot or one may be installed.
ex_plot() {
	local title="Stock time / our time"
	[ "$scale" = 1 ] || title+=", at scale $scale"
	if ! command -v gnuplot > /dev/null; then
		if ! hj_may_install || ! (hj_install gnuplot-nox); then
			say "no plot: gnuplot is missing (Debian: gnuplot-nox)"
			return
		fi
	fi
	ex_psql -F $'\t' -c "SELECT * FROM plot" > "$HJ_WORK/plot.tsv"
	if [ ! -s "$HJ_WORK/plot.tsv" ]; then return; fi
	gnuplot -e "data = '$HJ_WORK/plot.tsv'; chart = '$HJ_WORK/plot.svg'; heading = '$title'" "$here/execution/plot.gp"
	cp "$HJ_WORK/plot.svg" "$out/benchmarks.svg"
	say "written: $out/benchmarks.svg"
}

measure_execution() {
	local f list trouble
	ex_psql -f "$here/execution/measure.sql" -v scale="$scale" -v rounds="$rounds"
	ex_psql -f "$here/execution/cases.sql"
	list=$(ex_families) || exit
	ex_psql -c "DELETE FROM bench_case WHERE NOT family = ANY (string_to_array('${list//$'\n'/,}', ','))"
	ex_psql -f "$here/execution/verdict.sql"
	for f in $list; do
		# What was measured is reported, even if the server fell over.
		ex_psql -v family="$f" -f "$here/execution/family.sql" < /dev/null || {
			sleep 5
			ex_psql -c "INSERT INTO trouble (what) VALUES ('family $f was not finished: see the error that psql printed')"
			break
		}
	done
	ex_report
	ex_plot
	trouble=$(ex_psql -c "SELECT message FROM problem")
	if [ -n "$trouble" ]; then
		say "ERRORS:"; say "$trouble"
		status=1
	fi
}

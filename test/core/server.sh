# shellcheck shell=bash
# server.sh - one suite against one throw-away server. Sourced by run.

# Kept out of every run, for what it prints then varies by itself: autovacuum
# (its ANALYZE changes plans at any time) and JIT (EXPLAIN ANALYZE shows it).
base_conf() {
	cat <<CONF
listen_addresses = ''
unix_socket_directories = '$1'
fsync = off
jit = off
autovacuum = off
max_prepared_transactions = 2
log_line_prefix = 'core:%b:%e:%a:'
log_checkpoints = off
CONF
}

# mode_conf MODE: loaded the three ways that users may choose from
mode_conf() {
	case $1 in
		off)
			echo "shared_preload_libraries = '$work/lib/hashjoin_ext'" ;;
		consider)
			echo "session_preload_libraries = '$work/lib/hashjoin_ext'"
			echo "hashjoin_ext.enable = consider" ;;
		force)
			# our hook says at DEBUG1 why it does not offer a join; the census listens
			echo "session_preload_libraries = '$work/lib/hashjoin_ext,$work/lib/census'"
			echo "hashjoin_ext.enable = force"
			echo "log_min_messages = debug1"
			printf '%s\n' "${settings[@]}" ;;
	esac
}

# run_suite MODE SUITE: what the tests print goes to $results/MODE/SUITE, with
# the server's log. MODE baseline is the server without the library.
run_suite() {
	local mode=$1 suite=$2 out=$results/$1/$2 dir=$work/$2 began=$SECONDS id
	id="$("$bindir/postgres" --version) $source_id ${tests[*]-}"
	if [ "$mode" = baseline ] && [ "$(cat "$out/complete" 2> /dev/null)" = "$id" ]; then
		say "$suite: using the baseline in $out"
		return
	fi
	rm -rf "$out" "$dir"
	mkdir -p "$out" "$dir/out/output_iso" "$dir/out/testtablespace"
	: > "$dir/census.tsv"
	give "$dir"
	start_server "$mode" "$suite"
	"run_$suite" "$dir" > "$dir/summary" 2>&1 || true    # differs from the source's expected output
	stop_server "$suite"
	rm -f "$dir/suite.pid"
	find "$dir/out" -path '*results/*.out' -exec cp {} "$out/" \;
	# the folder's name is another one each time
	sed -i "s#$work#@WORK@#g" "$out"/*.out
	cp "$dir/server.log" "$dir/summary" "$dir/census.tsv" "$out/"
	[ -n "$(find "$out" -name '*.out' -print -quit)" ] || { tail -20 "$dir/summary" "$dir/server.log" >&2; die "$suite did not run"; }
	echo "$id" > "$out/complete"
	say "$suite, $mode: $(find "$out" -name '*.out' | wc -l) tests run, $((SECONDS - began)) s"
}

start_server() {
	local dir=$work/$2
	run_as "$bindir/initdb" -D "$dir/data" -U postgres -A trust -N -E UTF8 --no-locale > "$dir/initdb.log" 2>&1 ||
		{ cat "$dir/initdb.log" >&2; die "initdb failed"; }
	{ base_conf "$dir"; mode_conf "$1"; } >> "$dir/data/postgresql.conf"
	HJ_CENSUS="$dir/census.tsv" run_as "$bindir/pg_ctl" -D "$dir/data" -w -l "$dir/server.log" start > /dev/null ||
		{ tail -20 "$dir/server.log" >&2; die "the server does not start"; }
}

stop_server() {
	run_as "$bindir/pg_ctl" -D "$work/$1/data" -m fast -w stop > /dev/null || die "the server does not stop"
}

# run_as COMMAND...: as the servers' user, in a folder it may enter
run_as() { (cd "$work" && HOME=$work exec ${as[@]+"${as[@]}"} "$@"); }

# A test that never ends must not hold the run for ever; a whole suite takes
# minutes.
limit=3600

run_regress() {
	local dir=$1 schedule=(--schedule="$work/test/regress/parallel_schedule") expected=()
	if [ ${#tests[@]} -gt 0 ]; then
		local t
		schedule=()
		for t in test_setup create_function_c create_misc create_operator create_procedure create_table \
			create_type create_schema create_index create_view create_aggregate create_function_sql create_cast; do
			[[ " ${tests[*]} " == *" $t "* ]] || [ ! -e "$work/test/regress/sql/$t.sql" ] || schedule+=("$t")
		done
		schedule+=("${tests[@]}")
	fi
	if has_expecteddir "$pgxs_test/regress/pg_regress"; then
		expected=(--expecteddir="$work/test/regress")
	fi
	suite_run "$pgxs_test/regress/pg_regress" "$dir" --inputdir="$work/test/regress" ${expected[@]+"${expected[@]}"} \
		--dlpath="$work/dl" --max-concurrent-tests=20 "${schedule[@]}"
}

run_isolation() {
	local dir=$1 schedule=(--schedule="$work/test/isolation/isolation_schedule") expected=()
	[ ${#tests[@]} -eq 0 ] || schedule=("${tests[@]}")
	if has_expecteddir "$pgxs_test/isolation/pg_isolation_regress"; then
		expected=(--expecteddir="$work/test/isolation")
	fi
	suite_run "$pgxs_test/isolation/pg_isolation_regress" "$dir" --inputdir="$work/test/isolation" \
		${expected[@]+"${expected[@]}"} "${schedule[@]}"
}

# Before 16 the expected output was looked for in the input's folder.
has_expecteddir() {
	local help
	help=$("$1" --help)
	[[ $help == *--expecteddir* ]]
}

suite_run() {
	local program=$1 dir=$2
	shift 2
	PGHOST=$dir PGPORT=5432 PGUSER=postgres LC_ALL=C run_as timeout "$limit" "$program" --bindir="$bindir" \
		--host="$dir" --port=5432 --user=postgres --outputdir="$dir/out" "$@" &
	echo $! > "$dir/suite.pid"    # timeout has left our process group: cleanup ends it
	wait $!
}

# cleanup: whatever happened, leave no process and no file
cleanup() {
	local file
	for file in $(jobs -p); do kill "$file" 2> /dev/null || true; done
	for file in "$work"/*/suite.pid; do
		[ ! -e "$file" ] || kill "$(cat "$file")" 2> /dev/null || true
	done
	for file in "$work"/*/data/postmaster.pid; do
		[ ! -e "$file" ] || run_as "$bindir/pg_ctl" -D "$(dirname "$file")" -m immediate -w stop > /dev/null 2>&1 || true
	done
	rm -rf "$work"
}

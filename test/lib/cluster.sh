# shellcheck shell=bash
# Sourced, after postgres.sh. Builds the extension and runs a throw-away server,
# without touching this machine's PostgreSQL or the checkout, as root (who steps
# down: servers refuse root) and as an ordinary user alike.
#
#   hj_workdir              makes $HJ_WORK, a new directory; it and every server
#                           started below are gone when the script ends
#   hj_private_install      builds the extension into a private copy of the
#                           installation of PG_CONFIG; sets HJ_PG_CONFIG, HJ_BIN
#   hj_start [SETTING...]   makes and starts a cluster, with these lines in its
#                           postgresql.conf; sets PGHOST, PGPORT, PGUSER,
#                           PGDATABASE for everything that connects
#   hj_stop                 stops it, gently
#   hj_crashes              prints the lines of the server's log that no test
#                           may cause, if any; false when there are none
#   hj_as COMMAND...        runs it as the user who owns the server
#   hj_own_shm SIZE SCRIPT  goes on in a mount namespace with a /dev/shm of that size;
#                           hj_may_own_shm: is that allowed?
#   hj_stacks               prints what each process is at, for a test that hangs
#
# The private copy: a PostgreSQL finds its libraries and its share directory
# from the place of its binary, as long as they lie relative to one another as
# they did when it was built. So the paths of pg_config are laid out again below
# $HJ_WORK/pg, with the programs copied (they look through links for their own
# place) and everything else linked. Installing the extension there asks for no
# rights, and works for every release and layout.

HJ_PORT=54329		# names the socket file only; nothing listens on TCP
HJ_MOUNTED=()		# what is mounted below $HJ_WORK, to be unmounted at the end

hj_workdir() {
	# Under /tmp, for a Unix socket's path holds 107 bytes only, and TMPDIR may
	# be deep.
	HJ_WORK=$(mktemp -d /tmp/hashjoin_ext.XXXXXX)
	HJ_DATA=$HJ_WORK/data
	HJ_LOG=$HJ_WORK/server.log
	trap hj_cleanup EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM

	HJ_USER=
	if [ "$(id -u)" = 0 ]; then
		HJ_USER=nobody
		if id postgres > /dev/null 2>&1; then HJ_USER=postgres; fi
		chown "$HJ_USER" "$HJ_WORK"
	fi
	chmod 755 "$HJ_WORK"

	# What is in the caller's environment must reach neither server nor tests.
	local v
	for v in $(compgen -e PG || true); do
		case $v in PG_CONFIG | PG_MAJOR | PG_SRC) ;; *) unset "$v" ;; esac
	done
	export LC_ALL=C
}

hj_as() {
	if [ -n "$HJ_USER" ]; then
		setpriv --reuid="$HJ_USER" --regid="$(id -g "$HJ_USER")" --clear-groups env HOME="$HJ_WORK" "$@"
	else
		"$@"
	fi
}

hj_cleanup() {
	local rc=$? mount
	trap - EXIT
	trap '' HUP INT TERM		# once begun, it is carried through
	if [ -e "$HJ_DATA/postmaster.pid" ]; then
		hj_as "$HJ_BIN/pg_ctl" -D "$HJ_DATA" -m immediate -w stop > /dev/null 2>&1 || true
	fi
	cd /
	for mount in "${HJ_MOUNTED[@]}"; do umount -l "$mount" || true; done
	rm -rf "$HJ_WORK"
	exit "$rc"
}

# hj_link_all DIR: $HJ_WORK/pg/DIR becomes a directory of links to DIR's entries.
hj_link_all() {
	mkdir -p "$HJ_WORK/pg$1"
	find "$1" -mindepth 1 -maxdepth 1 -exec ln -sfn -t "$HJ_WORK/pg$1" {} +
}

hj_copy_installation() {
	local bin share lib pkglib dir
	bin=$("$PG_CONFIG" --bindir)
	share=$("$PG_CONFIG" --sharedir)
	lib=$("$PG_CONFIG" --libdir)
	pkglib=$("$PG_CONFIG" --pkglibdir)

	# By name, for some distributions have them in /usr/bin.
	mkdir -p "$HJ_WORK/pg$bin"
	find -L "$bin" -maxdepth 1 -type f \( -name postgres -o -name initdb -o -name "pg_*" -o -name pgbench -o -name psql \
		-o -name "*db" -o -name "*user" \) -exec cp -L -t "$HJ_WORK/pg$bin" {} +
	hj_link_all "$share"
	hj_link_all "$pkglib"
	# The directories that an extension's files are added to.
	for dir in "$share/extension" "$pkglib/bitcode"; do
		if [ -d "$dir" ]; then
			rm "$HJ_WORK/pg$dir"
			hj_link_all "$dir"
		fi
	done
	# Never write through a link into an extension that is installed already.
	rm -f "$HJ_WORK/pg$pkglib"/hashjoin_ext* "$HJ_WORK/pg$pkglib"/bitcode/hashjoin_ext* "$HJ_WORK/pg$share"/extension/hashjoin_ext*
	# Client libraries, where programs look for them relative to themselves.
	if [ "$lib" != "$pkglib" ]; then
		mkdir -p "$HJ_WORK/pg$lib"
		find "$lib" -maxdepth 1 \( -name "libpq*" -o -name "libpgport*" -o -name "libpgcommon*" \) \
			-exec ln -sfn -t "$HJ_WORK/pg$lib" {} +
	fi
	for dir in "$("$PG_CONFIG" --includedir)" "$("$PG_CONFIG" --pkgincludedir)" "$("$PG_CONFIG" --includedir-server)"; do
		if [ ! -e "$HJ_WORK/pg$dir" ]; then
			mkdir -p "$(dirname "$HJ_WORK/pg$dir")"
			ln -s "$dir" "$HJ_WORK/pg$dir"
		fi
	done

	HJ_BIN=$HJ_WORK/pg$bin
	HJ_PG_CONFIG=$HJ_BIN/pg_config
	[ "$("$HJ_PG_CONFIG" --pkglibdir)" = "$HJ_WORK/pg$pkglib" ] ||
		die "$PG_CONFIG: this PostgreSQL cannot be relocated; use make install and make installcheck instead"
}

# hj_copy_sources DIR: the checkout without its history and without what earlier
# builds left, which may be another PostgreSQL's.
hj_copy_sources() {
	mkdir -p "$1"
	(cd "$HJ_ROOT" && find . \( -path ./.git -o -path ./results -o -path ./output_iso -o -path ./tmp_check -o -name '*.o' \
		-o -name '*.bc' -o -name '*.so' \) -prune -o -type f -exec cp -p --parents -t "$1" {} +)
}

hj_private_install() {
	local log=$HJ_WORK/build.log
	hj_copy_installation
	hj_copy_sources "$HJ_WORK/src"
	[ -z "$HJ_USER" ] || chown -hR "$HJ_USER" "$HJ_WORK"
	cd "$HJ_WORK" || return
	if ! hj_as make -C "$HJ_WORK/src" -j2 PG_CONFIG="$HJ_PG_CONFIG" all > "$log" 2>&1 ||
		! hj_as make -C "$HJ_WORK/src" PG_CONFIG="$HJ_PG_CONFIG" install >> "$log" 2>&1; then
		tail -n 40 "$log" >&2
		die "the extension does not build"
	fi
}

hj_start() {
	local locale=C
	if locale -a 2>/dev/null | grep -qix 'c\.utf-\?8'; then locale=C.UTF-8; fi
	export PGHOST=$HJ_WORK PGPORT=$HJ_PORT PGUSER=postgres PGDATABASE=postgres
	hj_as "$HJ_BIN/initdb" -D "$HJ_DATA" -U postgres -A trust -E UTF8 --locale="$locale" --no-sync \
		> "$HJ_WORK/initdb.log" 2>&1 || { cat "$HJ_WORK/initdb.log" >&2; die "initdb failed"; }
	{
		say "listen_addresses = ''"
		say "unix_socket_directories = '$HJ_WORK'"
		say "port = $HJ_PORT"
		# Nothing here outlives the script.
		say "fsync = off"
		say "full_page_writes = off"
		say "synchronous_commit = off"
		if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi
	} >> "$HJ_DATA/postgresql.conf"
	hj_as "$HJ_BIN/pg_ctl" -D "$HJ_DATA" -l "$HJ_LOG" -t 60 -w start > /dev/null 2>&1 < /dev/null ||
		{ tail -n 20 "$HJ_LOG" >&2; die "the server does not start"; }
}

hj_stop() {
	hj_as "$HJ_BIN/pg_ctl" -D "$HJ_DATA" -m fast -t 60 -w stop > /dev/null
}

# A crash that a test survived is still a failure.
hj_crashes() {
	grep -E 'PANIC:|TRAP:|was terminated by signal (4|6|7|8|11)\b|AddressSanitizer|runtime error:' "$HJ_LOG"
}

# May it be had?  Only root has it, and not everywhere.
hj_may_own_shm() { [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs tmpfs /dev/shm > /dev/null 2>&1; }

# hj_own_shm SIZE SCRIPT ARG...: begins the script again where /dev/shm is its own,
# and so large; does nothing when it was. The server's shared memory can then be
# told from that of others.
hj_own_shm() {
	local size=$1
	shift
	if [ -z "${HJ_OWN_SHM-}" ]; then HJ_OWN_SHM=1 exec unshare -m "$@"; fi
	mount -t tmpfs -o "size=$size,mode=1777" tmpfs /dev/shm
}

# What each backend and parallel worker is at.
hj_stacks() {
	local p postmaster
	postmaster=$(head -n 1 "$HJ_DATA/postmaster.pid")
	ps -o pid,stat,cmd --ppid "$postmaster" || true
	command -v gdb > /dev/null || return 0
	for p in $(pgrep -P "$postmaster"); do
		if grep -qaE 'parallel worker|\[local\]' "/proc/$p/cmdline"; then
			say "-- $p"
			timeout 30 gdb -p "$p" -batch -ex bt 2> /dev/null | grep '^#' || true
		fi
	done
}

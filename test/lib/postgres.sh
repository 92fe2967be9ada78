# shellcheck shell=bash
# Sourced. Finds the PostgreSQL to build for and, where something is missing,
# installs it (Debian and its kin) or says exactly what to install.
#
#   hj_find_postgres [PACKAGE...]   sets PG_CONFIG and PG_MAJOR, or ends the
#                                   script; PACKAGEs are wanted besides
#
# PG_CONFIG, if set, is taken as it is: nothing else is looked for, and no
# server is installed. Otherwise the newest supported release that has both its
# server and its headers here.

# shellcheck disable=SC2034  # for those who source this
HJ_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
HJ_SUPPORTED='18 17 16 15'

say() { printf '%s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# MAKEFLAGS of a make that started us would hand its variables (PG_CONFIG
# above all) to every make we start ourselves.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# The major version that a pg_config belongs to; nothing when it does not run.
hj_major() { "$1" --version 2>/dev/null | sed -n 's/^PostgreSQL \([0-9]*\).*/\1/p'; }

hj_has_headers() { [ -e "$("$1" --includedir-server 2>/dev/null)/postgres.h" ] && [ -e "$("$1" --pgxs)" ]; }
hj_has_server() { local bin; bin=$("$1" --bindir 2>/dev/null) && [ -x "$bin/postgres" ] && [ -x "$bin/initdb" ]; }
hj_is_supported() { [[ " $HJ_SUPPORTED " == *" $1 "* ]]; }

# Every pg_config of this machine, one a line, newest major first.
hj_candidates() {
	local c major
	for c in /usr/lib/postgresql/*/bin/pg_config /usr/pgsql-*/bin/pg_config /usr/local/pgsql*/bin/pg_config \
		/opt/homebrew/opt/postgresql@*/bin/pg_config "$(command -v pg_config || true)"; do
		[ -x "$c" ] || continue
		major=$(hj_major "$c")
		if [ -n "$major" ]; then printf '%s %s\n' "$major" "$c"; fi
	done | sort -k1,1nr -s | cut -d' ' -f2-
}

# Sets PG_CONFIG to the newest supported candidate with server and headers.
hj_choose() {
	local c
	while IFS= read -r c; do
		if hj_is_supported "$(hj_major "$c")" && hj_has_headers "$c" && hj_has_server "$c"; then
			PG_CONFIG=$c
			return
		fi
	done < <(hj_candidates)
	return 1
}

# The release to install: the newest whose server is here without its headers
# (that is the one its owner uses), else what the distribution calls
# "postgresql", else the newest that it has.
hj_release_to_install() {
	local c major
	while IFS= read -r c; do
		major=$(hj_major "$c")
		if hj_is_supported "$major" && hj_has_server "$c"; then say "$major"; return; fi
	done < <(hj_candidates)
	for major in $(apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p') $HJ_SUPPORTED; do
		if hj_is_supported "$major" && apt-cache show "postgresql-server-dev-$major" > /dev/null 2>&1; then
			say "$major"
			return
		fi
	done
	return 1
}

# A compiler that finds the C library's headers: Debian's gcc alone does not.
hj_has_compiler() {
	command -v gcc > /dev/null && printf '#include <stdio.h>\n' | gcc -E - > /dev/null 2>&1
}

hj_as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

hj_may_install() {
	command -v apt-get > /dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

# hj_install PACKAGE...
# Debian's server packages create and start a cluster of their own when they
# come; nobody asked for that here, so the drop-in says no while they do.
hj_install() {
	local dropin=/etc/postgresql-common/createcluster.d/zz-hashjoin_ext.conf rc=0
	say "Installing: $*"
	hj_as_root mkdir -p "${dropin%/*}"
	say "create_main_cluster = false" | hj_as_root tee "$dropin" > /dev/null
	hj_as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends "$@" > /dev/null < /dev/null || rc=$?
	hj_as_root rm -f "$dropin"
	[ "$rc" = 0 ] || die "apt-get install $* failed"
}

# What is missing, as package names, in $missing.
hj_missing_tools() {
	command -v make > /dev/null || missing+=(make)
	hj_has_compiler || missing+=(gcc libc6-dev)
}

hj_find_postgres() {
	local missing=() package release
	hj_missing_tools
	if [ -n "${PG_CONFIG:-}" ]; then
		[ -n "$(hj_major "$PG_CONFIG")" ] || die "PG_CONFIG=$PG_CONFIG is not a pg_config that runs"
		hj_has_headers "$PG_CONFIG" || die "$PG_CONFIG: the headers for extensions are missing (Debian: postgresql-server-dev-$(hj_major "$PG_CONFIG"))"
		hj_has_server "$PG_CONFIG" || die "$PG_CONFIG: there is no server (postgres, initdb) in $("$PG_CONFIG" --bindir)"
	elif ! hj_choose; then
		if hj_may_install; then
			say "Looking for PostgreSQL in the distribution's packages"
			hj_as_root apt-get update -qq < /dev/null || true
		fi
		release=$(hj_release_to_install) || release=${HJ_SUPPORTED##* }
		missing+=("postgresql-$release" "postgresql-server-dev-$release")
	fi
	for package; do
		dpkg -s "$package" > /dev/null 2>&1 || missing+=("$package")
	done

	if [ ${#missing[@]} -gt 0 ]; then
		hj_may_install || hj_say_what_to_install "${missing[@]}"
		hj_install "${missing[@]}"
		[ -n "${PG_CONFIG:-}" ] || hj_choose || die "PostgreSQL was installed, but its pg_config is not to be found"
	fi

	PG_MAJOR=$(hj_major "$PG_CONFIG")
	hj_is_supported "$PG_MAJOR" || die "$PG_CONFIG is PostgreSQL $PG_MAJOR; supported: $HJ_SUPPORTED"
	export PG_CONFIG
}

hj_say_what_to_install() {
	if command -v apt-get > /dev/null; then
		die "something is missing, and only root may install it. Please run

    sudo apt-get install --no-install-recommends $*

or name an installed PostgreSQL (15 to 18, with headers) by PG_CONFIG=/path/to/pg_config"
	fi
	die "something is missing. By Debian's names of packages: $*. Please install what your system calls these,
or name an installed PostgreSQL (15 to 18, with headers) by PG_CONFIG=/path/to/pg_config"
}

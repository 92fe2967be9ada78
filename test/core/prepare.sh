# shellcheck shell=bash
# prepare.sh - what the suites need before a server runs: PostgreSQL, its tests,
# the libraries. Sourced by run.

say() { printf 'test-core: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# find_postgres: sets pg_config, bindir, pkglibdir, pgxs_test and major
find_postgres() {
	local pgxs
	pg_config=${PG_CONFIG:-pg_config}
	command -v "$pg_config" > /dev/null ||
		die "no $pg_config; install PostgreSQL and its server headers (Debian: postgresql, postgresql-server-dev-NN), or set PG_CONFIG"
	pg_config=$(command -v "$pg_config")
	bindir=$("$pg_config" --bindir)
	pkglibdir=$("$pg_config" --pkglibdir)
	major=$("$pg_config" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
	pgxs=$("$pg_config" --pgxs)
	pgxs_test=$(dirname "$pgxs")/../test
	[ -x "$pgxs_test/regress/pg_regress" ] ||
		die "no pg_regress in $pgxs_test; install the server headers (Debian: postgresql-server-dev-$major)"
	[ -x "$bindir/initdb" ] || die "no server in $bindir"
	command -v "${CC:-cc}" > /dev/null || die "no C compiler; install gcc and make"
}

# find_user: sets as, the words that make a command run as a user a server
# accepts
find_user() {
	local user=${CORE_USER:-postgres}
	as=()
	[ "$(id -u)" = 0 ] || return 0
	id "$user" > /dev/null 2>&1 || user=nobody
	as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups)
	owner=$user
}

# give PATH...: to the user that servers run as
give() { [ ${#as[@]} -eq 0 ] || chown -R "$owner" "$@"; }

# prepare_source: the suites, into $work/test
prepare_source() {
	local src=${PG_SRC:-}
	mkdir "$work/test"
	if [ -z "$src" ]; then
		fetch_source
		src=$fetched
	fi
	if [ -f "$src" ]; then
		mkdir "$work/unpacked"
		tar -xf "$src" -C "$work/unpacked" --wildcards '*src/test/regress' '*src/test/isolation' ||
			die "$src has no src/test/regress and src/test/isolation"
		src=$(dirname "$(dirname "$(dirname "$(find "$work/unpacked" -path '*/src/test/regress' -print -quit)")")")
	fi
	[ -d "$src/src/test/regress/sql" ] ||
		die "PG_SRC=$src is not a source tree of PostgreSQL $major (no src/test/regress)"
	cp -a "$src/src/test/regress" "$src/src/test/isolation" "$work/test/"
	chmod -R u+w "$work/test"
	perl -I"$here/lib" "$here/end-copy" "$work/test/regress"
	rm -rf "$work/unpacked"
	# tests of another major would fail for reasons of their own
	if [ -f "$src/configure" ]; then
		grep -q "^PACKAGE_VERSION='${major}[.a-z]" "$src/configure" ||
			die "PG_SRC=$src is of another major version than the server, $major"
	fi
	source_id=$(cd "$work/test" && find . -type f -newermt 1970-01-02 -print0 | sort -z |
		xargs -0 cat | cksum | tr ' ' '-')
}

# fetch_source: the distribution's source package, kept in the user's cache;
# sets fetched to the tar file. It asks the machine's own mirrors, through a
# private apt directory, for the machine may have no deb-src lines.
fetch_source() {
	local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/hashjoin_ext/postgresql-$major
	local need="set PG_SRC to a source tree of PostgreSQL $major" file
	local options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$cache/apt/sources"
		-o "Dir::State::Lists=$cache/apt/lists" -o "Dir::Cache=$cache/apt" -o APT::Sandbox::User=
		-o Acquire::Languages=none)
	mkdir -p "$cache"/apt/{sources,lists/partial,archives/partial}
	fetched=$(source_in "$cache")
	[ -z "$fetched" ] || return 0
	command -v apt-get > /dev/null || die "$need"
	say "no PG_SRC: fetching the source package postgresql-$major"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -e "$file" ] || sed -n 's/^deb\(-src\)\?[[:space:]]/deb-src /p' "$file" | sort -u > "$cache/apt/sources/$(basename "$file" .list).list"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "$cache/apt/sources/$(basename "$file")"
	done
	(
		cd "$cache"
		apt-get "${options[@]}" update
		# of the versions in the index some may be gone from the mirror; the tests
		# need not be the server's minor release
		for version in $(apt-cache "${options[@]}" showsrc "postgresql-$major" | sed -n 's/^Version: //p' | sort -Vru); do
			! apt-get "${options[@]}" source --download-only "postgresql-$major=$version" || exit 0
		done
		exit 1
	) >&2 || die "the source package could not be had; $need"
	fetched=$(source_in "$cache")
	[ -n "$fetched" ] || die "the source package has no orig.tar file; $need"
}

source_in() { find "$1" -name 'postgresql*.orig.tar.*' ! -name '*.asc' | sort -V | tail -1; }

# prepare_libraries: hashjoin_ext as this tree has it, the census, and what the
# regression tests load; all built in $work, nothing is installed
prepare_libraries() {
	mkdir "$work/build" "$work/lib" "$work/census" "$work/dl"
	cp -a "$top/Makefile" "$top/src" "$top"/*.control "$top"/*.sql "$work/build/"
	find "$work/build" \( -name '*.o' -o -name '*.bc' -o -name '*.so' \) -delete
	build "$work/build" all
	cp "$work/build/hashjoin_ext.so" "$work/lib/"

	cp "$here/census/"*.[ch] "$work/census/"
	pgxs_makefile census census.o usable.o > "$work/census/Makefile"
	build "$work/census" all
	cp "$work/census/census.so" "$work/lib/"

	# packages do not have regress.so
	cp "$work/test/regress/regress.c" "$work/dl/"
	pgxs_makefile regress regress.o > "$work/dl/Makefile"
	build "$work/dl" all
	local module
	for module in refint autoinc; do
		[ ! -e "$pkglibdir/$module.so" ] || ln -s "$pkglibdir/$module.so" "$work/dl/"
	done
}

# pgxs_makefile LIBRARY OBJECT...
pgxs_makefile() {
	printf 'MODULE_big = %s\nOBJS =' "$1"
	shift
	printf ' %s' "$@"
	printf '\nPGXS := $(shell $(PG_CONFIG) --pgxs)\ninclude $(PGXS)\n'
}

build() {
	make -C "$1" PG_CONFIG="$pg_config" with_llvm=no "$2" > "$1/make.log" 2>&1 || {
		tail -30 "$1/make.log" >&2
		die "could not build $1"
	}
}

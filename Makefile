# hashjoin_ext: build, install and test.
#
#   make, make install, make installcheck   as for every PGXS extension
#   make demo                               try it, in a throw-away cluster
#   make test                               all quick tests, in a throw-away cluster
#   make bench                              measure planning and execution against stock
#   make indent                             lay out the C sources as PostgreSQL does
#   make test-core                          PostgreSQL's own suites, joins forced into our node
#                                           (PG_SRC=/path/to/postgresql-NN.M, its source tree)
#   make test-memory                        the memory limit, measured from outside
#   make test-faults                        errors, cancels, kills, full disks at random points
#   make test-small-shm                     parallel joins where shared memory is scarce
#   make test-races                         tiny parallel joins, many times over
#   make test-workers                       the tests of answers again, in parallel workers
#   make fuzz                               random joins, off against forced
#   make model                              the protocols between processes, model-checked
#
# PG_CONFIG=/path/to/pg_config chooses the PostgreSQL for all of them.

# These find PostgreSQL themselves, and install it where it is missing, so they
# must work before there is a pg_config to ask.
DRIVERS = demo test test-core test-memory test-faults test-small-shm test-races test-workers fuzz model bench indent

.PHONY: all $(DRIVERS)
all:

ifneq (,$(filter-out $(DRIVERS),$(or $(MAKECMDGOALS),all)))

# Where this Makefile's tree is: the current directory, unless VPATH (as
# Debian's pg_buildext sets it) has the objects elsewhere.
srctop := $(or $(VPATH),.)

MODULE_big = hashjoin_ext
EXTENSION = hashjoin_ext
DATA = $(notdir $(wildcard $(srctop)/hashjoin_ext--*.sql))
PGFILEDESC = "hashjoin_ext - a faster hash join"

# Every source file below src/ belongs to the module, so the tree is the list.
# Sorted, because the order of a wildcard differs between file systems and
# with it the module's bytes.
OBJS := $(patsubst $(srctop)/%.c,%.o,$(sort $(wildcard $(srctop)/src/*.c $(srctop)/src/*/*.c)))

PG_CPPFLAGS = -I$(srctop)/src

# -Wall is core's own. Of -Wextra only one is left out: callbacks have the
# arguments that core gives them, needed or not.
PG_CFLAGS = -Wextra -Wno-unused-parameter

# Only what the server looks up by name is exported, as is the rule from 16 on:
# no other library's symbols can get in the way, and calls among our own files
# are direct.
PG_CPPFLAGS += '-DPGDLLEXPORT=__attribute__((visibility("default")))'
PG_CFLAGS += -fvisibility=hidden

# Tests, in the order of their names; sql/setup.sql, if there is one, comes
# first. A test of its own database settings: always UTF8 and the C locale, so
# that what is expected does not depend on the server's.
tests := $(sort $(basename $(notdir $(wildcard $(srctop)/sql/*.sql))))
REGRESS = $(filter setup,$(tests)) $(filter-out setup,$(tests))
REGRESS_OPTS = --encoding=UTF8 --no-locale
ISOLATION = $(sort $(basename $(notdir $(wildcard $(srctop)/specs/*.spec))))
ISOLATION_OPTS = --encoding=UTF8 --no-locale
ifneq (,$(wildcard $(srctop)/t/*.pl))
TAP_TESTS = 1
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(wildcard $(PGXS)))
$(error No PostgreSQL to build for: "$(PG_CONFIG) --pgxs" names no file. Install the server's headers (Debian: postgresql-server-dev-NN), or name another pg_config with PG_CONFIG=, or let "make test" install them)
endif

# A server built with LLVM wants bitcode beside the library, for inlining by its
# JIT. Distributions without a hard dependency leave a machine without the
# compiler for it; then the library is built alone, and works as well.
global := $(dir $(PGXS))../Makefile.global
llvm_setting = $(shell sed -n 's/^$(1)[ \t]*=[ \t]*//p' '$(global)')
ifneq (yes,$(shell '$(or $(CLANG),$(call llvm_setting,CLANG))' --version >/dev/null 2>&1 && \
	test -x '$(call llvm_setting,LLVM_BINPATH)/llvm-lto' && echo yes))
override with_llvm := no
endif

include $(PGXS)

# PGXS tracks headers only where PostgreSQL was configured to (Debian: not). The
# tree is small: a changed header rebuilds it.
headers := $(sort $(wildcard $(srctop)/src/*.h $(srctop)/src/*/*.h))
$(OBJS) $(OBJS:.o=.bc): $(headers) | objdirs

# With VPATH the directories of src/ do not exist here yet.
.PHONY: objdirs
objdirs:
	@mkdir -p $(sort $(dir $(OBJS)))

endif

# ARGS goes to the script: make test ARGS=executor_rescan; each says what it takes.
demo:
	@demo/run $(ARGS)

test:
	@test/run $(ARGS)

bench:
	@bench/run $(ARGS)

test-core:
	@test/core/run $(ARGS)

test-memory:
	@test/memory $(ARGS)

test-faults:
	@test/faults $(ARGS)

test-workers:
	@test/workers $(ARGS)

test-small-shm:
	@test/small-shm $(ARGS)

test-races:
	@test/races $(ARGS)

fuzz:
	@test/fuzz $(ARGS)

model:
	@test/model/run $(ARGS)

# PostgreSQL's style, by PostgreSQL's own tool, which Debian packages with the
# headers from 17 on. It must be told every type's name: core's list, and ours as
# they stand in the sources.
newest = $(lastword $(sort $(wildcard $(1))))
PGINDENT ?= $(call newest,/usr/lib/postgresql/*/bin/pgindent)
PG_TYPEDEFS ?= $(call newest,/usr/share/postgresql/*/typedefs.list)
indent:
	@test -x "$(PGINDENT)" -a -r "$(PG_TYPEDEFS)" || \
		{ echo 'make indent needs pgindent (PGINDENT=) and its typedefs.list (PG_TYPEDEFS=)' >&2; exit 1; }
	@typedefs=$$(mktemp) && trap 'rm -f "$$typedefs"' EXIT && cat "$(PG_TYPEDEFS)" > "$$typedefs" && \
	find src -name '*.[ch]' -exec sed -n 's/^} *\([A-Za-z0-9_]*\);$$/\1/p; s/^typedef .* \**\([A-Za-z0-9_]*\);$$/\1/p' {} + | sort -u >> "$$typedefs" && \
	PATH="$(dir $(PGINDENT)):$$PATH" "$(PGINDENT)" --typedefs="$$typedefs" $(ARGS) $$(find src -name '*.[ch]')

#!/usr/bin/env perl
#
# Random join queries, each run with hashjoin_ext off and with it forced or on, the results
# compared as multisets of rows.
#
#   test/differential/fuzz.pl [--queries N] [--seconds N] [--seed N] [--tables N]
#                             [--workers N] [--verbose]
#
# Connects with psql and the usual PG* variables to a server whose library path
# has hashjoin_ext; everything it makes is in the schema hj_differential, which
# it drops and creates.  The same seed makes the same queries.  Prints a summary;
# for each failure the query made as small as it still fails.  The exit status
# is 1 if a query failed or a backend crashed.
#
# With --workers every run but that with hashjoin_ext off is a parallel one, of so many
# workers, sometimes without the leader; then plans must be seen that share a table.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use File::Temp qw(tempfile);
use Getopt::Long;
use FuzzQuery;

my %opt = (queries => 1000, seconds => 0, seed => time() % 1_000_000, tables => 5, failures => 5, workers => 0);
GetOptions(\%opt, 'queries=i', 'seconds=i', 'seed=i', 'tables=i', 'timeout=i', 'failures=i', 'workers=i', 'verbose') && !@ARGV
  or die "usage: $0 [--queries N] [--seconds N] [--seed N] [--tables N] [--timeout MS] [--failures N] [--workers N] [--verbose]\n";
# A query that hangs in parallel is one that takes too long; so there that is a failure,
# and the limit is one that no query comes near.
$opt{timeout} //= $opt{workers} ? 60_000 : 3000;
my $CHUNK = 50;
my %count = (ok => 0, skipped => 0, slow => 0, failed => 0, ours => 0, others => 0, shared => 0);

# Runs SQL in one session; returns its output.
sub psql
{
	my ($sql) = @_;
	my ($fh, $name) = tempfile('hj_fuzz_XXXXXX', TMPDIR => 1, UNLINK => 1);
	print $fh $sql;
	close $fh;
	my $out = qx(psql -X -q -A -t -F '|' -f '$name' 2>&1);
	unlink $name;
	return $out;
}

sub quoted
{
	my ($s) = @_;
	$s =~ s/'/''/g;
	return "'$s'";
}

my $SESSION = <<"END";
SET client_min_messages = error;
LOAD 'hashjoin_ext';
SET search_path = hj_differential, public, pg_catalog;
SET jit = off;
SET enable_partitionwise_join = on;
SET statement_timeout = $opt{timeout};
END
# Every join is worth it then, and on tables of any size.
$SESSION .= <<"END" if $opt{workers};
SET driver.workers = $opt{workers};
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
END

my $patience = '';

# The verdicts on queries, in their order; the session ends with a crash, and
# then so do the verdicts.
sub verdicts
{
	my (@cases) = @_;
	my $out = psql($SESSION . $patience . join('', map {
		sprintf("SET parallel_leader_participation = %s; SELECT 'VERDICT', * FROM fuzz(%s, %s, %d, %d);\n", $_->{leader}, quoted($_->{sql}), quoted($_->{mode}), $_->{batch_size}, $_->{bits})
	} @cases));
	my @found;
	while ($out =~ /^VERDICT\|(.*)\|(\d+)\|(\d+)\|(\d+)$/mg)
	{
		push @found, { verdict => $1, ours => $2, others => $3, shared => $4 };
	}
	return @found;
}

# A crash takes the server down for a moment.
sub wait_for_server
{
	for (1 .. 60)
	{
		return if psql('SELECT 42;') =~ /^42$/m;
		sleep 1;
	}
	die "the server does not come back\n";
}

sub fails
{
	my ($case) = @_;
	my ($v) = verdicts($case);
	if (!$v)
	{
		wait_for_server();
		return 'FAILED: the session was lost';
	}
	return $v->{verdict} =~ /^FAILED/ ? $v->{verdict} : undef;
}

# Workers take their time to start, and some plans start them for each of many rows.
# Too slow, or does it stand still?  Once more, alone, with five times the patience.
sub finishes
{
	my ($case) = @_;
	$patience = 'SET statement_timeout = ' . 5 * $opt{timeout} . ";\n";
	my ($v) = verdicts($case);
	$patience = '';
	return $v && $v->{verdict} eq 'ok';
}

# Takes away from the query as long as it still fails.
sub reduce
{
	my ($case, $why) = @_;
	my $tries = 0;
  AGAIN:
	for my $q (FuzzQuery::smaller($case->{query}))
	{
		last if $tries++ > 300;
		my %smaller = (%$case, query => $q, sql => FuzzQuery::render($q));
		next if $smaller{sql} eq $case->{sql};
		if (my $still = fails(\%smaller))
		{
			($case, $why) = (\%smaller, $still);
			goto AGAIN;
		}
	}
	return ($case, $why);
}

sub report
{
	my ($case, $why) = @_;
	$count{failed}++;
	print "query $case->{number} of seed $opt{seed}: $why\n  $case->{sql};\n";
	return if $why eq 'slow';
	($case, $why) = reduce($case, $why);
	print "reduced ($case->{mode}, batch_size $case->{batch_size}, debug_hash_bits $case->{bits}, $opt{workers} workers, leader $case->{leader}): $why\n  $case->{sql};\n";
}

$| = 1;
srand($opt{seed});
print "seed $opt{seed}\n";
my $setup = psql("\\set ON_ERROR_STOP on\n\\i $FindBin::RealBin/driver.sql\n\\i $FindBin::RealBin/fuzz.sql\n");
die $setup if $setup =~ /ERROR|FATAL|error:/;
psql(join('', map { "ALTER TABLE hj_differential.$_ SET (parallel_workers = $opt{workers});\n" } qw(t0 t1 t2 t3 t4 t5 t6 t7_0 t7_1))) if $opt{workers};

my $start = time();
my $number = 0;
while ($number < $opt{queries} || $opt{seconds})
{
	last if $opt{seconds} && time() - $start >= $opt{seconds};
	my @cases;
	for (1 .. $CHUNK)
	{
		my $q = FuzzQuery->query($opt{tables});
		push @cases, {
			number => $number++, query => $q, sql => FuzzQuery::render($q),
			mode => FuzzQuery::pick('force', 'force', 'force', 'on'),
			batch_size => FuzzQuery::pick(1, 2, 3, 7, 1024, 1024), bits => FuzzQuery::pick(0, 1, 3, 8, 64, 64),
			leader => $opt{workers} ? FuzzQuery::pick('on', 'on', 'off') : 'on' };
		last if !$opt{seconds} && $number >= $opt{queries};
	}
	while (@cases)
	{
		my @verdicts = verdicts(@cases);
		for my $v (@verdicts)
		{
			my $case = shift @cases;
			$count{ours} += $v->{ours};
			$count{others} += $v->{others};
			$count{shared} += $v->{shared};
			if ($v->{verdict} =~ /^FAILED/ || $opt{workers} && $v->{verdict} eq 'slow' && !finishes($case)) { report($case, $v->{verdict}); }
			else { $count{ (split / /, $v->{verdict})[0] }++; }
			print "$v->{verdict}: $case->{sql};\n" if $opt{verbose} && $v->{verdict} ne 'ok';
		}
		next unless @cases;
		# One verdict is missing: that query took its session down.
		wait_for_server();
		my $case = shift @cases;
		my $why = fails($case);
		if ($why) { report($case, $why); }
		else { $count{failed}++; print "query $case->{number} of seed $opt{seed}: the session was lost, but not when run alone\n  $case->{sql};\n"; }
	}
	last if $count{failed} >= $opt{failures};
}
printf "%d queries in %d s: %d same, %d failed, %d too slow when forced, %d skipped; joins: %d ours, %d of the server; %d plans share a table\n",
  $number, time() - $start, @count{qw(ok failed slow skipped ours others shared)};
if ($opt{workers} && !$count{shared})
{
	$count{failed}++;
	print "no plan shares a table\n";
}
exit($count{failed} ? 1 : 0);

#!/usr/bin/perl
# comparer.pl - does the comparer see what it must see, and nothing else?
#
# usage: perl -Ilib t/comparer.pl      (in test/core; ends with its own verdict)
#
# Each case is a psql transcript and one change to it; the change is either
# harmless (an order nobody promised, a plan) or must be reported.
use strict;
use warnings;
use Test::More;
use CoreTest::Accepted;
use CoreTest::Compare;
use CoreTest::Isolation;
use CoreTest::Psql;
use CoreTest::ServerLog;

my @input = split /\n/, <<'SQL';
SELECT * FROM t JOIN u USING (k);
SELECT * FROM t JOIN u USING (k)
  ORDER BY k;

SELECT string_agg(a, ',' ORDER BY a) FROM (SELECT a FROM t ORDER BY a) s; -- not ; here
EXPLAIN SELECT 1;
SELECT explain_merge('x');
CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC
  SELECT CASE WHEN true THEN 1 ELSE 2 END;
END;
SELECT f('a;

b');
COPY t FROM stdin;
1	one
SELECT 1;
\.
PREPARE p AS SELECT k FROM t ORDER BY k;
EXECUTE p;
SELECT 1/0;
SQL
my $output = <<'OUT';
SELECT * FROM t JOIN u USING (k);
 k |  a
---+------
 1 | one +
   | more
 2 | two
(2 rows)

SELECT * FROM t JOIN u USING (k)
  ORDER BY k;
 k |  a
---+-----
 1 | one
 2 | two
(2 rows)

SELECT string_agg(a, ',' ORDER BY a) FROM (SELECT a FROM t ORDER BY a) s; -- not ; here
 string_agg
------------
 one,two
 three
(2 rows)

EXPLAIN SELECT 1;
   QUERY PLAN
-----------------
 Hash Join
(1 row)

SELECT explain_merge('x');
 explain_merge
-----------------
 Hash Join
(1 row)

CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC
  SELECT CASE WHEN true THEN 1 ELSE 2 END;
END;
SELECT f('a;

b');
NOTICE:  called
CONTEXT:  PL/pgSQL function f() line 1
 f
---
 1
(1 row)

COPY t FROM stdin;
PREPARE p AS SELECT k FROM t ORDER BY k;
EXECUTE p;
 k
---
 1
 2
(2 rows)

SELECT 1/0;
ERROR:  division by zero
OUT

# What a change to the output is reported as.
sub report
{
	my ($changed) = @_;
	my @steps = map { CoreTest::Psql::parse(\@input, [ split /\n/, $_ ]) } $output, $changed;
	return join "\n", CoreTest::Compare::steps(@steps);
}

# change FROM, TO, NAME, PATTERN: replacing FROM by TO must be reported, as
# PATTERN, or not at all when that is undefined
sub change
{
	my ($from, $to, $name, $pattern) = @_;
	my $changed = $output;

	$changed =~ s/\Q$from\E/$to/ or die "$name: the transcript does not hold $from\n";
	my $report = report($changed);
	if (defined $pattern) { like($report, $pattern, "reported: $name"); }
	else                  { is($report, '', "ignored: $name"); }
}

is(report($output), '', 'the same');

change(" 1 | one +\n   | more\n 2 | two\n", " 2 | two\n 1 | one +\n   | more\n", 'order without ORDER BY');
change(" one,two\n three\n", " three\n one,two\n", 'order of a subquery with ORDER BY');
change(" Hash Join\n(1 row)", " HashJoinExt\n  Something\n(2 rows)", 'a plan');
change("merge\n-----------------\n Hash Join", "merge\n-----------------\n HashJoinExt", 'a plan from a function');

change(" 1 | one\n 2 | two\n", " 2 | two\n 1 | one\n", 'order with ORDER BY', qr/ORDER BY k;\n[-+] 1\|one/);
change(" 1\n 2\n", " 2\n 1\n", 'order of a prepared statement', qr/^\@ EXECUTE p;\n/);
change(" 1 | one +\n   | more\n", " 1 | one +\n   | less\n", 'a value of several lines', qr/^- 1\|one \+\n-   \.\.\. \|more\n\+ 1/m);
change(" 2 | two\n(2 rows)", "(1 row)", 'a row that is gone', qr/^- 2\|two\n\z/m);
change(" 2 | two\n(2 rows)", " 2 | two\n 2 | two\n(3 rows)", 'a row that is there twice', qr/^\+ 2\|two\n\z/m);
change(" f\n---\n 1", " f\n---\n 2", 'a value', qr/^- 1\n\+ 2\n\z/m);
change("ERROR:  division by zero", "ERROR:  division by one", 'the text of an error', qr/^- ERROR:  division by zero\n\+ /m);
change("NOTICE:  called\nCONTEXT:  PL/pgSQL function f() line 1\n", '', 'a message that is gone', qr/^- NOTICE:  called\n-   \.\.\. CONTEXT/m);
change("ERROR:  division by zero\n", '', 'an error that is gone', qr/^- \(this statement\)\n- ERROR/m);
change("ERROR:  division by zero\n", "server closed the connection unexpectedly\n", 'a lost connection', qr/^\+ server closed/m);
change("   QUERY PLAN\n-----------------\n Hash Join\n(1 row)\n", "ERROR:  bogus varno\n", 'a plan that is an error', qr/^\+ ERROR:  bogus/m);

eval { report($output =~ s/SELECT 1\/0;\n.*//sr) };
like($@, qr/output ends before input line \d+/, 'reported: output that ends early');

# isolation
my $isolation = <<'OUT';
Parsed test spec with 2 sessions

starting permutation: a b
step a: SELECT * FROM t
  WHERE k > 0;
k|v
-+-
1|1
2|2
(2 rows)

step b: UPDATE t SET v = 2 RETURNING *; <waiting ...>
step c: COMMIT;
step b: <... completed>
k|v
-+-
1|2
2|2
(2 rows)

OUT

sub isolation
{
	my ($from, $to) = @_;
	my @steps = map { CoreTest::Isolation::parse([ split /\n/, $_ ]) } $isolation, $isolation =~ s/\Q$from\E/$to/r;
	return join "\n", CoreTest::Compare::steps(@steps);
}
is(isolation('', ''), '', 'isolation: the same');
is(isolation("1|1\n2|2\n", "2|2\n1|1\n"), '', 'isolation ignored: order without ORDER BY');
is(isolation("1|2\n2|2\n", "2|2\n1|2\n"), '', 'isolation ignored: the same of a step that waited');
like(isolation("1|2\n2|2\n(2 rows)", "1|2\n(1 row)"), qr/\@ starting permutation: a b\n\| step b: <\.\.\. completed>\n- 2\|2/, 'isolation reported: a row that is gone');
like(isolation(' <waiting ...>', ''), qr/\(this statement\)|waiting/, 'isolation reported: a step that does not wait');

# SQLSTATEs, and what is accepted
is(CoreTest::ServerLog::differ({ 'ERROR 22012' => 1 }, { 'ERROR 22012' => 1 }) // '', '', 'SQLSTATEs: the same');
like(CoreTest::ServerLog::differ({ 'ERROR 22012' => 1 }, { 'ERROR 22003' => 1 }), qr/- 0 times ERROR 22003\n|- 1 times ERROR 22012/, 'SQLSTATEs: another one');
is_deeply([ CoreTest::Accepted::judge([ 'a', 'a', 'b' ], [ 'a', 'c' ]) ], [ ['c'], [ 'a', 'b' ] ], 'unexplained and stale');

done_testing();
exit(Test::More->builder->is_passing ? 0 : 1);

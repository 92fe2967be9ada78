# CoreTest::Order - does a statement promise the order of its rows?
#
# A join may deliver its rows in any order, so the rows of a statement without
# an ORDER BY at its outermost level are a multiset; with one they are a list.
# EXECUTE and FETCH promise what the PREPARE or DECLARE before them said, so
# one object is kept for each test file and sees every statement in turn.
package CoreTest::Order;

use strict;
use warnings;
use CoreTest::Sql;

sub new { return bless { prepared => {}, cursor => {} }, shift; }

# promises TEXT: 1 when the rows' order counts, 0 when they are a multiset.
# What is not understood counts as ordered: then a difference is reported.
sub promises
{
	my ($self, $text) = @_;
	my $top = CoreTest::Sql::top_level($text);
	my $name = qr/("[^"]*"|[\w\$]+)/;

	if ($text =~ /^prepare\s+$name(?:\s*\([^)]*\))?\s+as\s+(.*)/is)
	{
		$self->{prepared}{ lc $1 } = _query($2);
		return 1;
	}
	if ($text =~ /^declare\s+$name\b.*?\bcursor\b.*?\bfor\s+(.*)/is)
	{
		$self->{cursor}{ lc $1 } = _query($2);
		return 1;
	}
	if ($text =~ /^execute\s+$name/i)
	{
		return $self->{prepared}{ lc $1 } // 1;
	}
	if ($text =~ /^(?:fetch|move)\b.*?$name\s*$/is)
	{
		return $self->{cursor}{ lc $1 } // 1;
	}
	if ($text =~ /^copy\s*\((.*)\)\s*to\s+stdout/is)
	{
		return _query($1);
	}
	return _query($text);
}

sub _query
{
	my ($text) = @_;
	my $top = CoreTest::Sql::top_level($text);

	# a query wholly in parentheses has its ORDER BY inside of them
	if ($top !~ /\w/ && $text =~ /^\s*\((.*)\)\s*;?\s*$/s)
	{
		return _query($1);
	}
	return 1 if $top =~ /\border\s+by\b/i;
	return 0 if $top =~ /^\s*(?:select|with|values|table|insert|update|delete|merge)\b/i;
	return 0 if $text =~ /^\s*\(+\s*(?:select|values|table|with)\b/i;
	return 1;
}

1;

# CoreTest::ServerLog - the SQLSTATEs of each test, and signs of a crash, from a
# server's log.
#
# psql prints an error's text and not its SQLSTATE, so the log is read for it,
# written with log_line_prefix = 'core:%b:%e:%a:'. pg_regress and isolationtester
# name the test in application_name. Only the messages of client backends count:
# whether a parallel worker reports an error too depends on the plan.
package CoreTest::ServerLog;

use strict;
use warnings;

# states FILE: { test => { 'ERROR 42P01' => how many } }
sub states
{
	my ($file) = @_;
	my %states;

	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		my ($state, $app, $severity) =
		  $line =~ /^core:client backend:(\w{5}):(.*?):(WARNING|ERROR|FATAL|PANIC):  /
		  or next;
		my ($test) = $app =~ m{^(?:pg_regress|isolation)/([^/]+)};
		$states{ $test // '' }{"$severity $state"}++;
	}
	close $in;
	return \%states;
}

# differ BASE, RUN: the block, as CoreTest::Compare's, of how the states of one
# test differ; nothing when they do not
sub differ
{
	my ($base, $run) = @_;
	my @lines;

	for my $state (sort keys %{ { %{ $base // {} }, %{ $run // {} } } })
	{
		my ($b, $r) = ($base->{$state} // 0, $run->{$state} // 0);
		push @lines, "- $b times $state\n", "+ $r times $state\n" if $b != $r;
	}
	return @lines ? join('', "\@ SQLSTATEs in the server's log\n", @lines) : ();
}

# crashes FILE: lines that tell of a crash
sub crashes
{
	my ($file) = @_;

	open my $in, '<', $file or die "$file: $!\n";
	my @lines = grep { /PANIC:  |TRAP: |was terminated by signal|AddressSanitizer|runtime error:/ } <$in>;
	close $in;
	chomp @lines;
	return @lines;
}

1;

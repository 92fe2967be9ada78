# CoreTest::Psql - the output of `psql -a -q` cut into steps.
#
# psql echoes each line of its input and then prints what that line's end set
# off, so the input file is the map of the output: an output line that equals
# the next input line is its echo, all others are results. Input lines that are
# not echoed: empty ones outside of quotes, the data of a COPY FROM stdin that
# was accepted, and what lies between \set ECHO none and \set ECHO all. Both sides of a comparison are cut the same way, and input
# that is left over at the end is an error, so a wrong guess cannot hide.
package CoreTest::Psql;

use strict;
use warnings;
use CoreTest::Sql;
use CoreTest::Order;

# parse INPUT, OUTPUT (references to lists of lines): a reference to a list of
# steps { label => the statements, ordered => 0|1, lines => [...] }, only those
# that printed anything; dies when the two do not fit.
# REFUSED, a reference to a list, gets the places in INPUT of the lines whose COPY
# FROM stdin was refused before its data was read.
sub parse
{
	my ($input, $output, $refused) = @_;
	my $sql   = CoreTest::Sql->new;
	my $order = CoreTest::Order->new;
	my $next  = 0;                      # first input line not yet echoed
	my @try;                            # where the next echo may be found
	my (@steps, $copy);
	my $step = { label => '', ordered => 1, lines => [] };

	for my $line (@$output)
	{
		@try = _candidates($input, $next, $sql) unless @try;
		my ($at) = grep { $input->[$_] eq $line } @try;
		if (!defined $at && $step->{label} =~ /^\\q?echo -n /)
		{
			# printed without a newline, so the next echo is on the same line
			($at) = grep { $line =~ /\Q$input->[$_]\E$/ } @try;
			push @{ $step->{lines} }, substr($line, 0, -length $input->[$at]) if defined $at;
		}
		if (!defined $at)
		{
			push @{ $step->{lines} }, $line;
			next;
		}
		push @steps, $step if @{ $step->{lines} };
		my @done = $sql->feed($input->[$at]);
		$step = _step($order, @done);
		push @$refused, $copy if defined $copy && $at == $try[0];
		$copy = undef;
		$next = $at + 1;
		@try  = ();
		my $copies = grep { /^\s*\\?copy\b.*\bfrom\s+p?std(?:in|out)\b/is } map { split /\\;/, $_->{text} } @done;
		if ($copies)
		{
			@try = _after_copy($input, $next, $copies, $sql);
			$copy = $at;
		}
		@try = _after_silence($input, $next, $sql) if grep { $_->{text} =~ /^\\set\s+ECHO\s+none\b/ } @done;
	}
	push @steps, $step if @{ $step->{lines} };
	my ($left) = grep { /\S/ } @$input[ $next .. $#$input ];
	if (defined $left && !_ended_early($input, $next))
	{
		die "output ends before input line " . ($next + 1) . " is echoed: $left\n";
	}
	return \@steps;
}

# A script may stop by itself: \q, or a connection that is gone.
sub _ended_early
{
	my ($input, $next) = @_;
	return scalar grep { /^\s*\\q(?:uit)?\b/ } @$input[ 0 .. $next - 1 ];
}

# The next line to be echoed: an empty one only within quotes.
sub _candidates
{
	my ($input, $next, $sql) = @_;
	my @try;

	push @try, $next if $sql->in_quote && $next < @$input && $input->[$next] eq '';
	$next++ while $next < @$input && $input->[$next] eq '';
	push @try, $next if $next < @$input;
	return @try;
}

# After COPY FROM stdin: behind the data, or, when the COPY failed, at what would
# have been the data. With several on one line, behind as many as worked.
sub _after_copy
{
	my ($input, $next, $copies, $sql) = @_;
	my @starts = ($next);

	while ($copies-- > 0)
	{
		my $end = $next;
		$end++ while $end < @$input && $input->[$end] ne '\.';
		last if $end >= @$input;
		$next = $end + 1;
		push @starts, $next;
	}
	return map { _candidates($input, $_, $sql) } @starts;
}

sub _after_silence
{
	my ($input, $next, $sql) = @_;

	$next++ while $next < @$input && $input->[$next] !~ /^\\set\s+ECHO\s+all\b/;
	return _candidates($input, $next + 1, $sql);
}

sub _step
{
	my ($order, @done) = @_;
	my @ordered = map { $_->{end} eq 'meta' ? 1 : $order->promises($_->{text}) } @done;

	# \gset and the like print nothing, \gexec prints what others select
	@ordered = (1) if grep { $_->{end} =~ /^\\(?:gexec|crosstabview)/ } @done;
	return {
		label   => join("\n", map { $_->{text} . ($_->{end} eq 'meta' ? '' : $_->{end}) } @done),
		ordered => (grep { $_ } @ordered) || !@done ? 1 : 0,
		lines   => []
	};
}

1;

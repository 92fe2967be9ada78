# CoreTest::Isolation - the output of isolationtester cut into steps.
#
# A step's line shows its statements; one that waits prints its results when it
# completes, under "<... completed>". Which steps wait, and where they go on, is
# part of what is compared: each line that begins a step is its label.
package CoreTest::Isolation;

use strict;
use warnings;
use CoreTest::Sql;
use CoreTest::Order;

# parse OUTPUT (reference to a list of lines): steps as CoreTest::Psql's
sub parse
{
	my ($output) = @_;
	my (@steps, %text, $permutation);
	my $step = { label => '', ordered => 1, lines => [] };
	my $open = 0;    # the step's statements go on over the next lines

	my $begin = sub {
		push @steps, $step;
		$step = { label => $_[0], ordered => 1, lines => [] };
	};
	$permutation = '';
	for my $line (@$output)
	{
		if ($line =~ /^starting permutation: /)
		{
			$begin->($line);
			%text        = ();
			$permutation = $line;
			$open        = 0;
		}
		elsif ($line =~ /^step (\S+): (.*)$/)
		{
			my ($name, $sql) = ($1, $2);
			$begin->($line);
			$step->{permutation} = $permutation;
			$step->{name} = $name;
			if ($sql =~ /^<\.\.\. completed>/)
			{
				$step->{sql} = $text{$name} // '';
				$open = 0;
			}
			else
			{
				$step->{sql} = $text{$name} = $sql;
				$open = !_complete($sql);
			}
		}
		elsif ($open)
		{
			$step->{label} .= "\n$line";
			$step->{sql}   .= "\n$line";
			$text{ $step->{name} } = $step->{sql};
			$open = !_complete($step->{sql});
		}
		else
		{
			push @{ $step->{lines} }, $line;
		}
	}
	push @steps, $step;
	$_->{ordered} = _ordered($_->{sql}) for @steps;
	return \@steps;
}

# isolationtester prints a step's text as the spec has it, less the white space
# around; it has ended when its last statement has.
sub _complete
{
	my ($text) = @_;
	my $sql = CoreTest::Sql->new;

	$text =~ s/ <waiting \.\.\.>.*$//s;
	for my $line (split /\n/, $text) { $sql->feed($line); }
	return !$sql->pending;
}

sub _ordered
{
	my ($text) = @_;
	return 1 unless defined $text;
	my $sql   = CoreTest::Sql->new;
	my $order = CoreTest::Order->new;

	$text =~ s/ <waiting \.\.\.>.*$//s;
	my @done = map { $sql->feed($_) } split /\n/, $text;
	return 1 unless @done;
	# what else the step does (BEGIN, SET) prints no rows
	my @query = grep { $_->{text} =~ /^\(*\s*(?:select|with|values|table|insert|update|delete|merge|fetch|execute)\b/i } @done;
	return 1 unless @query;
	return (grep { $order->promises($_->{text}) } @query) ? 1 : 0;
}

1;

# CoreTest::Accepted - differences that a reviewer has accepted.
#
# A file holds the blocks that CoreTest::Compare reports for one test, each under
# a line that begins with '#' and gives the reason; one reason may serve several
# blocks below it. Empty lines separate. A block must occur exactly as kept: a
# difference that is not in the file fails the test, and so does a block in the
# file that no longer occurs, for then its reason is no longer true.
package CoreTest::Accepted;

use strict;
use warnings;

# load FILE: the blocks accepted, in the file's order; none when there is no
# file. Dies when a block has no reason.
sub load
{
	my ($file) = @_;
	my (@blocks, $reason, $block);

	return unless -e $file;
	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		if ($line =~ /^#\s*(.*)/)
		{
			$reason = $1;
			$block  = undef;
		}
		elsif ($line =~ /^\@ /)
		{
			die "$file line $.: no reason above this block\n" unless $reason;
			push @blocks, $line;
			$block = \$blocks[-1];
		}
		elsif ($line =~ /^\s*$/) { $block = undef; }
		elsif ($block && $line =~ /^[-+|] /) { $$block .= $line; }
		else { die "$file line $.: not understood: $line"; }
	}
	close $in;
	die "$file is empty: remove it\n" unless @blocks;
	return @blocks;
}

# judge ACCEPTED, FOUND (references to lists of blocks): references to the lists
# of blocks that are unexplained, and stale
sub judge
{
	my ($accepted, $found) = @_;
	my %left;
	my @unexplained;

	$left{$_}++ for @$accepted;
	for my $block (@$found)
	{
		if   ($left{$block}) { $left{$block}--; }
		else                 { push @unexplained, $block; }
	}
	my @stale = map { ($_) x $left{$_} } grep { $left{$_} } sort keys %left;
	return (\@unexplained, \@stale);
}

1;

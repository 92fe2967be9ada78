# CoreTest::Compare - what differs between two runs of one test, plans aside.
#
# A difference is a block of text, the same on every run and every machine, so
# that an accepted one can be kept in a file and matched exactly:
#
#   @ the statement, or the step            (its Nth occurrence, if not the first)
#   | its further lines
#   - what only the baseline printed
#   + what only this run printed
package CoreTest::Compare;

use strict;
use warnings;
use CoreTest::Result;

# steps BASE, RUN: blocks; both are lists of steps (see CoreTest::Psql). Steps
# without any result may be missing from a list.
sub steps
{
	my ($base, $run) = @_;
	my (@blocks, %seen);
	my $same_shape = @$base == @$run
	  && !grep { $base->[$_]{label} ne $run->[$_]{label} } 0 .. $#$base;

	return _shape($base, $run) unless $same_shape;
	for my $i (0 .. $#$base)
	{
		my $label = $base->[$i]{label};
		my $where = defined $base->[$i]{permutation} ? "$base->[$i]{permutation}\n$label" : $label;
		my $nth   = ++$seen{$where};
		my @lines = _step($base->[$i], $run->[$i]);
		push @blocks, _block($where, $nth, @lines) if @lines;
	}
	return @blocks;
}

sub _block
{
	my ($where, $nth, @lines) = @_;
	my ($first, @more) = split /\n/, $where eq '' ? '(before the first statement)' : $where;

	push @more, "(occurrence $nth)" if $nth > 1;
	return join('', "\@ $first\n", (map { "| $_\n" } @more), map { "$_\n" } @lines);
}

# The runs did not print at the same statements. Cut the lists to where they
# meet again and report the statements in between as whole.
sub _shape
{
	my ($base, $run) = @_;
	my @blocks;
	my @script = script([ map { $_->{label} } @$base ], [ map { $_->{label} } @$run ]);
	my (%seen);
	my ($b, $r) = (0, 0);
	for my $op (@script)
	{
		my ($kind, $label) = @$op;
		my $step = $kind eq '+' ? $run->[$r] : $base->[$b];
		my $where = defined $step->{permutation} ? "$step->{permutation}\n$label" : $label;
		my $nth = ++$seen{$where};
		my @lines;
		if ($kind eq '=') { @lines = _step($base->[ $b++ ], $run->[ $r++ ]); }
		elsif ($kind eq '-') { @lines = map { "- $_" } '(this statement)', @{ $base->[ $b++ ]{lines} }; }
		else { @lines = map { "+ $_" } '(this statement)', @{ $run->[ $r++ ]{lines} }; }
		push @blocks, _block($where, $nth, @lines) if @lines;
	}
	return @blocks;
}

# Lines that tell the results of one step apart; none when they are equal.
sub _step
{
	my ($base, $run) = @_;
	return if join("\n", @{ $base->{lines} }) eq join("\n", @{ $run->{lines} });

	my @base = CoreTest::Result::parse(@{ $base->{lines} });
	my @run  = CoreTest::Result::parse(@{ $run->{lines} });
	my $kinds = join ' ', map { $_->{kind} } grep { $_->{kind} !~ /text|message/ } @base;
	if ($kinds ne join ' ', map { $_->{kind} } grep { $_->{kind} !~ /text|message/ } @run)
	{
		return _lists(1, $base->{lines}, $run->{lines});
	}
	my @lines;
	for my $kind (qw(message text))
	{
		push @lines,
		  _lists($base->{ordered},
			[ map { $_->{text} } grep { $_->{kind} eq $kind } @base ],
			[ map { $_->{text} } grep { $_->{kind} eq $kind } @run ]);
	}
	my @base_tables = grep { $_->{kind} eq 'table' } @base;
	my @run_tables  = grep { $_->{kind} eq 'table' } @run;
	for my $i (0 .. $#base_tables)
	{
		push @lines, _tables($base->{ordered}, $base_tables[$i], $run_tables[$i]);
	}
	return @lines;
}

sub _tables
{
	my ($ordered, $base, $run) = @_;
	my @columns = map { join '|', @{ $_->{columns} } } $base, $run;

	return ("- $columns[0]", "+ $columns[1]") if $columns[0] ne $columns[1];
	# the header's padding shows the width of the widest value
	my @rows = map { [ @{ $_->{rows} } ] } $base, $run;
	my @exact = $base->{header} eq $run->{header} ? _lists($ordered, @rows) : ('');
	return unless @exact;
	my @plain = _lists($ordered, map { [ map { CoreTest::Result::plain($_) } @$_ ] } @rows);
	# what differs in white space only
	return @plain ? @plain : grep { $_ ne '' } @exact;
}

# lists ORDERED, BASE, RUN: how two lists of strings differ, in order or as
# multisets
sub _lists
{
	my ($ordered, $base, $run) = @_;
	my @lines;

	unless ($ordered)
	{
		my %count;
		$count{$_}++ for @$base;
		$count{$_}-- for @$run;
		for my $item (sort { ($count{$b} > 0) <=> ($count{$a} > 0) || $a cmp $b } grep { $count{$_} } keys %count)
		{
			my $sign = $count{$item} > 0 ? '-' : '+';
			push @lines, (map { "$sign $_" } _multi($item)) x abs($count{$item});
		}
		return @lines;
	}
	for my $op (script($base, $run))
	{
		push @lines, map { "$op->[0] $_" } _multi($op->[1]) if $op->[0] ne '=';
	}
	return @lines;
}

# An item of several lines; the further ones are told from items by a mark, and
# an empty one has a name, for a space at the end of a line is easily lost.
sub _multi
{
	my ($first, @more) = split /\n/, $_[0], -1;
	return (!defined $first || $first eq '' ? '(empty)' : $first, map { $_ eq '' ? "  ..." : "  ... $_" } @more);
}

# script A, B: the shortest way from list A to list B, as [ '=' | '-' | '+', item ].
# Quadratic, after what both begin and end with is cut off; beyond a million
# cells the middle is reported as replaced whole.
sub script
{
	my ($x, $y) = @_;
	my ($from, $xto, $yto) = (0, $#$x, $#$y);
	my (@tail, @script, @length);

	while ($from <= $xto && $from <= $yto && $x->[$from] eq $y->[$from])
	{
		push @script, [ '=', $x->[ $from++ ] ];
	}
	while ($xto >= $from && $yto >= $from && $x->[$xto] eq $y->[$yto])
	{
		unshift @tail, [ '=', $x->[$xto] ];
		$xto--;
		$yto--;
	}
	my ($n, $m) = ($xto - $from + 1, $yto - $from + 1);
	if ($n * $m > 1_000_000)
	{
		return (@script, (map { [ '-', $_ ] } @$x[ $from .. $xto ]),
			(map { [ '+', $_ ] } @$y[ $from .. $yto ]), @tail);
	}
	for my $i (reverse 0 .. $n - 1)
	{
		for my $j (reverse 0 .. $m - 1)
		{
			my ($skip_x, $skip_y) = ($length[ $i + 1 ][$j] // 0, $length[$i][ $j + 1 ] // 0);
			$length[$i][$j] =
			    $x->[ $from + $i ] eq $y->[ $from + $j ] ? 1 + ($length[ $i + 1 ][ $j + 1 ] // 0)
			  : $skip_x > $skip_y                        ? $skip_x
			  :                                            $skip_y;
		}
	}
	my ($i, $j) = (0, 0);
	while ($i < $n || $j < $m)
	{
		if ($i < $n && $j < $m && $x->[ $from + $i ] eq $y->[ $from + $j ])
		{
			push @script, [ '=', $x->[ $from + $i++ ] ];
			$j++;
		}
		elsif ($j >= $m || ($i < $n && ($length[ $i + 1 ][$j] // 0) >= ($length[$i][ $j + 1 ] // 0)))
		{
			push @script, [ '-', $x->[ $from + $i++ ] ];
		}
		else
		{
			push @script, [ '+', $y->[ $from + $j++ ] ];
		}
	}
	return (@script, @tail);
}

1;

# CoreTest::Result - what one statement printed, cut into items.
#
# An item is one of
#   { kind => 'table', columns, header, rows => [...], count }  psql's aligned
#         output, or isolationtester's; each row is one string, lines joined
#   { kind => 'plan' }             a table whose rows are the text of a plan
#   { kind => 'message', text }    NOTICE, ERROR ... with its DETAIL, CONTEXT and all
#         other lines up to the next item, for a message may have several
#   { kind => 'text', text }       any other line
package CoreTest::Result;

use strict;
use warnings;

# Columns that hold plan text: EXPLAIN's own, and those of the functions by
# which core's tests run EXPLAIN and hide what varies in it.
my $plan_column = qr/^(?:QUERY[ ]PLAN|explain_\w+)$/x;

my $severity = qr/(?:DEBUG|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC)/;
my $message_start = qr/^(?:[\w-]+: )?$severity:  /;

# parse LINES: the items, in the order printed
sub parse
{
	my (@lines) = @_;
	my @items;
	my $i = 0;

	while ($i < @lines)
	{
		my ($table, $next) = _table(\@lines, $i);
		if ($table)
		{
			push @items, $table;
			$i = $next;
		}
		elsif ($lines[$i] =~ $message_start)
		{
			my @text = ($lines[ $i++ ]);
			push @text, $lines[ $i++ ]
			  while $i < @lines && $lines[$i] !~ $message_start && !_table(\@lines, $i);
			push @items, { kind => 'message', text => join("\n", @text) };
		}
		else
		{
			push @items, { kind => 'text', text => $lines[ $i++ ] };
		}
	}
	return @items;
}

# The table that begins at line $i, and the line after it.
sub _table
{
	my ($lines, $i) = @_;
	my $sep = $lines->[ $i + 1 ];

	return unless defined $sep && $sep =~ /^-+(?:\+-+)*$/;
	my $end = $i + 2;
	$end++ while $end < @$lines && $lines->[$end] !~ /^\(\d+ rows?\)$/;
	return if $end >= @$lines;

	my $header = $lines->[$i];
	my @columns = map { s/^\s+|\s+$//gr } split /\|/, $header;
	my ($count) = $lines->[$end] =~ /(\d+)/;
	my @rows = _rows($sep, @$lines[ $i + 2 .. $end - 1 ]);
	my $next = $end + 1;
	$next++ if $next < @$lines && $lines->[$next] eq '';

	if (@columns && grep { $_ =~ $plan_column } @columns)
	{
		return ({ kind => 'plan', columns => \@columns }, $next);
	}
	return (
		{
			kind    => 'table',
			columns => \@columns,
			header  => $header,
			rows    => \@rows,
			count   => $count
		},
		$next);
}

# Lines to rows: a value with newlines in it continues on the next line, which
# psql marks by a '+' in the column's right margin.
sub _rows
{
	my ($sep, @lines) = @_;
	my (@rows, @ends, $pos);
	my @open;

	$pos = 0;
	for my $width (map { length } split /\+/, $sep)
	{
		$pos += $width;
		push @ends, $pos - 1;
		$pos++;
	}
	for my $line (@lines)
	{
		my $text = $line;
		utf8::decode($text);
		push @open, $line;
		my $continues = $text =~ /\+$/ && length($text) == $ends[-1] + 1;
		for my $end (@ends[ 0 .. $#ends - 1 ])
		{
			$continues = 1 if length($text) > $end + 1 && substr($text, $end, 2) eq '+|';
		}
		next if $continues;
		push @rows, join("\n", @open);
		@open = ();
	}
	push @rows, join("\n", @open) if @open;
	return @rows;
}

# plain ROW: the row without the padding, which depends on the other rows
sub plain
{
	my ($row) = @_;
	return join("\n", map { join('|', map { s/^ +| +$//gr } split(/\|/, $_, -1)) }
		  split(/\n/, $row, -1));
}

1;

# CoreTest::Sql - cut psql input into statements, line by line.
#
# psql echoes every input line before it reads the line's end, so the results
# of a statement follow the line that completes it. To say which statement a
# result belongs to, and whether that statement promises an order, the input
# must be read as psql reads it: quotes, dollar quotes, nested comments,
# parentheses, BEGIN ATOMIC bodies and backslash commands.
#
# feed() takes one line and returns the statements which that line completes.
# A statement is { text, end }: end is ';' or the backslash command that sent
# it; a backslash command alone has its own line as text and 'meta' as end.
package CoreTest::Sql;

use strict;
use warnings;

sub new
{
	my ($class) = @_;
	return bless {
		quote      => '',    # '', "'", 'E', '"', 'C' (comment) or a dollar tag
		comment    => 0,     # nesting depth, when quote is 'C'
		paren      => 0,
		begin      => 0,     # depth of BEGIN ATOMIC ... END
		words      => [],    # the statement's first words, for BEGIN ATOMIC
		text       => '',
		conforming => 1,     # standard_conforming_strings
	}, $class;
}

sub in_quote { return $_[0]{quote} ne ''; }

# Is a statement begun and not ended?
sub pending { return $_[0]{text} =~ /\S/ || $_[0]{quote} ne ''; }

# Backslash commands that send what has been read so far.
my $send = qr/\\(?:gdesc|gexec|gset|gx|g|crosstabview|watch|parse|sendpipeline|close)\b/;

sub feed
{
	my ($self, $line) = @_;
	my @done;

	$line .= "\n";
	pos($line) = 0;
	while (pos($line) < length $line)
	{
		if ($self->{quote} ne '')
		{
			$self->_inside(\$line);
			next;
		}
		if ($line =~ /\G(\\;)/gc) { $self->{text} .= $1; next; }
		if ($line =~ /\G(\\[^\n]*\n)/gc)
		{
			push @done, $self->_meta($1);
			next;
		}
		if ($line =~ /\G;/gc)
		{
			if ($self->{paren} == 0 && $self->{begin} == 0)
			{
				push @done, $self->_finish(';');
			}
			else
			{
				$self->{text} .= ';';
			}
			next;
		}
		$self->_outside(\$line);
	}
	return @done;
}

# One token within a quote or comment.
sub _inside
{
	my ($self, $line) = @_;
	my $quote = $self->{quote};

	if ($quote eq 'C')
	{
		if    ($$line =~ m{\G/\*}gc) { $self->{comment}++; }
		elsif ($$line =~ m{\G\*/}gc)
		{
			$self->{quote} = '' if --$self->{comment} == 0;
		}
		else { $$line =~ /\G(?:[^*\/]+|.)/gcs; }
		return;
	}
	my $token;
	if ($quote eq "'" || $quote eq 'E')
	{
		if    ($quote eq 'E' && $$line =~ /\G(\\.)/gcs) { $token = $1; }
		elsif ($$line =~ /\G'/gc) { $token = "'"; $self->{quote} = ''; }
		elsif ($$line =~ /\G([^'\\]+|.)/gcs) { $token = $1; }
	}
	elsif ($quote eq '"')
	{
		if    ($$line =~ /\G"/gc) { $token = '"'; $self->{quote} = ''; }
		elsif ($$line =~ /\G([^"]+)/gc) { $token = $1; }
	}
	elsif ($$line =~ /\G\Q$quote\E/gc) { $token = $quote; $self->{quote} = ''; }
	elsif ($$line =~ /\G([^\$]+|.)/gcs) { $token = $1; }
	$self->{text} .= $token;
	return;
}

# One token outside of quotes.
sub _outside
{
	my ($self, $line) = @_;
	my $token;

	if ($$line =~ /\G--[^\n]*/gc) { return; }
	if ($$line =~ m{\G/\*}gc)
	{
		$self->{quote} = 'C';
		$self->{comment} = 1;
		return;
	}
	if ($$line =~ /\G([eE]')/gc) { $token = $1; $self->{quote} = 'E'; }
	elsif ($$line =~ /\G'/gc)
	{
		$token = "'";
		$self->{quote} = $self->{conforming} ? "'" : 'E';
	}
	elsif ($$line =~ /\G"/gc) { $token = '"'; $self->{quote} = '"'; }
	elsif ($$line =~ /\G(\$(?:[A-Za-z_\x80-\xff][A-Za-z_0-9\x80-\xff]*)?\$)/gc)
	{
		$token = $self->{quote} = $1;
	}
	elsif ($$line =~ /\G([A-Za-z_\x80-\xff][A-Za-z_0-9\$\x80-\xff]*)/gc)
	{
		$token = $1;
		$self->_word(lc $token) if $self->{paren} == 0;
	}
	elsif ($$line =~ /\G([()])/gc)
	{
		$token = $1;
		if    ($token eq '(')      { $self->{paren}++; }
		elsif ($self->{paren} > 0) { $self->{paren}--; }
	}
	elsif ($$line =~ /\G(\s+|[0-9]+|.)/gcs) { $token = $1; }
	$self->{text} .= $token;
	return;
}

# psql waits for the END of a routine's BEGIN ATOMIC body.
sub _word
{
	my ($self, $word) = @_;
	my $words = $self->{words};

	push @$words, $word if @$words < 4;
	return unless join(' ', @$words) =~ /^create (?:or replace )?(?:function|procedure)\b/;
	if    ($word eq 'begin')                     { $self->{begin}++; }
	elsif ($word eq 'case' && $self->{begin} > 0) { $self->{begin}++; }
	elsif ($word eq 'end'  && $self->{begin} > 0) { $self->{begin}--; }
	return;
}

sub _meta
{
	my ($self, $command) = @_;

	chomp $command;
	return $self->_finish($command) if $command =~ /^$send/ && $self->{text} =~ /\S/;
	if ($command =~ /^\\r(?:eset)?\b/)
	{
		$self->_reset;
		return;
	}
	return { text => $command, end => 'meta' };
}

sub _finish
{
	my ($self, $end) = @_;
	my $text = $self->{text};

	$text =~ s/^\s+|\s+$//g;
	if ($text =~ /^set\s+(?:session\s+|local\s+)?standard_conforming_strings\s*(?:to|=)\s*'?(\w+)/i)
	{
		$self->{conforming} = lc($1) =~ /^(?:on|true|1|yes|default)$/ ? 1 : 0;
	}
	elsif ($text =~ /^reset\s+(?:standard_conforming_strings|all)\b/i)
	{
		$self->{conforming} = 1;
	}
	$self->_reset;
	return { text => $text, end => $end };
}

sub _reset
{
	my ($self) = @_;
	@$self{qw(paren begin text words)} = (0, 0, '', []);
	return;
}

# top_level TEXT: the statement with quoted text and everything in parentheses
# taken out, so that what is left are the key words of its outermost level.
sub top_level
{
	my ($text) = @_;
	my $out    = '';
	my $depth  = 0;

	while ($text =~ /\G(?:
			(?<quoted> [eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "[^"]*" | (\$\w*\$).*?\g{-1})
			| (?<open>\() | (?<close>\)) | (?<word>[^'"\$()eE]+ | .)
		)/gcsx)
	{
		if    (defined $+{open})  { $depth++; $out .= ' ' }
		elsif (defined $+{close}) { $depth-- if $depth > 0; $out .= ' ' }
		elsif ($depth == 0)       { $out .= defined $+{word} ? $+{word} : ' q ' }
	}
	return $out;
}

1;

# Random join queries for fuzz.pl: made as a tree, rendered as SQL, and made
# smaller while they still fail.
#
# A query is { from, where => [cond], list => [item] }.  A from is a relation
# { sql, alias, cols, refs } or a join { type, left, right, on => [cond] }.  A
# cond and an item are { sql, refs }, refs being the aliases that they need; so
# a relation can be taken out together with everything that speaks of it.
package FuzzQuery;

use strict;
use warnings;

# Columns that can be compared with one another by a hashable operator.
my @KINDS = (
	[qw(i2 i4 i8)], [qw(i4 i4 i8)], ['t'], ['c'], [qw(t c)], ['n'],
	[qw(f4 f8)],    ['d'],          ['u'], ['b'], ['j'],     ['ar'],
	[qw(i4 n)]);
my @ALL = qw(id i2 i4 i8 t c n f4 f8 d u b j ar v);
my @TABLES = map { "t$_" } 0 .. 7;

sub new
{
	my ($class) = @_;
	return bless { aliases => 0 }, $class;
}

sub pick { return $_[ int(rand(@_)) ]; }
sub chance { return rand() < $_[0]; }

# Small tables are likelier: a join of five large ones takes too long.
sub table { return chance(0.15) ? 't6' : chance(0.1) ? pick('t0', 't1') : pick(@TABLES[ 2 .. 5 ], 't7'); }

sub alias
{
	my ($self) = @_;
	return 'x' . $self->{aliases}++;
}

# One relation; @outer are the relations that a LATERAL may refer to.
sub relation
{
	my ($self, @outer) = @_;
	my $a = $self->alias;
	my $t = table();
	my $u = table();
	my $limit = 1 + int(rand(20));
	my @some = qw(id i4 i8 t n v);
	my @ways = (
		(["$t $a", \@ALL]) x 8,
		[ "(SELECT * FROM $t s WHERE s.v < 4) $a", \@ALL ],
		[ "(SELECT * FROM $t s ORDER BY s.v, s.id OFFSET 0) $a", \@ALL ],
		[ "(SELECT * FROM $t s ORDER BY s.id LIMIT $limit) $a", \@ALL ],
		[ "(SELECT DISTINCT i4, t, v FROM $t) $a", [qw(i4 t v)] ],
		[ "(SELECT i4, max(t) AS t, count(*)::int AS v FROM $t GROUP BY i4) $a", [qw(i4 t v)] ],
		[ "(SELECT id, i4, i8, t, n, v FROM $t UNION ALL SELECT id, i4, i8, t, n, v + 1 FROM $u) $a", \@some ],
		[ "(SELECT i AS id, i AS i4, i % 5 AS v FROM generate_series(1, $limit) i) $a", [qw(id i4 v)] ]);
	push @ways, [ $self->join_in_from($t, $u, $a), \@some ];
	my ($sql, $cols) = @{ pick(@ways) };
	my @refs;

	if (@outer && chance(0.25))
	{
		my $o = pick(@outer);
		my $cmp = pick('<', '<=', '<>', '=');
		$sql = pick(
			"LATERAL (SELECT * FROM $t s WHERE s.v $cmp $o->{alias}.v) $a",
			"LATERAL (SELECT s.*, $o->{alias}.v AS ov FROM $t s WHERE s.id < 40) $a",
			"LATERAL (SELECT s.* FROM $t s JOIN $u r ON s.i4 = r.i4 AND r.v $cmp $o->{alias}.v) $a",
			"LATERAL (SELECT s.* FROM $t s LEFT JOIN $u r ON s.t = r.t WHERE s.v = $o->{alias}.v OR r.v IS NULL) $a");
		$cols = \@ALL;
		@refs = ($o->{alias});
	}
	return { sql => $sql, alias => $a, cols => $cols, refs => \@refs };
}

sub join_in_from
{
	my ($self, $t, $u, $a) = @_;
	my ($l, $r) = @{ pick([ 'i4', 'i8' ], [ 't', 't' ], [ 'n', 'n' ], [ 'i4', 'i4' ]) };
	return "(SELECT s.id, s.i4, r.i8, s.t, r.n, coalesce(r.v, 7) AS v FROM $t s "
	  . pick('JOIN', 'LEFT JOIN', 'FULL JOIN') . " $u r ON s.$l = r.$r) $a";
}

sub has
{
	my ($rel, $col) = @_;
	return grep { $_ eq $col } @{ $rel->{cols} };
}

# An equality between two relations that can be hashed; $plain: that stock can hash.
sub equality
{
	my ($l, $r, $plain) = @_;
	my $op = !$plain && chance(0.12) ? 'IS NOT DISTINCT FROM' : '=';
	for (1 .. 20)
	{
		my $kind = pick(@KINDS);
		my ($lc, $rc) = (pick(@$kind), pick(@$kind));
		next unless has($l, $lc) && has($r, $rc);
		my ($ls, $rs) = ("$l->{alias}.$lc", "$r->{alias}.$rc");
		if ($lc =~ /^i/ && chance(0.1)) { $ls = pick("$ls + 1", "abs($ls)", "coalesce($ls, 2)"); }
		elsif ($lc eq 't' && chance(0.1)) { $ls = pick("upper($ls)", "left($ls, 1)"); $rs = "upper($rs)" if $ls =~ /upper/; }
		return { sql => "$ls $op $rs", refs => [ $l->{alias}, $r->{alias} ] };
	}
	return { sql => "$l->{alias}.i4 = $r->{alias}.i4", refs => [ $l->{alias}, $r->{alias} ] };
}

sub residual
{
	my ($l, $r) = @_;
	my ($a, $b) = ($l->{alias}, $r->{alias});
	my $n = int(rand(6));
	my ($sql, @refs) = @{ pick(
			[ "$a.v < $b.v", $a, $b ], [ "$a.v <> $b.v", $a, $b ],
			[ "$a.v IS DISTINCT FROM $b.v", $a, $b ], [ "coalesce($a.v, 1) <= coalesce($b.v, 1)", $a, $b ],
			[ "($a.v = $n OR $b.v > $n)", $a, $b ], [ "$a.v + $b.v > $n", $a, $b ],
			[ "$a.v <> $n", $a ], [ "$b.v < $n", $b ],
			[ "($b.v IS NULL OR $b.v < $n)", $b ], [ "$a.v IS NOT NULL", $a ]) };
	return { sql => $sql, refs => \@refs };
}

# A semi or anti join, as a condition on $l.
sub sublink
{
	my ($self, $l) = @_;
	my $r = { alias => $self->alias, cols => \@ALL };
	my $t = table();
	my $eq = equality($l, $r)->{sql};
	my $res = chance(0.4) ? ' AND ' . residual($l, $r)->{sql} : '';
	my $from = chance(0.2) ? "$t $r->{alias} JOIN " . table() . " y ON y.i4 = $r->{alias}.i4" : "$t $r->{alias}";
	my ($col) = grep { has($l, $_) } pick([qw(i4 t)], [qw(t i4)], [qw(v i4)], [qw(i8 i4)], [qw(n v)])->@*;
	my $sql = pick(
		("EXISTS (SELECT 1 FROM $from WHERE $eq$res)") x 3,
		("NOT EXISTS (SELECT 1 FROM $from WHERE $eq$res)") x 3,
		"$l->{alias}.$col IN (SELECT $r->{alias}.$col FROM $from)",
		$self->not_in($l, $r, $col, $t, $from, $res),
		$self->not_in($l, $r, $col, $t, $from, $res));
	return { sql => $sql, refs => [ $l->{alias} ] };
}

# NOT IN, with NULLs and without, of one column and of two.
sub not_in
{
	my ($self, $l, $r, $col, $t, $from, $res) = @_;
	my ($x, $y) = ("$l->{alias}.$col", "$r->{alias}.$col");
	my $some = pick("$y IS NOT NULL", "$r->{alias}.id % 7 = 2", "$r->{alias}.id > 20", 'true');
	my @forms = (
		"$x NOT IN (SELECT $y FROM $from WHERE $some$res)",
		"$x <> ALL (SELECT $y FROM $from WHERE $some)",
		"$x NOT IN (SELECT max($y) FROM $t $r->{alias} WHERE $some GROUP BY $r->{alias}.v)",
		"$x NOT IN (SELECT $y FROM $t $r->{alias} WHERE $some UNION ALL SELECT z.$col FROM $t z WHERE z.id = 3)");
	push @forms, ("($x, $l->{alias}.v) NOT IN (SELECT $y, $r->{alias}.v FROM $from WHERE $some$res)") x 2
	  if has($l, 'v');
	return pick(@forms);
}

sub relations
{
	my ($from) = @_;
	return $from->{type} ? (relations($from->{left}), relations($from->{right})) : ($from);
}

# A tree of $n relations.
sub from
{
	my ($self, $n, @outer) = @_;
	return $self->relation(@outer) if $n == 1;
	my $nleft = 1 + int(rand($n - 1));
	my $type = pick(('JOIN') x 4, ('LEFT JOIN') x 4, ('RIGHT JOIN') x 2, ('FULL JOIN') x 2);
	my $left = $self->from($nleft, @outer);
	my @lateral = $type =~ /^(LEFT |)JOIN/ ? relations($left) : ();
	my $right = $self->from($n - $nleft, @lateral);
	my ($l, $r) = (pick(relations($left)), pick(relations($right)));
	my $full = $type eq 'FULL JOIN';
	my @on = (equality($l, $r, $full));

	push @on, equality(pick(relations($left)), pick(relations($right)), $full) if chance(0.2);
	push @on, residual($l, $r) if chance(0.35);
	# A FULL JOIN takes nothing else beside hashable and merge-joinable clauses.
	push @on, $self->sublink($r) if $type ne 'FULL JOIN' && chance(0.07);
	return { type => $type, left => $left, right => $right, on => \@on };
}

sub query
{
	my ($class, $max) = @_;
	my $self = $class->new;
	my $from = $self->from(1 + int(rand($max)));
	my @rels = relations($from);
	my (@where, @list);

	push @where, $self->sublink(pick(@rels)) if @rels == 1 || chance(0.35);
	push @where, $self->sublink(pick(@rels)) if chance(0.15);
	push @where, residual(pick(@rels), pick(@rels)) if chance(0.35);
	for my $r (@rels)
	{
		next if chance(0.2);
		push @list, { sql => "$r->{alias}.$_", refs => [ $r->{alias} ] }
		  for (chance(0.15) ? '*' : (grep { chance(0.3) } @{ $r->{cols} }));
		push @list, { sql => $r->{alias}, refs => [ $r->{alias} ] } if chance(0.05);
	}
	if (chance(0.1))
	{
		my ($t, $u, $r) = (table(), table(), pick(@rels));
		my $q = "(SELECT count(*) FROM $t p JOIN $u q ON p.i4 = q.i8 WHERE p.v <= $r->{alias}.v)";
		push @list, { sql => $q, refs => [ $r->{alias} ] };
	}
	@list = ({ sql => 'count(*)', refs => [] }) if !@list || chance(0.08);
	$self->{query} = { from => $from, where => \@where, list => \@list };
	return $self->{query};
}

sub render_from
{
	my ($f) = @_;
	return $f->{sql} unless $f->{type};
	my $right = render_from($f->{right});
	$right = "($right)" if $f->{right}{type};
	return render_from($f->{left}) . " $f->{type} $right ON " . (join(' AND ', map { $_->{sql} } @{ $f->{on} }) || 'true');
}

sub render
{
	my ($q) = @_;
	my $sql = 'SELECT ' . join(', ', map { $_->{sql} } @{ $q->{list} }) . ' FROM ' . render_from($q->{from});
	$sql .= ' WHERE ' . join(' AND ', map { $_->{sql} } @{ $q->{where} }) if @{ $q->{where} };
	return $sql;
}

# Keeps only what needs no other aliases than those that are left.
sub prune
{
	my ($q) = @_;
	my %left = map { $_->{alias} => 1 } relations($q->{from});
	my $whole = sub { my ($c) = @_; return !grep { !$left{$_} } @{ $c->{refs} }; };
	my $walk;
	$walk = sub {
		my ($f) = @_;
		return $whole->($f) ? { %$f } : undef unless $f->{type};
		my ($l, $r) = ($walk->($f->{left}), $walk->($f->{right}));
		return unless $l && $r;
		return { %$f, left => $l, right => $r, on => [ grep { $whole->($_) } @{ $f->{on} } ] };
	};
	my $from = $walk->($q->{from}) or return;
	my @list = grep { $whole->($_) } @{ $q->{list} };
	@list = ({ sql => 'count(*)', refs => [] }) unless @list;
	return { from => $from, list => \@list, where => [ grep { $whole->($_) } @{ $q->{where} } ] };
}

# Every from with one thing less than this one.
sub smaller_froms
{
	my ($f) = @_;
	my @out;
	if (!$f->{type})
	{
		push @out, { %$f, sql => "$1 $f->{alias}", refs => [] } if $f->{sql} =~ /^\W*(?:LATERAL \()?SELECT .*? FROM (t\d)/;
		push @out, { %$f, sql => "t3 $f->{alias}" } if $f->{sql} =~ /^(t[4567]) /;
		return @out;
	}
	push @out, $f->{left}, $f->{right};
	push @out, { %$f, left => $_ } for smaller_froms($f->{left});
	push @out, { %$f, right => $_ } for smaller_froms($f->{right});
	if (@{ $f->{on} } > 1)
	{
		for my $i (0 .. $#{ $f->{on} })
		{
			my @on = @{ $f->{on} };
			splice @on, $i, 1;
			push @out, { %$f, on => \@on };
		}
	}
	push @out, { %$f, type => 'JOIN' } if $f->{type} ne 'JOIN';
	return @out;
}

# Every query with one thing less than this one, the largest steps first.
sub smaller
{
	my ($q) = @_;
	my @out = map { prune({ %$q, from => $_ }) } smaller_froms($q->{from});
	for my $part (qw(where list))
	{
		for my $i (0 .. $#{ $q->{$part} })
		{
			my @rest = @{ $q->{$part} };
			splice @rest, $i, 1;
			next if $part eq 'list' && !@rest;
			push @out, { %$q, $part => \@rest };
		}
	}
	push @out, { %$q, list => [ { sql => 'count(*)', refs => [] } ] } if @{ $q->{list} } > 1;
	return grep { defined } @out;
}

1;

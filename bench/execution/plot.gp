# benchmarks.svg: stock time / our time of every case.
# Wanted: data (place, family's number, family, name, forced, on), chart, heading.
set datafile separator "\t"
set terminal svg size 1500, 640 background "white" font "sans-serif,12"
set output chart
stats data using 5 nooutput
n = int(STATS_records)
top = STATS_max
bottom = STATS_min
stats data using 6 nooutput
top = (top > STATS_max ? top : STATS_max) * 1.3
bottom = (bottom < STATS_min ? bottom : STATS_min) / 1.1
bottom = bottom > 0.8 ? 0.8 : bottom
set title heading
set logscale y
set yrange [bottom : top < 2 ? 2 : top]
set xrange [0.3 : n + 0.7]
set ylabel "times faster"
set format y "%g"
set ytics nomirror out
set xtics out nomirror rotate by 45 right scale 0 font ",11"
set grid ytics lt 1 lc rgb "#e0e0e0"
set border 3
set ytics (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20)
set key at screen 0.99, screen 0.97 right top horizontal
set tmargin 4
set rmargin 2
array colour[8] = [0x1f6fb4, 0xd95f02, 0x2a9d57, 0xb3367f, 0x7a5fc0, 0x8c6d1f, 0x1e9c9c, 0x666666]
# A family's name stands above its first case.
last = ""
begins(family) = (new = family ne last, last = family, new)
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb "black" lw 1.5
plot data using 1:(1):(0):($5 - 1):(colour[1 + (int($2) - 1) % 8]) with vectors nohead lw 6 lc rgb variable notitle, \
	data using 1:5:(colour[1 + (int($2) - 1) % 8]):xtic(4) with points pt 7 ps 0.9 lc rgb variable notitle, \
	data using 1:6 with points pt 6 ps 1.1 lc rgb "black" title "on", \
	data using (begins(strcol(3)) ? $1 - 0.4 : NaN):(top / 1.1):3 with labels left font ",12" notitle, \
	NaN with points pt 7 ps 0.9 lc rgb "#1f6fb4" title "force"

-- Statements that change data through a join.
\set test executor_dml
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE t (k int PRIMARY KEY, v int, n int DEFAULT 0);
INSERT INTO t SELECT g, g FROM generate_series(1, 200) g;
CREATE TABLE s (k int, d int);
INSERT INTO s SELECT g * 2, g FROM generate_series(1, 140) g;
INSERT INTO s VALUES (NULL, 0);
CREATE TABLE u (k int, d int);
INSERT INTO u SELECT g % 30, g FROM generate_series(1, 60) g;
CREATE TABLE pt (k int, v int) PARTITION BY HASH (k);
CREATE TABLE pt0 PARTITION OF pt FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE pt1 (v int, gone int, k int);
ALTER TABLE pt1 DROP COLUMN gone;
ALTER TABLE pt ATTACH PARTITION pt1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO pt SELECT g, g FROM generate_series(1, 50) g;
CREATE TABLE parent (k int, v int);
CREATE TABLE child (x text) INHERITS (parent);
INSERT INTO parent SELECT g, 0 FROM generate_series(1, 20) g;
INSERT INTO child SELECT g, 0, 'c' FROM generate_series(15, 30) g;
ANALYZE;

-- UPDATE ... FROM, with what is put out taken from both sides
SELECT compare_dml('UPDATE t SET v = t.v + s.d FROM s WHERE s.k = t.k AND s.d % 3 = 0', 'SELECT * FROM t');
SELECT compare_dml('UPDATE t SET n = n + 1 FROM s a JOIN s b ON b.d = a.k WHERE t.k = a.d', 'SELECT * FROM t');
SELECT compare_dml('UPDATE t SET (v, n) = (SELECT sum(d), count(*) FROM u JOIN s USING (d) WHERE u.k = t.v % 30)', 'SELECT * FROM t');
SELECT compare_dml('UPDATE t SET n = x.n FROM t x LEFT JOIN s ON s.k = x.k WHERE x.k = t.k AND s.k IS NULL', 'SELECT * FROM t');
SELECT compare('UPDATE t SET v = s.d FROM s WHERE s.k = t.k AND t.k < 20 RETURNING t.*, s.*, t.ctid IS NULL, s.ctid', 'UPDATE t SET v = k');
UPDATE t SET v = k;
-- semi and anti joins: the reduced side is the target, on whichever side it is built
SELECT compare_dml('UPDATE t SET n = 1 WHERE EXISTS (SELECT FROM u WHERE u.k = t.k)', 'SELECT * FROM t');
SELECT compare_dml('UPDATE t SET n = 1 WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k AND u.d > 40)', 'SELECT * FROM t');
SELECT compare_dml('UPDATE t SET n = 1 WHERE k IN (SELECT k FROM u) AND NOT EXISTS (SELECT FROM s WHERE s.k = t.k)', 'SELECT * FROM t');
SELECT compare_dml('DELETE FROM u WHERE EXISTS (SELECT FROM t WHERE u.k = t.k)', 'SELECT * FROM u');
SELECT compare_dml('DELETE FROM u WHERE NOT EXISTS (SELECT FROM s WHERE u.k = s.k)', 'SELECT * FROM u');
SELECT compare_dml('DELETE FROM u WHERE d NOT IN (SELECT d FROM s WHERE d > 3)', 'SELECT * FROM u');
-- each target row once, however often it matches
SELECT compare_dml('UPDATE t SET n = n + 1 FROM u WHERE u.k = t.k', 'SELECT k, n FROM t');
SELECT compare_dml('DELETE FROM t USING u WHERE u.k = t.k', 'SELECT * FROM t');
SELECT compare_dml('DELETE FROM t USING s LEFT JOIN u ON u.d = s.d WHERE t.k = s.k AND u.k IS NULL', 'SELECT * FROM t');
SELECT compare('WITH d AS (DELETE FROM t USING s WHERE t.k = s.k AND s.d > 90 RETURNING t.k, s.d) SELECT count(*), sum(k), sum(d) FROM d',
	'INSERT INTO t SELECT g, g FROM generate_series(1, 200) g ON CONFLICT DO NOTHING');
INSERT INTO t SELECT g, g FROM generate_series(1, 200) g ON CONFLICT DO NOTHING;
-- INSERT from a join with its own target, ON CONFLICT
SELECT compare_dml('INSERT INTO t (k, v) SELECT s.k, 1 FROM s LEFT JOIN t ON t.k = s.k WHERE t.k IS NULL AND s.k IS NOT NULL', 'SELECT * FROM t');
SELECT compare_dml('INSERT INTO t (k, v) SELECT s.k, u.d FROM s JOIN (SELECT DISTINCT ON (k) * FROM u ORDER BY k, d) u ON u.k = s.d % 30 WHERE s.k IS NOT NULL ON CONFLICT (k) DO UPDATE SET n = excluded.v', 'SELECT * FROM t');
-- partitioned and inherited targets
SELECT compare_dml('UPDATE pt SET v = u.d FROM (SELECT DISTINCT ON (k) * FROM u ORDER BY k, d) u WHERE u.k = pt.k', 'SELECT tableoid, * FROM pt');
SELECT compare_dml('UPDATE pt SET k = pt.k + 100 FROM s WHERE s.k = pt.k', 'SELECT tableoid, * FROM pt');
SELECT compare_dml('DELETE FROM pt WHERE NOT EXISTS (SELECT FROM u WHERE u.k = pt.k)', 'SELECT tableoid, * FROM pt');
SELECT compare_dml('UPDATE parent SET v = s.d FROM s WHERE s.k = parent.k', 'SELECT tableoid, * FROM parent');
SELECT compare_dml('DELETE FROM parent USING pt WHERE pt.k = parent.k AND pt.v % 2 = 0', 'SELECT tableoid, * FROM parent');
SELECT compare_dml('UPDATE s SET d = -1 FROM parent WHERE s.k = parent.k', 'SELECT * FROM s');
-- through a view
CREATE VIEW tv AS SELECT k, v, n FROM t WHERE v > 20;
SELECT compare_dml('UPDATE tv SET n = s.d FROM s WHERE s.k = tv.k', 'SELECT * FROM t');
CREATE VIEW ins AS SELECT t.k, t.v, s.d FROM t JOIN s USING (k);
CREATE FUNCTION instead() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE t SET n = NEW.d + OLD.v WHERE k = OLD.k; RETURN NEW; END';
CREATE TRIGGER instead INSTEAD OF UPDATE ON ins FOR EACH ROW EXECUTE FUNCTION instead();
SELECT compare_dml('UPDATE ins SET d = u.d FROM u WHERE u.d = ins.k', 'SELECT * FROM t');
-- MERGE: the join is an outer join; the source may be a join itself
SELECT compare_dml('MERGE INTO t USING (SELECT k + 1 AS k, d FROM s WHERE k IS NOT NULL) q ON q.k = t.k WHEN MATCHED AND d % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = d WHEN NOT MATCHED AND d > 130 THEN INSERT (k, v) VALUES (q.k, q.d) WHEN NOT MATCHED THEN DO NOTHING', 'SELECT * FROM t');
SELECT compare_dml('MERGE INTO t USING (SELECT s.k, min(u.d) AS d FROM s LEFT JOIN u ON u.k = s.d % 30 WHERE s.k IS NOT NULL GROUP BY s.k) q ON q.k = t.k AND t.v > 50 WHEN MATCHED THEN UPDATE SET n = coalesce(q.d, -1) WHEN NOT MATCHED AND q.k > 200 THEN INSERT VALUES (q.k, q.d, 7)', 'SELECT * FROM t');
SELECT compare_dml('MERGE INTO pt USING s ON s.k = pt.k WHEN MATCHED THEN UPDATE SET v = s.d WHEN NOT MATCHED AND s.k > 60 THEN INSERT VALUES (s.k, s.d)', 'SELECT tableoid, * FROM pt');
SELECT compare_dml('MERGE INTO t USING u ON u.k = t.k WHEN MATCHED THEN UPDATE SET n = u.d', 'SELECT * FROM t');
-- triggers with transition tables joined in them; row triggers that read what the join reads
CREATE TABLE log (op text, k int, d int);
CREATE FUNCTION lg() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO executor_dml.log SELECT TG_OP, n.k, s.d FROM newt n LEFT JOIN executor_dml.s ON s.k = n.k JOIN oldt o ON o.k = n.k;
	RETURN NULL;
END $$;
CREATE TRIGGER tr AFTER UPDATE ON t REFERENCING NEW TABLE AS newt OLD TABLE AS oldt FOR EACH STATEMENT EXECUTE FUNCTION lg();
CREATE FUNCTION before_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.n := (SELECT count(*) FROM executor_dml.s JOIN executor_dml.u USING (d) WHERE u.k = NEW.k % 30);
	RETURN NEW;
END $$;
CREATE TRIGGER br BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION before_row();
SELECT compare_dml('UPDATE t SET v = t.v + s.d FROM s WHERE s.k = t.k', 'SELECT * FROM t CROSS JOIN (SELECT count(*), sum(d), sum(k) FROM log) l');
DROP TRIGGER tr ON t;
DROP TRIGGER br ON t;
-- a foreign key whose checks run joins of their own, rules
CREATE TABLE fk (id int PRIMARY KEY, k int REFERENCES t ON DELETE CASCADE);
INSERT INTO fk SELECT g, g FROM generate_series(1, 100) g;
ANALYZE fk;
SELECT compare_dml('DELETE FROM t USING s WHERE s.k = t.k', 'SELECT * FROM fk JOIN t USING (k)');
SET hashjoin_ext.enable = force;
\set VERBOSITY sqlstate
ALTER TABLE fk ADD FOREIGN KEY (id) REFERENCES t (k);
ALTER TABLE s ADD FOREIGN KEY (k) REFERENCES t (k);
\set VERBOSITY default
SET hashjoin_ext.enable = off;
CREATE RULE r AS ON DELETE TO u DO ALSO INSERT INTO log SELECT 'rule', s.k, s.d FROM s WHERE s.d = OLD.d;
SELECT compare_dml('DELETE FROM u USING t WHERE t.k = u.k AND u.d < 20', 'SELECT op, k, d FROM log UNION ALL SELECT ''u'', * FROM u');

-- row locks over joins, on one or both sides, and where NULL-extended
BEGIN;
SELECT compare('SELECT t.*, s.d FROM t JOIN s USING (k) FOR UPDATE OF t');
SELECT compare('SELECT t.*, s.d FROM t JOIN s USING (k) FOR SHARE');
SELECT compare('SELECT t.*, s.d FROM t LEFT JOIN s USING (k) FOR NO KEY UPDATE OF t');
SELECT compare('SELECT t.* FROM t WHERE EXISTS (SELECT FROM s WHERE s.k = t.k) FOR UPDATE SKIP LOCKED');
SELECT compare('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM s WHERE s.k = t.k) FOR KEY SHARE');
SELECT compare('SELECT p.*, u.d FROM pt p JOIN u ON u.k = p.k JOIN parent q ON q.k = p.k FOR UPDATE OF p, q');
SELECT compare('SELECT x.* FROM (SELECT t.k FROM t JOIN s USING (k) ORDER BY k LIMIT 5 FOR UPDATE OF t) x JOIN u ON u.k = x.k');
ROLLBACK;

DROP SCHEMA executor_dml CASCADE;

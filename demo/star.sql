-- A star schema: :rows sales, and what they refer to. The same data every time:
-- a hash of the row's number stands for chance.
\set ON_ERROR_STOP on

CREATE TABLE customers AS
	SELECT g AS customer_id, 'Customer ' || g AS name,
		(ARRAY['Africa', 'Americas', 'Asia', 'Europe', 'Oceania'])[1 + g % 5] AS region,
		(ARRAY['retail', 'trade', 'online', 'public'])[1 + g / 7 % 4] AS segment
	FROM generate_series(1, 100000) g;

CREATE TABLE products AS
	SELECT g AS product_id, 'Product ' || g AS name,
		'category ' || lpad((g % 12 + 1)::text, 2, '0') AS category, g % 90 + 5 AS cost
	FROM generate_series(1, 20000) g;

-- a text key, as web addresses, codes and names are
CREATE TABLE stores AS
	SELECT 'store-' || lpad(g::text, 6, '0') AS store_code, 'City ' || g % 400 AS city,
		(ARRAY['AR', 'BR', 'DE', 'FR', 'IN', 'JP', 'KE', 'NZ'])[1 + g % 8] AS country
	FROM generate_series(0, 4999) g;

CREATE TABLE sales AS
	SELECT g AS sale_id,
		(hashint4(g) & 2147483647) % 100000 + 1 AS customer_id,
		(hashint4(g + 1) & 2147483647) % 20000 + 1 AS product_id,
		'store-' || lpad(((hashint4(g + 2) & 2147483647) % 5000)::text, 6, '0') AS store_code,
		g % 9 + 1 AS quantity,
		(g % 9 + 1) * (g % 97 + 10) AS amount
	FROM generate_series(1, :rows) g;

-- every fourth sale came back
CREATE TABLE returns AS
	SELECT g * 4 AS sale_id, (ARRAY['broken', 'late', 'unwanted'])[1 + g % 3] AS reason
	FROM generate_series(1, :rows / 4) g
	ORDER BY hashint4(g);

ALTER TABLE customers ADD PRIMARY KEY (customer_id);
ALTER TABLE products ADD PRIMARY KEY (product_id);
ALTER TABLE stores ADD PRIMARY KEY (store_code);
VACUUM (ANALYZE) customers, products, stores, sales, returns;

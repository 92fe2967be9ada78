-- One dimension, integer key
SELECT region, count(*), sum(amount)
FROM sales JOIN customers USING (customer_id)
GROUP BY region
ORDER BY region;

-- One dimension, text key
SELECT country, count(*), sum(amount)
FROM sales JOIN stores USING (store_code)
GROUP BY country
ORDER BY country;

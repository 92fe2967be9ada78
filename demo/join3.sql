-- Three dimensions at once, filtered
SELECT category, count(*), sum(amount - quantity * cost) AS margin
FROM sales
	JOIN customers USING (customer_id)
	JOIN products USING (product_id)
	JOIN stores USING (store_code)
WHERE segment IN ('retail', 'online') AND country <> 'NZ'
GROUP BY category
ORDER BY category;

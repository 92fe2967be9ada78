-- LEFT JOIN with a large table
SELECT coalesce(reason, 'kept') AS outcome, count(*), sum(amount)
FROM sales LEFT JOIN returns USING (sale_id)
GROUP BY outcome
ORDER BY outcome;

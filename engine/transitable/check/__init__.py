"""What is wrong with a table: findings, one module a property, and proofs of claims."""

"""What is wrong with a table (`findings`), what is proved of its paths (`claims`), how long it can run (`bounds`)."""

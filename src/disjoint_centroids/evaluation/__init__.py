"""Every method built in one place, comparisons of methods, the methods of others, stability of owners."""

"""Files that users take away: tables, lists of features, JSON."""

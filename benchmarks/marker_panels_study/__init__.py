"""Lists of markers by our panels and by the programs of others, all judged by the same readings."""

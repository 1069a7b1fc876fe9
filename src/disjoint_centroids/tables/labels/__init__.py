"""Class labels: files that hold them, their spellings, samples without one."""

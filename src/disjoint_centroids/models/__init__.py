"""Model files, and predictions for new samples."""

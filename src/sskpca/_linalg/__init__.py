"""Dense linear algebra below every solver: arrays in, arrays out; numpy and scipy only."""

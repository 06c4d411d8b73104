"""Is a dependence certain, or only not excluded?  "Serial" and "not proven parallel" differ by that."""

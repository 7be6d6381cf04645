"""The end-to-end suite: a scheduler program and a cluster.

Standard library only. `tests/e2e/run` is the way in; docs/testing.md says how to use it.
"""

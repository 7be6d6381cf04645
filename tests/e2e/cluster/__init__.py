"""A real cluster on one machine, in namespaces of its own, and Berth on it."""

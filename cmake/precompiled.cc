// Nothing: a library needs a source, and a precompiled header a library.

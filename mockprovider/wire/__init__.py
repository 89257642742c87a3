"""Generic gRPC: serve a table of methods, connect to a target, proxy between the two. Knows no protocol."""

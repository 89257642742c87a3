"""Values on the wire: their types, msgpack, the JSON of state files, and errors for values that do not fit."""

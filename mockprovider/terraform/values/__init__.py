"""Values on the wire: the types that they have, msgpack, the JSON of state files, and errors that say what does not fit."""

"""From a name and the text that mentions it to an entry of an authority, or to none."""

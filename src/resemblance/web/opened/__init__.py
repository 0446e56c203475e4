"""The page of `resemblance open`, which makes maps of dropped files."""

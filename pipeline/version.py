"""The version, of the package and in every record."""

__version__ = "0.1.0"

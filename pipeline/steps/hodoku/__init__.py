"""Techniques in the order of HoDoKu 2.2, and how it finds each of them.

The modules are compiled to machine code.
"""

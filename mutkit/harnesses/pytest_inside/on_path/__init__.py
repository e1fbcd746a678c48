"""Owns the folder that is put at the end of the subject's ``sys.path``: nothing in it may shadow a module."""

# -*- coding: latin-1 -*-
"""Größe."""


def label(number):
    return "Größe: %d" % number


def unit(number):
    return "Fuß" if number == 1 else "Füße"

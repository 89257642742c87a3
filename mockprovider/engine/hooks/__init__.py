"""Hooks: functions of the program that are called around steps."""

"""Programs of any language: a project's folder, or a command, run in a process of its own against a monitor and an engine."""

from mockprovider.pulumi.languages.project import Project, read_project
from mockprovider.pulumi.languages.running import Finish, Launch, Run
from mockprovider.pulumi.languages.table import LANGUAGES, by_command, prepare

__all__ = ["LANGUAGES", "Finish", "Launch", "Project", "Run", "by_command", "prepare", "read_project"]

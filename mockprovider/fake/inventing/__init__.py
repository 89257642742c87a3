"""Values that nobody declared, made up in the form that their names ask for: what a fake of a published schema answers."""

from mockprovider.fake.inventing.forms import FORMS, Form, Invention
from mockprovider.fake.inventing.inventor import Inventor

__all__ = ["FORMS", "Form", "Invention", "Inventor"]

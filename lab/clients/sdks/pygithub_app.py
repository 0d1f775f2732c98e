"""Reads an issue and opens one, with PyGithub's client at its defaults."""

import os

from github import Auth, Github

client = Github(base_url=os.environ["API_URL"], auth=Auth.Token("test"), lazy=True)
repository = client.get_repo("shop/orders")
assert repository.get_issue(1).title == "lamp"
assert repository.create_issue("lamp").number == 1

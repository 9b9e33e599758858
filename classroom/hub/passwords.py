"""The accounts of a class: each gets a password by lot, of which the server keeps a hash.

    python classroom/hub/passwords.py FOLDER [--again] NAME ...

The passwords themselves are written once, into FOLDER/passwords.csv, for the instructor to hand out and then to delete.
"""

import csv
import logging
import os
import re
import secrets
import sys
from pathlib import Path

import bcrypt
from accounts import NAME
from jupyterhub.orm import new_session_factory
from nativeauthenticator.orm import UserInfo

SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"  # nobody takes one for another


def main():
    """Make the accounts, and say for whom. Returns the exit status."""
    folder, again = Path(sys.argv[1]), "--again" in sys.argv
    names = [word.strip().lower() for word in sys.argv[2:] if word != "--again"]
    if odd := [name for name in names if not re.fullmatch(NAME, name)]:
        print(f"No account was made, because these cannot be names: {', '.join(odd)}.")
        print("A name begins with a letter from a to z; letters, digits, - and _ follow, 31 at most: ben-mueller.")
        return 1
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        print(f"No account was made, because these stand there twice: {', '.join(twice)}. Give each student one name.")
        return 1
    logging.disable(logging.INFO)  # of what makes the database
    session = new_session_factory(f"sqlite:///{folder / 'hub' / 'hub.sqlite'}")()
    made = {name: password for name in names if (password := account(session, name, again))}
    session.commit()
    hand_out(folder / "passwords.csv", made)
    for name in sorted(set(names) - set(made)):
        print(f"{name} has an account; --again gives a new password")
    if made:
        print(f"{len(made)} new passwords stand in {folder / 'passwords.csv'}: hand them out, then delete the file")
    return 0


def account(session, name, again=False):
    """Make an account. Returns its password; None where there is one already and it stays."""
    there = UserInfo.find(session, name)
    if there and not again:
        return None
    password = "".join(secrets.choice(SIGNS) for _ in range(12))
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
    if there:
        there.password = hashed
    else:
        session.add(UserInfo(username=name, password=hashed, is_authorized=True))
    return password


def hand_out(path, made):
    """Add names and passwords to a file that nobody else can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        csv.writer(file).writerows(made.items())


if __name__ == "__main__":
    sys.exit(main())

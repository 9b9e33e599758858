"""The accounts of a class, with random passwords of which the server stores only hashes.

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
from accounts import NAME_PATTERN
from jupyterhub.orm import new_session_factory
from nativeauthenticator.orm import UserInfo

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without look-alikes


def main():
    """Create the accounts and report them. Returns the exit status."""
    folder, again = Path(sys.argv[1]), "--again" in sys.argv
    names = [word.strip().lower() for word in sys.argv[2:] if word != "--again"]
    if invalid := [name for name in names if not re.fullmatch(NAME_PATTERN, name)]:
        print(f"No account was made, because these cannot be names: {', '.join(invalid)}.")
        print("A name begins with a letter from a to z; letters, digits, - and _ follow, 31 at most: ben-mueller.")
        return 1
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        print(f"No account was made, because these names are listed twice: {', '.join(twice)}.")
        print("Give each student a different name.")
        return 1
    logging.disable(logging.INFO)  # database migration messages
    session = new_session_factory(f"sqlite:///{folder / 'hub' / 'hub.sqlite'}")()
    passwords = {name: password for name in names if (password := create_account(session, name, again))}
    session.commit()
    append_passwords(folder / "passwords.csv", passwords)
    for name in sorted(set(names) - set(passwords)):
        print(f"{name} has an account; --again gives a new password")
    if passwords:
        print(
            f"{len(passwords)} new passwords stand in {folder / 'passwords.csv'}: hand them out, then delete the file"
        )
    return 0


def create_account(session, name, again=False):
    """Create an account, or reset its password. Returns the new password; None if an existing one stays."""
    user = UserInfo.find(session, name)
    if user and not again:
        return None
    password = "".join(secrets.choice(ALPHABET) for _ in range(12))
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
    if user:
        user.password = hashed
    else:
        session.add(UserInfo(username=name, password=hashed, is_authorized=True))
    return password


def append_passwords(path, passwords):
    """Append names and passwords to a file that only its owner can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        csv.writer(file).writerows(passwords.items())


if __name__ == "__main__":
    sys.exit(main())

"""The key-encryption key is made whole or not at all, and once, however many begin at the same time."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import affidavit
from affidavit.journal.keys import KeyStore, kek_file

KILLED = """
import os, signal, sys
from pathlib import Path
from affidavit.journal.keys import KeyStore
def killed(size):
    os.kill(os.getpid(), signal.SIGKILL)
KeyStore(Path(sys.argv[1]), killed, create=True)
"""
INIT = "import sys, affidavit; affidavit.init(sys.argv[1], scope=sys.argv[2]).close()"


def test_a_kill_while_the_key_is_made_leaves_none(tmp_path: Path) -> None:
    store = tmp_path / "keys.db"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(store)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert not kek_file(store).exists()
    made = KeyStore(store, os.urandom, create=True)
    key = made.add(bytes(16))
    made.commit()
    made.close()
    again = KeyStore(store)
    assert again.get(bytes(16)) == key
    again.close()
    assert kek_file(store).stat().st_mode & 0o777 == 0o600


def test_six_processes_that_make_one_ledger_share_its_key(tmp_path: Path) -> None:
    names = [f"scope-{number}" for number in range(6)]

    def init(name: str) -> int:
        command = [sys.executable, "-c", INIT, str(tmp_path / "ledger"), name]
        return subprocess.run(command, check=False, timeout=60).returncode

    with ThreadPoolExecutor(len(names)) as pool:
        assert list(pool.map(init, names)) == [0] * len(names)
    with affidavit.open(tmp_path / "ledger", scope=names[0]) as ledger:
        assert sorted(scope.name for scope in ledger.scopes()) == names
        assert ledger.verify().clean
    assert [file.name for file in (tmp_path / "ledger").glob("*.kek*")] == ["keys.kek"]

"""Build wheel and sdist, look into them, install them into empty environments, and try them: `make release-check`.

Everything happens in build/release; nothing is published.
"""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "release"
LONGEST_IMPORT = 0.4  # seconds
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Files that are no Python, without which something fails when it is used and not before.
PACKED = ("py.typed", "_report/template.html.jinja", "_report/style.css", "_report/map.js")


def main() -> None:
    """Run the checks; the first that fails ends it with a sentence."""
    shutil.rmtree(WORK, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(WORK / "dist"), str(ROOT))
    (wheel,), (sdist,) = (WORK / "dist").glob("*.whl"), (WORK / "dist").glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    check_versions()
    check_alone(wheel)
    check_extras(wheel)
    check_from_sdist(sdist)
    print(f"release-check: sskpca {PROJECT['version']} is fit to be released.")


def run(*command: str, cwd: Path = ROOT, fails: bool = False) -> str:
    """Run a command; return what it printed, both streams."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**environment, "MPLBACKEND": "Agg"})
    if (done.returncode != 0) is not fails:
        sys.exit(f"release-check: {' '.join(command)[:200]}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def need(fine: object, sentence: str) -> None:
    """End with a sentence if something is not as it should be."""
    if not fine:
        sys.exit(f"release-check: {sentence}")


def check_wheel(wheel: Path) -> None:
    """Look at the metadata, and for files that must be inside."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (folder,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
        metadata = email.message_from_string(archive.read(f"{folder}/METADATA").decode())
        entries = archive.read(f"{folder}/entry_points.txt").decode()
    need(metadata["Version"] == PROJECT["version"], "the wheel has another version than pyproject.toml.")
    need(metadata["License-Expression"] == "BSD-3-Clause", "the wheel names no licence.")
    need(f"{folder}/licenses/LICENSE" in names, "the wheel has no LICENSE.")
    need(metadata["Requires-Python"] == PROJECT["requires-python"], "the wheel names no Python.")
    need(metadata["Description-Content-Type"] == "text/markdown", "the wheel has no README.")
    extras = set(metadata.get_all("Provides-Extra", []))
    need(extras == set(PROJECT["optional-dependencies"]), f"the wheel has the extras {extras}.")
    need("sskpca = sskpca._cli:main" in entries, "the wheel has no command sskpca.")
    packed = [*PACKED, *(["_web/static/page.js"] if "web" in extras else [])]
    for name in packed:
        need(f"sskpca/{name}" in names, f"the wheel lacks sskpca/{name}.")
    foreign = {name.split("/")[0] for name in names} - {"sskpca", folder}
    need(not foreign, f"the wheel has {foreign} beside sskpca.")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files; extras {', '.join(sorted(extras))}")


def check_sdist(sdist: Path) -> None:
    """Look for what somebody who builds from it needs."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/sskpca/py.typed", "tests/conftest.py"):
        need(name in names, f"the sdist lacks {name}.")
    need(not any(name.startswith((".venv", "build/")) for name in names), "the sdist has files of a build in it.")
    print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB, {len(names)} files")


def check_versions() -> None:
    """Compare the versions in the files beside pyproject.toml, the one source."""
    version = PROJECT["version"]
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    need(citation and citation[1] == version, "CITATION.cff has another version.")
    need(f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(), f"CHANGELOG.md has no section {version}.")


def environment(name: str, *packages: str) -> Path:
    """Make an empty environment with packages; return its folder of commands."""
    folder = WORK / name
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    run(str(binaries / "python"), "-m", "pip", "install", "--quiet", *packages)
    return binaries


def readme_blocks() -> list[str]:
    """List the blocks of Python in the README."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)


def import_time(python: Path, statement: str) -> float:
    """Measure the least of five new processes, in seconds."""
    code = f"import time; a = time.perf_counter(); {statement}; print(time.perf_counter() - a)"
    return min(float(run(str(python), "-c", code, cwd=WORK)) for _ in range(5))


def check_alone(wheel: Path) -> None:
    """Without extras: import, the first block of the README, and sentences about what is missing."""
    binaries = environment("alone", str(wheel))
    python = binaries / "python"
    seconds = import_time(python, "import sskpca")
    need(seconds <= LONGEST_IMPORT, f"import sskpca takes {seconds:.2f} s.")
    fit = import_time(python, "from sskpca import SSKPCAClassifier")
    print(f"import sskpca: {seconds:.3f} s; from sskpca import SSKPCAClassifier: {fit:.2f} s, mostly scikit-learn")
    run(str(python), "-W", "error", "-c", readme_blocks()[0], cwd=WORK)
    said = run(str(python), "-c", "import sskpca; sskpca.label", cwd=WORK, fails=True)
    need('pip install "sskpca[cli]"' in said, "without extras sskpca.label does not say what to install.")
    said = run(str(binaries / "sskpca"), "--help", cwd=WORK, fails=True)
    need("sskpca[cli]" in said and "Traceback" not in said, "without extras the command does not say what to install.")


def check_extras(wheel: Path) -> None:
    """With all extras: every block of the README, the command, and the demonstration."""
    extras = ",".join(sorted(PROJECT["optional-dependencies"]))
    binaries = environment("extras", f"sskpca[{extras}] @ {wheel.as_uri()}", "pandas")
    run(str(binaries / "python"), "-c", "\n".join(readme_blocks()), cwd=WORK)
    need(PROJECT["version"] in run(str(binaries / "sskpca"), "--version", cwd=WORK), "sskpca --version is another.")
    run(str(binaries / "sskpca"), "demo", cwd=WORK)
    need((WORK / "demo-output" / "digits.html").stat().st_size > 10_000, "the demonstration has written no report.")
    said = json.loads(run(str(binaries / "sskpca"), "check", "demo-output/digits.csv", "--json", cwd=WORK))
    need(said, "sskpca check --json prints nothing.")


def check_from_sdist(sdist: Path) -> None:
    """Build from the sdist, which has all that is needed."""
    python = environment("from-sdist", str(sdist)) / "python"
    installed = run(str(python), "-c", "import sskpca; print(sskpca.__version__)", cwd=WORK).strip()
    need(installed == PROJECT["version"], f"the sdist installs version {installed}.")


if __name__ == "__main__":
    main()

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
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "release"
LONGEST_IMPORT = 0.4  # seconds
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Files that are no Python, without which something fails when it is used and not before.
PACKED = (
    "py.typed",
    "_report/template.html.jinja",
    "_report/style.css",
    "_report/map.js",
    "_web/static/index.html",
    "_web/static/page.js",
    "_web/static/page.css",
    "_web/static/licenses.txt",
)


def main() -> None:
    """Run the checks; the first that fails ends it with a sentence."""
    shutil.rmtree(WORK, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(WORK / "dist"), str(ROOT))
    (wheel,), (sdist,) = (WORK / "dist").glob("*.whl"), (WORK / "dist").glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    check_versions()
    check_alone(wheel)
    check_command_line(wheel)
    check_extras(wheel)
    check_from_sdist(sdist)
    print(f"release-check: sskpca {PROJECT['version']} is fit to be released.")


def clean_environment() -> dict[str, str]:
    """Return the environment without what would let the checkout be imported in place of the wheel."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {**kept, "MPLBACKEND": "Agg"}


def run(*command: str, cwd: Path = ROOT, fails: bool = False) -> str:
    """Run a command; return what it printed, both streams."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=clean_environment())
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
    for name in PACKED:
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


def check_import(python: Path, *, extras: str) -> None:
    """Measure the import, which must be quick whatever is installed beside it."""
    seconds = import_time(python, "import sskpca")
    need(seconds <= LONGEST_IMPORT, f"import sskpca takes {seconds:.2f} s {extras}.")
    fit = import_time(python, "from sskpca import SSKPCAClassifier")
    print(
        f"{extras}: import sskpca {seconds:.3f} s; from sskpca import SSKPCAClassifier {fit:.2f} s, mostly scikit-learn"
    )


def check_demo(binaries: Path, folder: Path) -> None:
    """Run the demonstration in a folder of its own."""
    folder.mkdir()
    need(PROJECT["version"] in run(str(binaries / "sskpca"), "--version", cwd=folder), "sskpca --version is another.")
    run(str(binaries / "sskpca"), "demo", cwd=folder)
    need((folder / "demo-output" / "digits.html").stat().st_size > 10_000, "the demonstration has written no report.")
    said = json.loads(run(str(binaries / "sskpca"), "check", "demo-output/digits.csv", "--json", cwd=folder))
    need(said, "sskpca check --json prints nothing.")


def check_alone(wheel: Path) -> None:
    """Without extras: import, the first block of the README, and sentences about what is missing."""
    binaries = environment("alone", str(wheel))
    python = binaries / "python"
    check_import(python, extras="without extras")
    run(str(python), "-W", "error", "-c", readme_blocks()[0], cwd=WORK)
    said = run(str(python), "-c", "import sskpca; sskpca.label", cwd=WORK, fails=True)
    need('pip install "sskpca[cli]"' in said, "without extras sskpca.label does not say what to install.")
    said = run(str(binaries / "sskpca"), "--help", cwd=WORK, fails=True)
    need("sskpca[cli]" in said and "Traceback" not in said, "without extras the command does not say what to install.")


def check_command_line(wheel: Path) -> None:
    """With the extra cli alone: the demonstration, and a sentence about the page, which is missing."""
    binaries = environment("cli", f"sskpca[cli] @ {wheel.as_uri()}")
    check_demo(binaries, WORK / "demo-cli")
    said = run(str(binaries / "sskpca"), "open", "demo-output/digits.csv", cwd=WORK / "demo-cli", fails=True)
    need("sskpca[web]" in said and "Traceback" not in said, "without web sskpca open does not say what to install.")


def check_extras(wheel: Path) -> None:
    """With all extras: import, every block of the README, the demonstration, and the labelling page."""
    extras = ",".join(sorted(PROJECT["optional-dependencies"]))
    binaries = environment("extras", f"sskpca[{extras}] @ {wheel.as_uri()}", "pandas")
    check_import(binaries / "python", extras="with all extras")
    run(str(binaries / "python"), "-c", "\n".join(readme_blocks()), cwd=WORK)
    check_demo(binaries, WORK / "demo-extras")
    check_page(binaries, WORK / "demo-extras" / "demo-output" / "digits.csv")


def check_page(binaries: Path, table: Path) -> None:
    """Open a table for labelling, and fetch what a browser would."""
    command = [str(binaries / "sskpca"), "open", str(table), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        assert process.stdout is not None
        try:
            address = next((line.split()[-1] for line in process.stdout if line.startswith("The page: ")), "")
            need(address, "sskpca open prints no address.")
            base = address.partition("#")[0]
            for name in ("", "page.js", "page.css"):
                with urllib.request.urlopen(base + name, timeout=60) as answer:
                    need(len(answer.read()) > 100, f"the page has no {name or 'index.html'}.")
        finally:
            process.terminate()


def check_from_sdist(sdist: Path) -> None:
    """Build from the sdist, which has all that is needed."""
    python = environment("from-sdist", str(sdist)) / "python"
    installed = run(str(python), "-c", "import sskpca; print(sskpca.__version__)", cwd=WORK).strip()
    need(installed == PROJECT["version"], f"the sdist installs version {installed}.")


if __name__ == "__main__":
    main()

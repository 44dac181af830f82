# Everything runs in a virtual environment inside the checkout; nothing but Python 3.11 and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# One BLAS thread a worker: two workers with two threads each would wait for one another.
SERIAL := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test check format lint types layers tests browser page table1 table2 book tables speed scale fuzz labelling results figures clean test-oldest test-newer docs docs-check release-check

demo: $(READY)  ## label a half-labelled data set and show what came out
	$(BIN)/sskpca demo

test: check  ## what CI runs

check: format lint types layers tests

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

tests: $(READY) browser  ## unit tests, doctests and examples
	$(SERIAL) $(BIN)/pytest -n 2 --dist worksteal

browser:  ## Chromium for the tests of the page, where it can be had (Debian, as root); without it they are skipped
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq >/dev/null 2>&1 && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1 || \
	echo "no Chromium: the page is not tested in a browser"

page:  ## bundle the page from the sources in page/; needs Node, which nothing else does
	cd page && npm ci --ignore-scripts --no-audit --no-fund && npm run build

test-oldest:  ## the tests with the oldest dependencies that are supported, in a virtual environment of their own
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-oldest/bin/python -m pip install --quiet --editable . --group test --constraint constraints-oldest.txt
	$(SERIAL) $(VENV)-oldest/bin/pytest -n 2

NEWER := $(foreach version,3.14 3.13 3.12,python$(version) $(wildcard $(HOME)/.pyenv/versions/$(version).*/bin/python))
test-newer:  ## the tests with the newest Python that is found, and the newest dependencies for it; skipped where there is none
	@for python in $(NEWER); do if "$$python" -c "" 2>/dev/null; then \
		"$$python" --version; exec $(MAKE) tests PYTHON="$$python" VENV=$(VENV)-newer; fi; done; \
	echo "no Python newer than 3.11: not tested with one"

release-check: $(READY)  ## build wheel and sdist, install them into empty environments, and try them
	$(BIN)/python .ci/release_check.py

docs: $(READY)  ## the site, in build/docs/html: warnings are errors, internal links are checked
	$(BIN)/python -m pip install --quiet --group docs
	rm -rf build/docs/html
	$(SERIAL) $(BIN)/sphinx-build -b html -W --keep-going -d build/docs/doctrees docs build/docs/html
	$(SERIAL) $(BIN)/sphinx-build -b linkcheck -q -W --keep-going -d build/docs/doctrees docs build/docs/links
	$(BIN)/pytest tests/test_site.py -k "links or name"

docs-check: docs  ## open the built site in Chromium
	$(BIN)/pytest tests/test_site.py

table1: $(READY)  ## Table 1 of the paper, cell by cell: forty minutes; resumes
	$(BIN)/python benchmarks/paper/table1.py

table2: $(READY)  ## Table 2 of the paper: fifty minutes; resumes
	$(BIN)/python benchmarks/paper/table2.py

book: $(READY)  ## the automatic classifier and today's packages on the book's data: two hours; resumes
	$(BIN)/python -m pip install --quiet --group bench
	for name in fixed transducer automatic peers fit_times next_rows; do \
		$(BIN)/python benchmarks/book/$$name.py || exit 1; done

tables: $(READY)  ## ordinary tables: ours, seven peers, intervals, suspects: an hour and a half
	$(BIN)/python -m pip install --quiet --group bench
	for name in run simulated suspects mixed ablation; do $(BIN)/python benchmarks/tables/$$name.py || exit 1; done
	for option in --book --balanced --churn; do $(BIN)/python benchmarks/tables/ablation.py $$option || exit 1; done

speed: $(READY)  ## time and memory as ratios in one run: a quarter of an hour on a quiet machine
	for name in portfolio forest classes fits leave_one_out live graphs growth threads predict busy label forecast start; do $(BIN)/python benchmarks/speed/$$name.py || exit 1; done

scale: $(READY)  ## many rows: accuracy, growth, a million rows, SecStr, a cluster: an hour; results are kept
	for name in approximation growth million secstr cluster; do $(BIN)/python benchmarks/scale/$$name.py || exit 1; done
	$(BIN)/python benchmarks/scale/growth.py --plot

fuzz: $(READY)  ## damaged files, killed runs, hard problems, thousands of each: half an hour; resumes, results are kept
	for script in benchmarks/fuzz/*.py; do $(SERIAL) nice -n 10 $(BIN)/python $$script || exit 1; done

labelling: $(READY)  ## labelling by hand: 50 kills, labels in the order that is proposed, time from a key to the map: an hour
	for name in kills order keys; do $(BIN)/python benchmarks/page/$$name.py || exit 1; done

results: $(READY)  ## docs/results from the files in benchmarks/*/results
	$(BIN)/python benchmarks/report.py

figures: $(READY)  ## draw the pictures of the README and the pages into docs/images
	$(BIN)/python docs/images/draw.py

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed: make PYTHON=python3.11"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newer build demo-output docs/gallery docs/api/generated docs/api/backreferences .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

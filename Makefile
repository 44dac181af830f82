# Everything runs in a virtual environment inside the checkout; nothing but Python 3.11 and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# One BLAS thread a worker: two workers with two threads each would wait for one another.
SERIAL := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test check format lint types layers tests bench automatic figures clean

demo: $(READY)  ## label a half-labelled data set and show what came out
	$(BIN)/python examples/label_digits.py

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

tests: $(READY)  ## unit tests, doctests and examples
	$(SERIAL) $(BIN)/pytest -n 2

bench: $(READY)  ## speed as ratios in one run, and the errors on the book's data
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/book_fixed.py
	$(BIN)/python benchmarks/graph_cost.py
	$(BIN)/python benchmarks/transducer.py

automatic: $(READY)  ## the automatic classifier on the book's data: an hour; then docs/results/automatic.md
	for name in book_auto selection_rules next_rows live leave_one_out report_automatic; do \
		$(BIN)/python benchmarks/$$name.py || exit 1; done

figures: $(READY)  ## draw the examples' pictures into docs/images
	for example in examples/plot_*.py; do $(BIN)/python $$example --save docs/images || exit 1; done

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed: make PYTHON=python3.11"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

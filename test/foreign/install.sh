#!/usr/bin/env bash
# Installs the libraries of other people's clients, which test/foreign runs, into node_modules/.cache. A part that cannot be had is
# named, and its tests are skipped.
cd "$(dirname "$0")/../.." || exit
cache=node_modules/.cache

if command -v python3 >/dev/null; then
  for part in requirements ccxt-requirements; do
    timeout 180 python3 -m pip install --quiet --disable-pip-version-check --target "$cache/python" --requirement "test/foreign/clients/$part.txt" \
      >/dev/null 2>&1 || echo "the Python clients' libraries of $part.txt could not be installed; going on without them"
  done
fi &

mkdir -p "$cache/foreign"
cp test/foreign/clients/package.json test/foreign/clients/package-lock.json "$cache/foreign/"
timeout 180 npm ci --prefix "$cache/foreign" --ignore-scripts --no-audit --no-fund >/dev/null 2>&1 ||
  echo "the TypeScript clients' libraries could not be installed; going on without them"
wait

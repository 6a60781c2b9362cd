#!/usr/bin/env bash
# Build the wheels and sdists of the last commit, twice, in folders, time zones and umasks of their own;
# compare them byte for byte, check them, and try the wheels in a fresh environment outside the source tree.
# Usage: packaging/dist.sh PYTHON TOOLS, where TOOLS is an environment with the group `tools`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1
tools=$(realpath "$2")/bin
constraints=$(realpath constraints.txt)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

git diff --quiet HEAD || echo "note: what is not committed is not in the distribution" >&2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

build() {  # NAME UMASK TIMEZONE
    umask "$2"
    mkdir -p "$folder/$1/source"
    git archive HEAD | tar -x -C "$folder/$1/source"
    for project in . reproductions; do
        TZ=$3 "$tools/python" -m build --no-isolation --outdir "$folder/$1/dist" \
            "$folder/$1/source/$project" >"$folder/$1.log" 2>&1 ||
            { cat "$folder/$1.log" >&2; return 1; }
    done
}
(build first 022 UTC)
(build second 077 Asia/Kolkata)
diff -r "$folder/first/dist" "$folder/second/dist"
echo "two builds are equal, byte for byte"

rm -f dist/*.whl dist/*.tar.gz
mkdir -p dist
cp "$folder"/first/dist/* dist/
"$tools/twine" check --strict dist/*.whl dist/*.tar.gz
"$tools/check-wheel-contents" dist/*.whl

"$python" -m venv "$folder/fresh"
"$folder/fresh/bin/python" -m pip install --quiet -c "$constraints" dist/indistinct-*.whl
reproductions=$(realpath dist/indistinct_reproductions-*.whl)
fresh=$folder/fresh/bin
cd "$folder"
unset PYTHONPATH
"$fresh/python" -c 'import indistinct; print(indistinct.__file__)' | grep --quiet -F "$folder/fresh/"
"$fresh/indistinct" --version
"$fresh/indistinct" demo --out demo >/dev/null
"$fresh/indistinct" audit demo
"$fresh/python" -m pip install --quiet -c "$constraints" "$reproductions"
"$fresh/indistinct" paper --help >/dev/null
echo "the wheels work in a fresh environment"
cd - >/dev/null
(cd dist && sha256sum ./*.whl ./*.tar.gz)
